package resource

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
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
	Day   api.Nullable[money.Amount] `json:"day,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Week  api.Nullable[money.Amount] `json:"week,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Month api.Nullable[money.Amount] `json:"month,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
}

// Store returns the patch as the store takes it.
func (p CapsPatch) Store() quotadb.CapsPatch {
	return quotadb.CapsPatch{Day: CapOf(p.Day), Week: CapOf(p.Week), Month: CapOf(p.Month)}
}

// CapOf returns nil where the field is absent.
func CapOf(n api.Nullable[money.Amount]) *quotadb.Cap {
	if !n.Given() {
		return nil
	}
	return &quotadb.Cap{Amount: n.Value()}
}

// Standing shows how much an owner may spend, in total and per period.
type Standing struct {
	Account quota.Account
	Caps    quota.Caps
}

// Quota returns the state of the account.
func (s *Standing) Quota() Quota { return QuotaOf(&s.Account) }

// StandingsOf returns the standings of the items by their owners' ids.
func StandingsOf[T any](ctx context.Context, s *store.Store, scope tenant.Scope, items []T, id func(*T) uuid.UUID) (map[uuid.UUID]Standing, error) {
	ids := make([]uuid.UUID, 0, len(items))
	for i := range items {
		ids = append(ids, id(&items[i]))
	}
	accounts, err := s.Quota.Accounts(ctx, scope, ids)
	if err != nil {
		return nil, err
	}
	caps, err := s.Quota.Caps(ctx, scope, ids)
	if err != nil {
		return nil, err
	}
	standings := make(map[uuid.UUID]Standing, len(accounts))
	for id, account := range accounts {
		standings[id] = Standing{account, caps[id]}
	}
	return standings, nil
}

// StandingOf returns the standing of one owner, whom the scope reaches.
func StandingOf(ctx context.Context, s *store.Store, scope tenant.Scope, id uuid.UUID) (Standing, error) {
	all, err := StandingsOf(ctx, s, scope, []uuid.UUID{id}, func(id *uuid.UUID) uuid.UUID { return *id })
	return all[id], err
}
