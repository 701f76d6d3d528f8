package relay

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/relay"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// healthStore adapts the store to upstream.HealthStore.
type healthStore struct{ *catalogdb.Store }

// PublishHealth replaces the relay's rows in the database.
func (s healthStore) PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	breakers []upstream.BreakerStatus) error {
	rows := make([]catalogdb.ChannelHealth, 0, len(breakers))
	for _, b := range breakers {
		rows = append(rows, catalogdb.ChannelHealth{
			ChannelID: b.ChannelID, Tenants: b.Tenants, Model: b.Model, Fingerprint: b.Fingerprint, Mask: b.Mask,
			State: upstream.StateWord(b.State), Code: b.Code, Failures: int64(b.Failures), Until: b.Until,
		})
	}
	return s.Store.PublishHealth(ctx, scope, relayID, rows)
}

// DisableCredential disables a credential of a channel on all relays. It reports whether the credential was
// enabled before.
func (s healthStore) DisableCredential(ctx context.Context, scope tenant.Scope, c upstream.CredentialRef,
	reason catalog.DisabledReason) (bool, error) {
	return s.Store.DisableCredential(ctx, scope, catalogdb.Credential(c), reason)
}

// callerStore adapts the store to auth.Source.
type callerStore struct{ *tokendb.Store }

// RehashToken replaces the hash of a token in the database.
func (s callerStore) RehashToken(ctx context.Context, scope tenant.Scope, r auth.Rehash) error {
	return s.Store.RehashToken(ctx, scope, tokendb.Rehash(r))
}

// usageStore adapts the store to api.UsageStore. Its callers name the token, its user and its tenant.
type usageStore struct {
	store *store.Store
	scope tenant.Scope
}

// Balances returns the total limit of a token and its budgets.
func (s usageStore) Balances(ctx context.Context, owner uuid.UUID) ([]quotadb.Balance, error) {
	return s.store.Quota.Balances(ctx, s.scope, []uuid.UUID{owner})
}

// UsageSummary sums the daily rollups.
func (s usageStore) UsageSummary(ctx context.Context, query metering.SummaryQuery) ([]metering.SummaryRow, error) {
	return s.store.Metering.UsageSummary(ctx, s.scope, query)
}

// leaseStore adapts the store to admit.Lender. It counts the messages about leases, and sends a report about the
// relay with each heartbeat.
type leaseStore struct {
	*quotadb.Store
	relays *relay.Store
	report func() relay.Report
	onAsk  func(ask quota.LeaseRequest, answer quota.LeaseResponse, err error)
}

// GrantLease sends one message about a lease to the store.
func (l leaseStore) GrantLease(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, account quota.AccountRef,
	ask quota.LeaseRequest) (quota.LeaseResponse, error) {
	answer, err := l.Store.GrantLease(ctx, scope, relayID, account, ask)
	l.onAsk(ask, answer, err)
	return answer, err
}

// Beat sends a heartbeat with a report.
func (l leaseStore) Beat(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (reclaims int64, err error) {
	return l.relays.Beat(ctx, scope, relayID, l.report())
}
