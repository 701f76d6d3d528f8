package service

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercentFor_FollowsTheHeapAndTheMemory(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		memory int64
		live   int64
		want   int
	}{
		{"nothing is known yet", 0, 0, 400},
		{"a small heap", 0, 20 << 20, 400},
		{"256 MiB of garbage at most", 0, 128 << 20, 200},
		{"a large heap", 64 << 30, 1200 << 20, 25},
		{"a small container", 128 << 20, 20 << 20, 150},
		{"a container of 1 GiB", 1 << 30, 200 << 20, 125},
	} {
		if got := newCollector(row.memory).percentFor(row.live); got != row.want {
			t.Errorf("%s: got GOGC %d, want %d", row.name, got, row.want)
		}
	}
}

func TestSoftLimit_IsAShareOfTheMemory(t *testing.T) {
	t.Parallel()
	const limit, machine = "/sys/fs/cgroup/memory.max", "/proc/meminfo"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"a container", map[string]string{limit: "1000000", machine: "MemTotal: 8000000 kB\n"}, 900_000},
		{"a machine", map[string]string{limit: "max", machine: "MemTotal: 1000 kB\n"}, 1_024_000 / 100 * 75},
		{"neither is known", nil, 0},
	} {
		if got := softLimit(readerOf(row.files)); got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
}

func TestTuneMemory_LeavesTheChoiceToTheOperator(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	if c := tuneMemory([]string{"GOGC=150", "GOMEMLIMIT=1GiB"}); c != nil || debug.SetMemoryLimit(-1) != before {
		t.Errorf("got collector %v and memory limit %d, want none and %d", c, debug.SetMemoryLimit(-1), before)
	}
	if tuneMemory(nil) == nil {
		t.Error("without GOGC: got no collector")
	}
}

// metric waits until a metric of the runtime fulfills the condition.
func metric(t *testing.T, name string, fulfilled func(value uint64) bool) {
	t.Helper()
	sample := []metrics.Sample{{Name: name}}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); ; <-tick.C {
		metrics.Read(sample)
		if fulfilled(sample[0].Value.Uint64()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is %d", name, sample[0].Value.Uint64())
		}
	}
}

// start starts a collector that ends with the test.
func start(t *testing.T, c *collector) {
	t.Helper()
	before := debug.SetGCPercent(100)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Stop(context.Background()) // always nil
		debug.SetGCPercent(before)
	})
}

func TestCollector_LowersGOGCWhenTheHeapGrows(t *testing.T) {
	c := newCollector(0)
	runtime.GC()
	live := readHeap().live
	c.garbage = 2 * live
	start(t, c)
	runtime.GC()
	metric(t, "/gc/gogc:percent", func(percent uint64) bool { return percent >= 100 })
	held := make([]byte, 8*live)
	runtime.GC()
	metric(t, "/gc/gogc:percent", func(percent uint64) bool { return percent == leastPercent })
	runtime.KeepAlive(held)
	runtime.GC()
	metric(t, "/gc/gogc:percent", func(percent uint64) bool { return percent >= 100 })
}

func TestCollector_CollectsWhenTheProcessIsIdle(t *testing.T) {
	var forced uint64
	metric(t, "/gc/cycles/forced:gc-cycles", func(cycles uint64) bool {
		forced = cycles
		return true
	})
	c := newCollector(0)
	c.idleTime = time.Millisecond
	start(t, c)
	metric(t, "/gc/cycles/forced:gc-cycles", func(cycles uint64) bool { return cycles > forced })
}
