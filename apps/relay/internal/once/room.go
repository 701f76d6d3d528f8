package once

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"
)

// roomAge is how long a relay uses a sum that it has read from the database. Meanwhile it adds the answers that it
// keeps itself, but does not see those of other relays.
const roomAge = time.Minute

// room knows how many bytes the answers of tenants have.
type room struct {
	mu      sync.Mutex
	tenants map[uuid.UUID]used
}

// used is the size of the answers of one tenant.
type used struct {
	bytes  int64
	readAt time.Time // when the sum was read from the database
}

func newRoom() *room { return &room{tenants: map[uuid.UUID]used{}} }

// fits reports whether the tenant may keep so many more bytes, and counts them if so.
func (k *Keys) fits(ctx context.Context, tenantID uuid.UUID, size int64) (bool, error) {
	now := k.Now()
	if !k.room.knows(tenantID, now) {
		sum, err := k.Store.AnswerBytes(ctx, k.Scope, tenantID)
		if err != nil {
			return false, err
		}
		k.room.learn(tenantID, used{sum, now})
	}
	return k.room.take(tenantID, size, k.MaxAnswers), nil
}

// knows reports whether there is a recent sum of the tenant.
func (r *room) knows(tenantID uuid.UUID, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.tenants[tenantID]
	return ok && now.Sub(u.readAt) < roomAge
}

// learn stores a sum of the database, and forgets old ones.
func (r *room) learn(tenantID uuid.UUID, u used) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.tenants, func(_ uuid.UUID, v used) bool { return u.readAt.Sub(v.readAt) >= roomAge })
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
