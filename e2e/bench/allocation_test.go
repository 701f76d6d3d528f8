//go:build !race

// The race detector allocates more.

package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

// boundsFile has the bounds of TestCall_AllocatesWithinItsBounds.
const boundsFile = "testdata/allocations.txt"

var update = flag.Bool("update", false, "write the figures of this run, with a margin, to "+boundsFile)

// allocated counts the allocations of one call, and their bytes.
type allocated struct{ objects, bytes int }

// TestCall_AllocatesWithinItsBounds makes whole calls through a relay in this process: over TCP from a client that
// allocates nothing to an upstream that allocates nothing. Work in the background, such as shipping, falls into some of
// the windows, so the smallest figure of many short windows is that of the calls.
func TestCall_AllocatesWithinItsBounds(t *testing.T) {
	_, upstream := startFast(t)
	addr := startRelay(t, upstream)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties pools, which then allocate again
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 30))
	steps := []struct {
		name string
		load load
	}{
		{"chat-1kb", chat(fakeupstream.FastJSON, 1<<10, 10, 1)},
		{"chat-200kb", chat(fakeupstream.FastJSON, 200<<10, 10, 1)},
		{"stream", load{request: requestFor(fakeupstream.FastStream, 1<<10, true), want: fakeupstream.FastFrames(),
			requests: 4}},
		{"responses-1kb", responseLoad(10, 1)},
		{"messages-1kb", messageLoad(10, 1)},
	}
	bounds := readBounds(t)
	var text strings.Builder
	for _, s := range steps {
		got := measureAllocations(t, addr, s.load)
		bound := bounds[s.name]
		t.Logf("%s: %d allocations of %d bytes in all; bounds %d and %d", s.name, got.objects, got.bytes,
			bound.objects, bound.bytes)
		fmt.Fprintln(&text, s.name, got.objects+2+got.objects/50, got.bytes+got.bytes/25)
		if *update {
			continue
		}
		if got.objects > bound.objects {
			t.Errorf("%s: got %d allocations per call, want at most %d (%s)", s.name, got.objects,
				bound.objects, boundsFile)
		}
		if got.bytes > bound.bytes {
			t.Errorf("%s: got %d allocated bytes per call, want at most %d (%s)", s.name, got.bytes,
				bound.bytes, boundsFile)
		}
	}
	if *update {
		if err := os.WriteFile(boundsFile, []byte("# step, allocations per call, bytes per call: upper bounds; go "+
			"test ./e2e/bench -run Allocates -update\n"+text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readBounds reads the bounds of the steps.
func readBounds(t *testing.T) map[string]allocated {
	t.Helper()
	file, err := os.Open(boundsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	bounds := map[string]allocated{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var name string
		var bound allocated
		if _, err := fmt.Sscan(lines.Text(), &name, &bound.objects, &bound.bytes); err == nil {
			bounds[name] = bound
		}
	}
	return bounds
}

// measureAllocations returns what one request of the load allocates in this process: the smallest mean of a window,
// each of l.requests requests.
func measureAllocations(t *testing.T, addr string, l load) (least allocated) {
	t.Helper()
	c, err := dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.part = l.part
	const windows = 100
	var before, after runtime.MemStats
	for i := range windows {
		runtime.ReadMemStats(&before)
		for range l.requests {
			if err := c.do(l.request, l.want); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		objects, bytes := int(after.Mallocs-before.Mallocs)/l.requests,
			int(after.TotalAlloc-before.TotalAlloc)/l.requests
		if i == 0 {
			least = allocated{objects, bytes}
		}
		least = allocated{min(least.objects, objects), min(least.bytes, bytes)}
	}
	return least
}

// startRelay starts a relay in this process, on SQLite, in front of the upstream. It returns the relay's address.
func startRelay(t *testing.T, upstream string) string {
	t.Helper()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	c, err := config.Load(config.Relay, []string{
		"TOLLGATE_DATABASE_URL=postgres://unused", "TOLLGATE_REDIS_URL=redis://unused",
		"TOLLGATE_DATA_DIR=" + t.TempDir(),
		"TOLLGATE_SECRET_KEY=" + base64.StdEncoding.EncodeToString([]byte("the key of the tests, 32 bytes !")),
		"TOLLGATE_RELAY_ADDR=127.0.0.1:0",
	})
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"UPSTREAM_URL": "http://" + upstream + "/v1",
		"SECURE_URL": "https://" + upstream + "/v1"}
	_, err = manifest.ApplyText(t.Context(), "test", []byte(manifestText), manifest.Target{
		Store: s, Sealer: seal.New(c.SecretKey),
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	redis := queue.Embed(server.Addr, server.Password, server.Close, log)
	wake := queue.NewClient(redis)
	r, err := relay.New(relay.Options{
		Config: c, Store: s, Queue: wake, Redis: redis, Log: log, RequestLog: service.NewLogs(io.Discard, c).RequestLog,
		Registry: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			t.Error(err)
		}
		_ = wake.Close()
		_ = redis.Close()
	})
	return r.Addr().String()
}
