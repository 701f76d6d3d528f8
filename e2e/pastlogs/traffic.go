package main

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/field"
)

// platform is the scope of everything that the program does for no tenant.
var platform = tenant.SystemScope("pastlogs")

// caller is a token with its tenant, its user and the user's group.
type caller struct{ tenant, user, token, group uuid.UUID }

// owner returns the scope of an owner of the tenant.
func (c caller) owner() tenant.Scope {
	return tenant.ScopeOf(tenant.User{ID: c.user, TenantID: c.tenant, Role: tenant.Owner})
}

// member returns the scope of the user as a member.
func (c caller) member() tenant.Scope {
	return tenant.ScopeOf(tenant.User{ID: c.user, TenantID: c.tenant, Role: tenant.Member})
}

// call returns the log of a call that succeeded at the first attempt. It has no token counts and no cost.
func (c caller) call(at time.Time, relay uuid.UUID, channel *catalog.Channel, model string) usage.Log {
	const firstByte, latency = time.Second / 3, time.Second
	return usage.Log{
		ID: idAt(at), CreatedAt: at, TenantID: c.tenant, UserID: c.user, TokenID: c.token, GroupID: c.group,
		ChannelID: channel.ID, RelayID: relay, Model: model, UpstreamModel: channel.Models[model], Dialect: "chat",
		Outcome: usage.Success, Status: 200, FirstByte: firstByte, Latency: latency,
		Attempts: []usage.Attempt{{ChannelID: channel.ID, Status: 200, Elapsed: firstByte}},
	}
}

const batchSize = 2000 // events in a transaction

// record records the events as a relay does, in transactions of at most batchSize events. It returns the number of
// events that were new.
func record(ctx context.Context, s *store.Store, relay uuid.UUID, events []usage.Event) (count int, err error) {
	for batch := range slices.Chunk(events, batchSize) {
		n, err := s.Metering.RecordEvents(ctx, platform, relay, batch)
		if err != nil {
			return count, err
		}
		count += n
	}
	return count, nil
}

// idAt returns a new UUIDv7 of the time. Ids of the same millisecond are in no order.
func idAt(at time.Time) uuid.UUID {
	id, start := uuid.Must(uuid.NewV7()), field.IDFloor(at)
	copy(id[:6], start[:6])
	return id
}

// skewed returns the index below n that belongs to random, a number from 0 to below 1. The greater the power, the more
// frequent are low indexes.
func skewed(random float64, n int, power float64) int {
	return int(math.Pow(random, power) * float64(n))
}
