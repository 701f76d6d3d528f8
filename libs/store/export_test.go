package store

import "github.com/uptrace/bun"

// Traced is the store, which stays the one to close, with a hook that sees
// every statement that reads.
func (s *Store) Traced(hook bun.QueryHook) *Store {
	base := &database{read: s.read.WithQueryHook(hook), write: s.write, pool: s.pool, log: s.log, clock: s.clock}
	return &Store{database: base, db: base.read}
}
