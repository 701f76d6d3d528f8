package service

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/polltest"
)

func TestPercentFor_FollowsTheMemoryInUse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		allowed int64
		used    int64
		want    int
	}{
		{"nothing is known yet", 32 << 20, 0, 400},
		{"little memory in use", 32 << 20, 12 << 20, 400},
		{"more than the lowest bound in use", 32 << 20, 40 << 20, 75},
		{"the allowed garbage", 256 << 20, 128 << 20, 200},
		{"rounded down to a multiple of 25", 32 << 20, 20 << 20, 200},
		{"much memory in use", 256 << 20, 1200 << 20, 25},
	} {
		c := collector{bound: row.allowed, floor: 32 << 20}
		if got := c.percentFor(row.used); got != row.want {
			t.Errorf("%s: got GOGC %d, want %d", row.name, got, row.want)
		}
	}
}

func TestAllow_RaisesTheBoundWhileCollectionsAreExpensive(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, row := range []struct {
		name   string
		memory int64
		shares []float64
		want   int64
	}{
		{"no collection yet", 0, nil, 32 * mib},
		{"expensive ones", 0, []float64{0.3, 0.21}, 128 * mib},
		{"256 MiB at most", 0, []float64{0.9, 0.9, 0.9, 0.9, 0.9}, 256 * mib},
		{"a quarter of the memory at most", 512 * mib, []float64{0.9, 0.9, 0.9, 0.9}, 128 * mib},
		{"a small container", 64 * mib, []float64{0.9, 0.01}, 16 * mib},
		{"neither expensive nor cheap", 0, []float64{0.3, 0.1, 0.06}, 64 * mib},
		{"cheap ones", 0, []float64{0.3, 0.3, 0.04}, 64 * mib},
		{"no less than 32 MiB", 0, []float64{0.3, 0.04, 0, 0}, 32 * mib},
	} {
		c := newCollector(row.memory)
		for _, share := range row.shares {
			c.allow(share)
		}
		if c.bound != row.want {
			t.Errorf("%s: got %d MiB, want %d", row.name, c.bound/mib, row.want/mib)
		}
	}
}

func TestSince_IsAShareOfTheAvailableTime(t *testing.T) {
	t.Parallel()
	now := usage{collecting: 3, available: 30}
	for want, last := range map[float64]usage{0.1: {}, 0.25: {collecting: 2, available: 26}, 0: now} {
		if got := now.since(&last); got != want {
			t.Errorf("since %+v: got %v, want %v", last, got, want)
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
	polltest.Until(t, name, func() bool {
		metrics.Read(sample)
		return fulfilled(sample[0].Value.Uint64())
	})
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
	// Other tests leave objects and stacks behind, which are freed during this one. This is much larger.
	ballast := make([]byte, 64<<20)
	runtime.GC()
	now := readUsage()
	live := now.live + now.stacks
	c.garbage = 3 * live / 2
	c.floor, c.bound = c.garbage, c.garbage
	start(t, c)
	// A collection that follows closely on another may be left out, so there are several.
	collect := func(fulfilled func(percent uint64) bool) {
		t.Helper()
		metric(t, "/gc/gogc:percent", func(percent uint64) bool {
			runtime.GC()
			return fulfilled(percent)
		})
	}
	collect(func(percent uint64) bool { return percent >= 100 && percent < mostPercent })
	held := make([]byte, 8*live)
	collect(func(percent uint64) bool { return percent == leastPercent })
	runtime.KeepAlive(held)
	collect(func(percent uint64) bool { return percent >= 100 })
	runtime.KeepAlive(ballast)
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
