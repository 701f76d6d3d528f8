package service

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// mostPercent and leastPercent bound GOGC: a high value costs memory, a low one CPU time.
	mostPercent  = 400
	leastPercent = 25
	// mostGarbage and garbageShare bound the garbage that the heap collects above leastPercent: 256 MiB, and a quarter of
	// the memory that the process may use.
	mostGarbage  = 256 << 20
	garbageShare = 4

	// idleTime is the time without a collection after which the process counts as idle. idleGarbage is the size of the
	// new objects that are worth another collection while it is idle.
	idleTime    = 15 * time.Second
	idleGarbage = 32 << 20
)

// collector sets the pace of Go's garbage collector. Nearly all memory of a relay belongs to requests and is soon
// garbage, so a high GOGC saves CPU time as long as the heap is small. The same GOGC with thousands of open streams would
// be gigabytes of garbage. Therefore the collector computes GOGC again after each collection.
//
// A process that becomes idle does not reach the heap size at which Go collects, and would keep the memory of its last
// burst for minutes. The collector runs a collection then; Go's scavenger returns the free memory to the operating
// system within seconds. debug.FreeOSMemory would also return memory that the next calls need, and at once.
type collector struct {
	garbage int64         // upper bound of the garbage in bytes
	percent int           // the present GOGC
	cycles  chan struct{} // has a value after a collection

	idleTime time.Duration
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// newCollector returns a collector for a process that may use so many bytes; 0 if that is unknown.
func newCollector(memory int64) *collector {
	c := &collector{garbage: mostGarbage, percent: mostPercent, cycles: make(chan struct{}, 1), idleTime: idleTime}
	if memory > 0 {
		c.garbage = min(c.garbage, memory/garbageShare)
	}
	return c
}

// Start implements Service.
func (c *collector) Start(ctx context.Context) error {
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	debug.SetGCPercent(c.percent)
	c.done.Go(func() { c.run(ctx) })
	return nil
}

// Stop implements Service. The last GOGC stays in effect.
func (c *collector) Stop(context.Context) error {
	if c.stop != nil {
		c.stop()
	}
	c.done.Wait()
	return nil
}

// run adjusts GOGC after each collection, and collects when the process is idle, until ctx ends.
func (c *collector) run(ctx context.Context) {
	notify(ctx, c.cycles)
	timer := time.NewTimer(c.idleTime)
	defer timer.Stop()
	idle := false // the last collection was for idleness
	for next := false; ; timer.Reset(c.idleTime) {
		select {
		case <-ctx.Done():
			return
		case <-c.cycles:
			c.adjust(readHeap().live)
			idle, next = next, false
		case <-timer.C:
			if h := readHeap(); !idle || h.objects-h.live > idleGarbage {
				next = true
				runtime.GC()
			}
		}
	}
}

// notify sends to cycles after each collection until ctx ends. An object without references is cleaned up by every
// collection; each cleanup makes the next such object.
func notify(ctx context.Context, cycles chan<- struct{}) {
	sentinel := new([64]byte) // objects below 16 bytes share their memory with others
	runtime.AddCleanup(sentinel, func(struct{}) {
		if ctx.Err() != nil {
			return
		}
		select {
		case cycles <- struct{}{}:
		default:
		}
		notify(ctx, cycles)
	}, struct{}{})
}

// adjust sets GOGC by the bytes that are live.
func (c *collector) adjust(live int64) {
	if percent := c.percentFor(live); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// percentFor returns GOGC for a heap with so many live bytes.
func (c *collector) percentFor(live int64) int {
	if live <= 0 {
		return mostPercent
	}
	percent := int(min(mostPercent, max(leastPercent, c.garbage*100/live)))
	return percent / leastPercent * leastPercent // few different values: each change stops the program for a moment
}

// heap holds sizes of the heap in bytes.
type heap struct {
	live    int64 // objects that the last collection left
	objects int64 // all objects, with garbage
}

// readHeap returns the present sizes.
func readHeap() heap {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return heap{int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())}
}
