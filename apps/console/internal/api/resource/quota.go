package resource

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// Quota shows the account of a tenant, user or token. Left is Granted - Used; Leased is part of Left.
type Quota struct {
	Granted *money.Amount `json:"granted" nullable:"true" doc:"The most that may be spent; null: unlimited"`
	Used    money.Amount  `json:"used" doc:"What finished requests have cost so far"`
	Leased  money.Amount  `json:"leased" doc:"Reserved by relays for current and coming requests. It is part of left"`
	Left    *money.Amount `json:"left" nullable:"true" doc:"granted - used; null: unlimited"`
}

// QuotaOf returns the account as the API shows it.
func QuotaOf(account *quota.Account) Quota {
	return Quota{Granted: account.Granted, Used: account.Used, Leased: account.Leased, Left: account.Remaining()}
}

// LedgerEntry is one change of the quota that a tenant is granted. Entries are never changed or deleted.
type LedgerEntry struct {
	ID            uuid.UUID    `json:"id"`
	TenantID      uuid.UUID    `json:"tenant_id"`
	Kind          string       `json:"kind" enum:"grant,adjustment,transfer"`
	Amount        money.Amount `json:"amount" doc:"Negative if quota is taken back"`
	Granted       money.Amount `json:"granted" doc:"Quota granted in total after this entry: the sum of all amounts up to and including this one"`
	Reason        string       `json:"reason"`
	Actor         string       `json:"actor" doc:"E-mail address of the user, or name of the program, that made the entry"`
	TransferID    *uuid.UUID   `json:"transfer_id" nullable:"true" doc:"Id that both entries of a transfer share; null for other kinds"`
	CounterpartID *uuid.UUID   `json:"counterpart_id" nullable:"true" doc:"The other tenant of a transfer. Only operators see it; null for all others"`
	CreatedAt     time.Time    `json:"created_at"`
}

// LedgerEntryOf returns the entry as the API shows it.
func LedgerEntryOf(e *quotadb.LedgerEntry) LedgerEntry {
	return LedgerEntry{
		ID: e.ID, TenantID: e.TenantID, Kind: string(e.Kind), Amount: e.Amount, Granted: e.Granted,
		Reason: e.Reason, Actor: e.Actor,
		TransferID: null.ID(e.TransferID), CounterpartID: null.ID(e.Counterpart), CreatedAt: e.CreatedAt.UTC(),
	}
}
