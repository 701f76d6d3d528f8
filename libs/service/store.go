package service

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

const (
	storePatience = 60 * time.Second // how long a database may take to appear
	storeRetry    = time.Second
)

// OpenStore opens the database, whatever its schema. It waits up to a minute
// for a database that does not answer yet.
func OpenStore(ctx context.Context, c config.Config, log *slog.Logger) (*store.Store, error) {
	var opened *store.Store
	err := patiently(ctx, log, func(ctx context.Context) (err error) {
		opened, err = store.Open(ctx, db.Options{URL: c.DatabaseURL, Log: log})
		return err
	})
	return opened, err
}

// WaitForStore opens the database and waits up to a minute until its schema
// is the one of this build, which `console migrate` may be making just now.
func WaitForStore(ctx context.Context, c config.Config, log *slog.Logger) (*store.Store, error) {
	opened, err := OpenStore(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if err := patiently(ctx, log, opened.Ping); err != nil {
		_ = opened.Close() // it is the first error that tells
		return nil, err
	}
	return opened, nil
}

// patiently tries until it succeeds, ctx ends or patience does.
func patiently(ctx context.Context, log *slog.Logger, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	told := false
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if !told {
			log.WarnContext(ctx, "waiting for the database", "error", err)
			told = true
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the database is not ready: %w", err)
		case <-time.After(storeRetry):
		}
	}
}
