package resource

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// Quota is the state of an account.
type Quota struct {
	Granted *money.Amount `json:"granted" nullable:"true" doc:"null: unlimited"`
	Used    money.Amount  `json:"used"`
	Leased  money.Amount  `json:"leased" doc:"In the hands of relays, for calls in flight and those to come"`
	Left    *money.Amount `json:"left" nullable:"true" doc:"granted - used; null: unlimited"`
}

// QuotaOf returns the account as the API shows it.
func QuotaOf(account *quota.Account) Quota {
	return Quota{Granted: account.Granted, Used: account.Used, Leased: account.Leased, Left: account.Left()}
}

// LedgerEntry is one movement of a tenant's granted quota. It is never changed.
type LedgerEntry struct {
	ID            uuid.UUID    `json:"id"`
	TenantID      uuid.UUID    `json:"tenant_id"`
	Kind          string       `json:"kind" enum:"grant,adjustment,transfer"`
	Amount        money.Amount `json:"amount" doc:"Negative takes away"`
	Granted       money.Amount `json:"granted" doc:"In all, with this entry: the sum of the ledger up to it"`
	Reason        string       `json:"reason"`
	Actor         string       `json:"actor" doc:"Who did it"`
	TransferID    *uuid.UUID   `json:"transfer_id" nullable:"true" doc:"Both entries of a transfer have it; null for others"`
	CounterpartID *uuid.UUID   `json:"counterpart_id" nullable:"true" doc:"The other tenant of a transfer; operators alone are told"`
	CreatedAt     time.Time    `json:"created_at"`
}

// LedgerEntryOf returns the entry as the API shows it.
func LedgerEntryOf(e *quotadb.LedgerEntry) LedgerEntry {
	return LedgerEntry{
		ID: e.ID, TenantID: e.TenantID, Kind: string(e.Kind), Amount: e.Amount, Granted: e.Granted, Reason: e.Reason, Actor: e.Actor,
		TransferID: api.NullableID(e.TransferID), CounterpartID: api.NullableID(e.Counterpart), CreatedAt: e.CreatedAt.UTC(),
	}
}
