package db

import (
	"time"

	"github.com/uptrace/bun"
)

// Connections counts the connections of the pool. On SQLite it adds up those that read and the one that writes.
type Connections struct {
	InUse, Idle, Max int
	Waits            int64         // how often a caller had to wait for a free connection, since Open
	Waited           time.Duration // total time of these waits
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
		InUse: read.InUse + write.InUse, Idle: read.Idle + write.Idle,
		Max:   read.MaxOpenConnections + write.MaxOpenConnections,
		Waits: read.WaitCount + write.WaitCount, Waited: read.WaitDuration + write.WaitDuration,
	}
}

// WithHook returns a DB on the same connections with a hook that sees every statement except those of Native.
// The receiver owns the connections: close it, and not the result.
func (d *DB) WithHook(hook bun.QueryHook) *DB {
	base := &database{
		read: d.read.WithQueryHook(hook), write: d.write.WithQueryHook(hook), pool: d.pool, pooler: d.pooler,
		directURL:  d.directURL,
		tenantRole: d.tenantRole, log: d.log, clock: d.clock,
	}
	return &DB{database: base, IDB: base.read}
}
