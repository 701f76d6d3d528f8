package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// unconfirmUser sets the last confirmation of all sessions of the user back by an hour. It confirms them with a clock
// that is an hour behind.
func unconfirmUser(ctx context.Context, database, email string) error {
	s, err := store.Open(ctx, db.Options{URL: database, Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // the program ends
	user, err := s.Identity.UserByEmail(ctx, platform, email)
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
