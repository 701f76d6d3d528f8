package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// client is a caller with the models that it may call and that have a price and a channel: at least one.
type client struct {
	caller
	models []string
}

// world holds the tokens of a database that can call models.
type world struct {
	snapshot *snapshot.Snapshot
	clients  []client // busiest first: the newest tokens
}

// readWorld reads the world from the database.
func readWorld(ctx context.Context, s *store.Store) (*world, error) {
	snapshot, err := s.Catalog.Snapshot(ctx, platform)
	if err != nil {
		return nil, err
	}
	users, err := readUsers(ctx, s)
	if err != nil {
		return nil, err
	}
	groups := map[uuid.UUID]uuid.UUID{}
	for _, u := range users {
		groups[u.ID] = u.GroupID
	}
	tokens, err := all(func(page storepage.Page) (storepage.List[token.Token], error) {
		return s.Token.Tokens(ctx, platform, tokendb.Query{Page: page})
	})
	if err != nil {
		return nil, err
	}
	w := &world{snapshot: snapshot}
	for i := range tokens {
		t := &tokens[i]
		c := caller{t.TenantID, t.UserID, t.ID, groups[t.UserID]}
		if models := callable(snapshot, t, c.group); len(models) > 0 {
			w.clients = append(w.clients, client{c, models})
		}
	}
	if len(w.clients) == 0 {
		return nil, errors.New("no token may call a model that has a price and a channel")
	}
	return w, nil
}

// readUsers reads the users of all tenants from the database.
func readUsers(ctx context.Context, s *store.Store) ([]tenant.User, error) {
	return all(func(page storepage.Page) (storepage.List[tenant.User], error) {
		return s.Identity.Users(ctx, platform, identity.UserFilter{}, page)
	})
}

// callable returns the models that the token may call as a user of the group.
func callable(s *snapshot.Snapshot, t *token.Token, group uuid.UUID) (models []string) {
	who := &token.Caller{Token: *t, User: tenant.User{GroupID: group}}
	for _, m := range s.Models() {
		if visibility.Visible(s, who, m, time.Now()) {
			models = append(models, m.ID)
		}
	}
	return models
}

// all reads all pages of a list.
func all[T any](read func(storepage.Page) (storepage.List[T], error)) (items []T, err error) {
	page := storepage.Page{Limit: 200}
	for {
		list, err := read(page)
		if err != nil {
			return nil, err
		}
		items = append(items, list.Items...)
		if page.After = list.Next; page.After == "" {
			return items, nil
		}
	}
}

// addTokens adds n tokens to the tenants' users in turn. Nobody knows the tokens' values, so they cannot be
// used for requests.
func addTokens(ctx context.Context, s *store.Store, n int) error {
	if n == 0 {
		return nil
	}
	users, err := readUsers(ctx, s)
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(u tenant.User) bool { return u.Role == tenant.Operator })
	if len(users) == 0 {
		return errors.New("the database has no users except operators")
	}
	for begin := 0; begin < n; begin += atOnce {
		if err := s.Atomically(ctx, func(s *store.Store) error {
			for i := begin; i < min(n, begin+atOnce); i++ {
				if err := addToken(ctx, s, users[i%len(users)], i); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// addToken adds token number i to the user. Its hash is random, so that no value matches it.
func addToken(ctx context.Context, s *store.Store, u tenant.User, i int) error {
	id := uuid.Must(uuid.NewV7())
	fields := tokendb.NewToken{Token: token.Token{ID: id, UserID: u.ID, Name: fmt.Sprintf("service-%05d", i),
		Mask: token.Mask(token.New(id))}}
	if _, err := rand.Read(fields.Hash[:]); err != nil {
		return err
	}
	_, err := s.Token.CreateToken(ctx, platform, fields)
	return err
}
