package db

import (
	"time"

	"github.com/uptrace/bun"
)

// Connections counts the connections of the pool.
type Connections struct {
	InUse, Idle, Max int
	Waits            int64         // for a free one, since Open
	Waited           time.Duration // in all of them
}

// Connections returns the state of the pool. It sends no statement.
func (d *DB) Connections() Connections {
	if d.pool != nil {
		stat := d.pool.Stat()
		return Connections{
			InUse: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Max: int(stat.MaxConns()),
			Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(),
		}
	}
	read, write := d.read.Stats(), d.write.Stats()
	return Connections{
		InUse: read.InUse + write.InUse, Idle: read.Idle + write.Idle, Max: read.MaxOpenConnections + write.MaxOpenConnections,
		Waits: read.WaitCount + write.WaitCount, Waited: read.WaitDuration + write.WaitDuration,
	}
}

// WithHook returns the same database with a hook that sees every statement but
// those of Native. The receiver stays the one to close.
func (d *DB) WithHook(hook bun.QueryHook) *DB {
	base := &database{
		read: d.read.WithQueryHook(hook), write: d.write.WithQueryHook(hook), pool: d.pool, log: d.log, clock: d.clock,
	}
	return &DB{database: base, IDB: base.read}
}
