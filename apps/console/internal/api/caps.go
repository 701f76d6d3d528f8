package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/store"
)

// Caps are the most that may be spent in each day, week and month of UTC.
type Caps struct {
	Day   *money.Amount `json:"day" nullable:"true" doc:"From midnight on; null: unlimited"`
	Week  *money.Amount `json:"week" nullable:"true" doc:"From Monday on; null: unlimited"`
	Month *money.Amount `json:"month" nullable:"true" doc:"From the first on; null: unlimited"`
}

// NewCaps are the Caps of something new.
type NewCaps struct {
	Day   *money.Amount `json:"day,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"From midnight on; absent: unlimited"`
	Week  *money.Amount `json:"week,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"From Monday on; absent: unlimited"`
	Month *money.Amount `json:"month,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"From the first on; absent: unlimited"`
}

// CapsPatch changes the Caps that it names. What was spent while there was no
// cap does not count.
type CapsPatch struct {
	Day   Nullable[money.Amount] `json:"day,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Week  Nullable[money.Amount] `json:"week,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Month Nullable[money.Amount] `json:"month,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
}

func (p *CapsPatch) store() store.CapsPatch {
	return store.CapsPatch{Day: capOf(p.Day), Week: capOf(p.Week), Month: capOf(p.Month)}
}

// capOf is nil where the field is absent.
func capOf(n Nullable[money.Amount]) *store.Cap {
	if !n.set {
		return nil
	}
	return &store.Cap{Amount: n.value}
}

// standing is how much an owner may spend, in all and per period.
type standing struct {
	account quota.Account
	caps    quota.Caps
}

func (s *standing) quota() Quota { return quotaOf(&s.account) }

// standingsOf returns the standings of the items by their owners' ids.
func standingsOf[T any](ctx context.Context, a *API, items []T, id func(*T) uuid.UUID) (map[uuid.UUID]standing, error) {
	ids := make([]uuid.UUID, 0, len(items))
	for i := range items {
		ids = append(ids, id(&items[i]))
	}
	accounts, err := a.Store.Accounts(ctx, scopeOf(ctx), ids)
	if err != nil {
		return nil, err
	}
	caps, err := a.Store.Caps(ctx, scopeOf(ctx), ids)
	if err != nil {
		return nil, err
	}
	standings := make(map[uuid.UUID]standing, len(accounts))
	for id, account := range accounts {
		standings[id] = standing{account, caps[id]}
	}
	return standings, nil
}

// standing returns that of one owner, who is in reach.
func (a *API) standing(ctx context.Context, id uuid.UUID) (standing, error) {
	all, err := standingsOf(ctx, a, []uuid.UUID{id}, func(id *uuid.UUID) uuid.UUID { return *id })
	return all[id], err
}
