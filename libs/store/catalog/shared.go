package catalog

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/snapshot"
)

// readTime bounds the wait for a place and the read of a snapshot, which continues when a caller has left.
const readTime = time.Minute

// maxReads is the most snapshots that are read at a time. A snapshot of a large catalog takes tens of MiB, and as much
// again while it is read.
const maxReads = 2

// sharedReads lets calls that need the same snapshot share a read, and bounds the reads at a time. So many calls of one
// tenant bring few snapshots into memory.
//
// A call joins a read only if that has not begun: then the snapshot has what was committed before the call.
type sharedReads struct {
	mu     sync.Mutex
	reads  map[uuid.UUID]*sharedRead // by tenant; uuid.Nil for scopes that reach everything
	places chan struct{}
}

// sharedRead is one read. Its result is valid once done is closed.
type sharedRead struct {
	done     chan struct{}
	snapshot *snapshot.Snapshot
	err      error
}

func newSharedReads() *sharedReads {
	return &sharedReads{reads: map[uuid.UUID]*sharedRead{}, places: make(chan struct{}, maxReads)}
}

// get returns the result of a read that begins after the call. It returns the error of ctx if that ends before; the
// read continues for the others.
func (s *sharedReads) get(ctx context.Context, tenantID uuid.UUID,
	read func(context.Context) (*snapshot.Snapshot, error)) (*snapshot.Snapshot, error) {
	s.mu.Lock()
	next, ok := s.reads[tenantID]
	if !ok {
		next = &sharedRead{done: make(chan struct{})}
		s.reads[tenantID] = next
		go s.run(context.WithoutCancel(ctx), tenantID, next, read)
	}
	s.mu.Unlock()
	select {
	case <-next.done:
		return next.snapshot, next.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run waits for a place and reads. From the beginning of the read on, further calls wait for another one.
func (s *sharedReads) run(ctx context.Context, tenantID uuid.UUID, next *sharedRead,
	read func(context.Context) (*snapshot.Snapshot, error)) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	defer close(next.done)
	begin := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.reads, tenantID)
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
		begin()
		next.snapshot, next.err = read(ctx)
	case <-ctx.Done():
		begin()
		next.err = ctx.Err()
	}
}
