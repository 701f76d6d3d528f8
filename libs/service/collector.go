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
	// mostGarbage and garbageShare bound the garbage that the heap collects above leastPercent: 256 MiB, and a quarter
	// of the memory that the process may use. The garbage is bounded by leastGarbage while collections are cheap. What
	// a process uses less than leastGarbage it may have as garbage as well.
	mostGarbage  = 256 << 20
	leastGarbage = 32 << 20
	garbageShare = 4

	// Collections that use more than dearShare of the CPU time that the process could use are too frequent. Below
	// cheapShare they can be twice as frequent.
	dearShare  = 0.20
	cheapShare = 0.05

	// idleTime is the time without a collection after which the process counts as idle. idleGarbage is the size of the
	// new objects that are worth another collection while it is idle.
	idleTime    = 5 * time.Second
	idleGarbage = 32 << 20
)

// collector sets the pace of Go's garbage collector. Nearly all memory of a relay belongs to requests and is soon
// garbage, so a high GOGC saves CPU time as long as the heap is small. The same GOGC with thousands of open streams
// would be gigabytes of garbage. Therefore the collector computes GOGC again after each collection, so that the garbage
// stays within a bound. The bound is low, and rises only while collections take much of the CPU time: a process with
// many open streams and few new calls needs little more memory than its streams.
//
// A process that becomes idle does not reach the heap size at which Go collects, and would keep the memory of its last
// burst for minutes. The collector runs a collection then; Go's scavenger returns the free memory to the operating
// system within seconds. debug.FreeOSMemory would also return memory that the next calls need, and at once.
type collector struct {
	garbage   int64         // highest bound of the garbage in bytes
	floor     int64         // lowest bound
	bound     int64         // present bound
	percent   int           // the present GOGC
	lastUsage usage         // at the last collection
	cycles    chan struct{} // has a value after a collection

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
	c.floor = min(leastGarbage, c.garbage)
	c.bound = c.floor
	return c
}

// Start implements Service.
func (c *collector) Start(ctx context.Context) error {
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	debug.SetGCPercent(c.percent)
	notify(ctx, c.cycles)
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
	timer := time.NewTimer(c.idleTime)
	defer timer.Stop()
	idle := false // the last collection was for idleness
	for next := false; ; timer.Reset(c.idleTime) {
		select {
		case <-ctx.Done():
			return
		case <-c.cycles:
			now := readUsage()
			c.allow(now.since(&c.lastUsage))
			c.lastUsage = now
			c.adjust(now.live + now.stacks)
			idle, next = next, false
		case <-timer.C:
			now := readUsage()
			c.allow(0)
			c.adjust(now.live + now.stacks)
			if !idle || now.objects-now.live > idleGarbage {
				next = true
				runtime.GC()
			}
		}
	}
}

// notify sends to cycles after each collection until ctx ends. An object without references is cleaned up by every
// collection; each cleanup makes the next such object. A collection that starts before that is left out.
func notify(ctx context.Context, cycles chan<- struct{}) {
	sentinel := new([64]byte) // objects below 16 bytes share their memory with others
	runtime.AddCleanup(sentinel, func(struct{}) {
		if ctx.Err() != nil {
			return
		}
		notify(ctx, cycles) // before the send, whose receiver may start the next collection
		select {
		case cycles <- struct{}{}:
		default:
		}
	}, struct{}{})
}

// allow sets the bound of the garbage by the share of the CPU time that collections have used.
func (c *collector) allow(share float64) {
	switch {
	case share > dearShare:
		c.bound = min(2*c.bound, c.garbage)
	case share < cheapShare:
		c.bound = max(c.bound/2, c.floor)
	}
}

// adjust sets GOGC by the bytes that are in use.
func (c *collector) adjust(used int64) {
	if percent := c.percentFor(used); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// percentFor returns GOGC for so many bytes of live objects and stacks, of which it is a percentage.
func (c *collector) percentFor(used int64) int {
	if used <= 0 {
		return mostPercent
	}
	garbage := c.bound + max(0, c.floor-used)
	percent := int(min(mostPercent, max(leastPercent, garbage*100/used)))
	return percent / leastPercent * leastPercent // few different values: each change stops the program for a moment
}

// usage holds the memory and the CPU time that the process has used.
type usage struct {
	live    int64 // bytes of the objects that the last collection left
	objects int64 // bytes of all objects, with garbage
	stacks  int64 // bytes of the stacks of all goroutines

	collecting float64 // seconds of CPU time of all collections, without those of idle processors
	available  float64 // seconds of CPU time that the process could have used
}

// readUsage returns what is in use. The times are those of the last collection.
func readUsage() usage {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
	}
	metrics.Read(samples)
	bytes := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	seconds := func(i int) float64 { return samples[i].Value.Float64() }
	return usage{bytes(0), bytes(1), bytes(2), seconds(3) - seconds(4), seconds(5)}
}

// since returns the share of the CPU time that collections have used since the last ones.
func (u *usage) since(before *usage) float64 {
	if u.available <= before.available {
		return 0
	}
	return (u.collecting - before.collecting) / (u.available - before.available)
}
