package store

import "time"

// Connections is how the pool of connections does.
type Connections struct {
	InUse, Idle, Max int
	Waits            int64         // for a free one, since Open
	Waited           time.Duration // in all of them
}

// Connections tells how the pool does. It asks the database nothing.
func (s *Store) Connections() Connections {
	if s.pool != nil {
		stat := s.pool.Stat()
		return Connections{
			InUse: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Max: int(stat.MaxConns()),
			Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(),
		}
	}
	read, write := s.read.Stats(), s.write.Stats()
	return Connections{
		InUse: read.InUse + write.InUse, Idle: read.Idle + write.Idle, Max: read.MaxOpenConnections + write.MaxOpenConnections,
		Waits: read.WaitCount + write.WaitCount, Waited: read.WaitDuration + write.WaitDuration,
	}
}
