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

// Caps holds the budgets of a tenant, user or token: the most that it may spend
// in each day, week and month. Days, weeks and months begin at midnight UTC.
type Caps struct {
	Day   *money.Amount `json:"day" nullable:"true" doc:"Budget per day, from midnight UTC; null: unlimited"`
	Week  *money.Amount `json:"week" nullable:"true" doc:"Budget per week, from Monday midnight UTC; null: unlimited"`
	Month *money.Amount `json:"month" nullable:"true" doc:"Budget per month, from midnight UTC on the first; null: unlimited"`
}

// NewCaps holds the Caps of a resource that is created.
type NewCaps struct {
	Day   *money.Amount `json:"day,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Budget per day, from midnight UTC; absent: unlimited"`
	Week  *money.Amount `json:"week,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Budget per week, from Monday midnight UTC; absent: unlimited"`
	Month *money.Amount `json:"month,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Budget per month, from midnight UTC on the first; absent: unlimited"`
}

// CapsPatch changes the Caps whose fields are present. A budget counts only
// what is spent while it is set: a new budget starts with nothing spent.
type CapsPatch struct {
	Day   api.Nullable[money.Amount] `json:"day,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Budget per day; null: unlimited"`
	Week  api.Nullable[money.Amount] `json:"week,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Budget per week; null: unlimited"`
	Month api.Nullable[money.Amount] `json:"month,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Budget per month; null: unlimited"`
}

// Store returns the store's form of the patch.
func (p CapsPatch) Store() quotadb.CapsPatch {
	return quotadb.CapsPatch{Day: CapOf(p.Day), Week: CapOf(p.Week), Month: CapOf(p.Month)}
}

// CapOf returns the store's form of one field of a patch: nil if the
// field is absent, a Cap without an amount (unlimited) if it is null.
func CapOf(n api.Nullable[money.Amount]) *quotadb.Cap {
	if !n.Given() {
		return nil
	}
	return &quotadb.Cap{Amount: n.Value()}
}

// Spending holds how much a tenant, user or token may spend,
// in total and per period, and how much of the total is used.
type Spending struct {
	Account quota.Account
	Caps    quota.Caps
}

// Quota returns the account as the API shows it.
func (s *Spending) Quota() Quota { return QuotaOf(&s.Account) }

// SpendingsOf returns the Spending of each item, by the id that the function id
// returns for it: the id of a tenant, user or token. It reads all of them with
// two queries. An id that the scope does not reach is missing from the result.
func SpendingsOf[T any](ctx context.Context, s *store.Store, scope tenant.Scope, items []T,
	id func(*T) uuid.UUID) (map[uuid.UUID]Spending, error) {
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
	spendings := make(map[uuid.UUID]Spending, len(accounts))
	for id, account := range accounts {
		spendings[id] = Spending{account, caps[id]}
	}
	return spendings, nil
}

// SpendingOf returns the Spending of the tenant, user or token
// with the id. The caller has checked that the scope reaches it.
func SpendingOf(ctx context.Context, s *store.Store, scope tenant.Scope, id uuid.UUID) (Spending, error) {
	list, err := SpendingsOf(ctx, s, scope, []uuid.UUID{id}, func(id *uuid.UUID) uuid.UUID { return *id })
	return list[id], err
}
