package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// unconfirm runs the command "unconfirm". It confirms all sessions of the user with a clock that is an hour behind.
func unconfirm(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pastlogs unconfirm", flag.ExitOnError)
	database := flags.String("database", "", databaseHelp)
	email := flags.String("user", "", "email address of the user")
	if err := flags.Parse(args); err != nil {
		return err
	}
	now := func() time.Time { return time.Now().Add(-time.Hour) }
	s, err := store.Open(ctx, db.Options{URL: *database, Now: now})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // the program ends
	user, err := s.Identity.UserByEmail(ctx, platform, *email)
	if err != nil {
		return err
	}
	sessions, err := s.Signin.Sessions(ctx, platform, user.ID, page.Page{Limit: 200})
	if err != nil {
		return err
	}
	for _, session := range sessions.Items {
		if _, err := s.Signin.ConfirmSession(ctx, platform, session.ID, signin.ByPassword); err != nil {
			return fmt.Errorf("session %s: %w", session.ID, err)
		}
	}
	return nil
}
