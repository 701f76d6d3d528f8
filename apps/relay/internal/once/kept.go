package once

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"
)

// perTenant is the most statements that run at the same time for the keys of one tenant. Otherwise the keys of a tenant
// could take all connections to the database.
const perTenant = 4

// gate limits the statements of each tenant.
type gate struct {
	mu    sync.Mutex
	lanes map[uuid.UUID]*lane // of the tenants with statements
}

// lane is the part of a gate for one tenant.
type lane struct {
	slots chan struct{}
	users int // statements that run or wait
}

func newGate() *gate { return &gate{lanes: map[uuid.UUID]*lane{}} }

// enter waits for a slot of the tenant. The caller must call leave.
func (g *gate) enter(ctx context.Context, tenantID uuid.UUID) (leave func(), err error) {
	l := g.join(tenantID)
	select {
	case l.slots <- struct{}{}:
		return func() {
			<-l.slots
			g.quit(tenantID, l)
		}, nil
	case <-ctx.Done():
		g.quit(tenantID, l)
		return nil, ctx.Err()
	}
}

// join adds a user to the lane of the tenant.
func (g *gate) join(tenantID uuid.UUID) *lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lanes[tenantID]
	if l == nil {
		l = &lane{slots: make(chan struct{}, perTenant)}
		g.lanes[tenantID] = l
	}
	l.users++
	return l
}

// quit removes a user from the lane.
func (g *gate) quit(tenantID uuid.UUID, l *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(g.lanes, tenantID)
	}
}

// roomAge is how long a relay uses a sum that it has read from the database. Meanwhile it adds the answers that it keeps
// itself, but does not see those of other relays.
const roomAge = time.Minute

// room knows how many bytes the answers of tenants have.
type room struct {
	mu      sync.Mutex
	tenants map[uuid.UUID]used
}

// used is the size of the answers of one tenant.
type used struct {
	bytes int64
	read  time.Time // when the sum was read from the database
}

func newRoom() *room { return &room{tenants: map[uuid.UUID]used{}} }

// fits reports whether the tenant may keep so many more bytes, and counts them if so.
func (k *Keys) fits(ctx context.Context, tenantID uuid.UUID, size int64) (bool, error) {
	now := k.Now()
	if !k.room.knows(tenantID, now) {
		sum, err := k.Store.Kept(ctx, k.Scope, tenantID)
		if err != nil {
			return false, err
		}
		k.room.learn(tenantID, used{sum, now})
	}
	return k.room.take(tenantID, size, k.MaxKept), nil
}

// knows reports whether there is a recent sum of the tenant.
func (r *room) knows(tenantID uuid.UUID, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.tenants[tenantID]
	return ok && now.Sub(u.read) < roomAge
}

// learn stores a sum of the database, and forgets old ones.
func (r *room) learn(tenantID uuid.UUID, u used) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.tenants, func(_ uuid.UUID, other used) bool { return u.read.Sub(other.read) >= roomAge })
	r.tenants[tenantID] = u
}

// take counts size more bytes of the tenant if the sum does not exceed limit then.
func (r *room) take(tenantID uuid.UUID, size, limit int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.tenants[tenantID]
	if u.bytes+size > limit {
		return false
	}
	u.bytes += size
	r.tenants[tenantID] = u
	return true
}
