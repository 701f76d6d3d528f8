package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

const (
	storePatience = 60 * time.Second // longest wait for a database
	storeRetry    = time.Second
)

// OpenStore opens the database with any schema. If the database does not answer, OpenStore retries for up to a minute:
// in a cluster the programs often start before the database.
func OpenStore(ctx context.Context, c config.Config, log *slog.Logger) (*store.Store, error) {
	var s *store.Store
	err := retry(ctx, log, func(ctx context.Context) (err error) {
		s, err = store.Open(ctx, db.Options{URL: c.DatabaseURL, DirectURL: c.DatabaseDirectURL, Log: log})
		return err
	})
	return s, err
}

// WaitForStore opens the database and waits up to a minute until it has the schema of this build. `console migrate` may
// be creating the schema at the same time.
func WaitForStore(ctx context.Context, c config.Config, log *slog.Logger) (*store.Store, error) {
	s, err := OpenStore(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if err := retry(ctx, log, s.Ping); err != nil {
		_ = s.Close() // the first error is the cause
		return nil, err
	}
	return s, nil
}

// retry calls try until it succeeds, ctx ends or storePatience is over, or the error is one that waiting does not
// repair. It logs the first error only, as a warning.
func retry(ctx context.Context, log *slog.Logger, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	logged := false
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if errors.Is(err, db.ErrPoolMode) {
			return err
		}
		if !logged {
			log.WarnContext(ctx, "waiting for the database", "error", err)
			logged = true
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the database is not ready: %w", err)
		case <-time.After(storeRetry):
		}
	}
}
