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
	storepage "github.com/tollgate/tollgate/libs/store/page"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// platform is the scope of all reads and writes.
var platform = tenant.SystemScope("pastlogs")

// caller is a token with its user's group.
type caller struct {
	tenant, user, token, group uuid.UUID
	models                     []string // models that it may call, with a price and a channel; never empty
}

// world holds the tokens of a database that can call models.
type world struct {
	snapshot *snapshot.Snapshot
	callers  []caller // busiest first: the newest tokens
}

// readWorld reads the world from the database.
func readWorld(ctx context.Context, s *store.Store) (*world, error) {
	snapshot, err := s.Catalog.Snapshot(ctx, platform)
	if err != nil {
		return nil, err
	}
	users, err := all(func(page storepage.Page) (storepage.List[tenant.User], error) {
		return s.Identity.Users(ctx, platform, uuid.Nil, page)
	})
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
		c := caller{tokens[i].TenantID, tokens[i].UserID, tokens[i].ID, groups[tokens[i].UserID], nil}
		if c.models = callable(snapshot, &tokens[i], c.group); len(c.models) > 0 {
			w.callers = append(w.callers, c)
		}
	}
	if len(w.callers) == 0 {
		return nil, errors.New("no token may call a model that has a price and a channel")
	}
	return w, nil
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

const tokensAtOnce = 500 // tokens in a transaction

// addTokens adds n tokens to the tenants' users in turn. Nobody knows the tokens' values, so they cannot be
// used for requests.
func addTokens(ctx context.Context, s *store.Store, n int64) error {
	if n == 0 {
		return nil
	}
	users, err := all(func(page storepage.Page) (storepage.List[tenant.User], error) {
		return s.Identity.Users(ctx, platform, uuid.Nil, page)
	})
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(u tenant.User) bool { return u.Role == tenant.Operator })
	if len(users) == 0 {
		return errors.New("the database has no users except operators")
	}
	for begin := int64(0); begin < n; begin += tokensAtOnce {
		if err := s.Atomically(ctx, func(s *store.Store) error {
			for i := begin; i < min(n, begin+tokensAtOnce); i++ {
				if err := addToken(ctx, s, users[i%int64(len(users))], i); err != nil {
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
func addToken(ctx context.Context, s *store.Store, u tenant.User, i int64) error {
	id := uuid.Must(uuid.NewV7())
	fields := tokendb.NewToken{Token: token.Token{ID: id, UserID: u.ID, Name: fmt.Sprintf("service-%05d", i),
		Mask: token.Mask(token.New(id))}}
	if _, err := rand.Read(fields.Hash[:]); err != nil {
		return err
	}
	_, err := s.Token.CreateToken(ctx, platform, fields)
	return err
}
