package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// The bucket of the tests and the access key for it.
const (
	bucketName   = "acme-usage"
	bucketKey    = "key-of-bucket"
	bucketSecret = "secret-of-bucket"
)

// lostTask is how long the task of a worker that was killed keeps the next one out, with the time for the work.
const lostTask = 4 * time.Minute

// bucket is an S3 server that verifies signatures and conditions, with faults on demand.
type bucket struct {
	*httptest.Server
	objects *s3mem.Backend

	mu sync.Mutex
	// Hash of the body of the first attempt to write an object, by path.
	bodies map[string][32]byte
	fault  func(w http.ResponseWriter, r *http.Request, serve func()) (answered bool) // nil: none
	faults []string
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{objects: s3mem.New(), bodies: map[string][32]byte{}}
	if err := b.objects.CreateBucket(t.Context(), bucketName); err != nil {
		t.Fatal(err)
	}
	s3 := gofakes3.New(b.objects, gofakes3.WithV4Auth(map[string]string{bucketKey: bucketSecret})).Server()
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.serve(s3, w, r) }))
	t.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

// serve answers a request, unless a fault of the test does.
func (b *bucket) serve(s3 http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is dead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	b.mu.Lock()
	if r.Method == http.MethodPut {
		sum := sha256.Sum256(body)
		if first, known := b.bodies[r.URL.Path]; known && first != sum {
			b.faults = append(b.faults, "a repeated attempt had other bytes for "+r.URL.Path)
		}
		b.bodies[r.URL.Path] = sum
	}
	fault := b.fault
	b.mu.Unlock()
	if fault != nil && fault(w, r, func() { s3.ServeHTTP(httptest.NewRecorder(), r) }) {
		return
	}
	s3.ServeHTTP(w, r)
}

// inject sets the fault of all requests from now on; nil ends it.
func (b *bucket) inject(fault func(w http.ResponseWriter, r *http.Request, serve func()) (answered bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = fault
}

// atWrite returns a channel that receives a value when an object is being written: before the server stores it, or
// after that and before it answers. The request gets no answer.
func (b *bucket) atWrite(stored bool) <-chan string {
	reached := make(chan string, 1)
	b.inject(func(_ http.ResponseWriter, r *http.Request, serve func()) bool {
		if r.Method != http.MethodPut {
			return false
		}
		if stored {
			serve()
		}
		b.inject(nil)
		reached <- r.URL.Path
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	return reached
}

// exported holds what a line of an object says.
type exported struct {
	ID        string `json:"id"`
	CreatedAt string `json:"created_at"`
	Quota     int64  `json:"quota_nano_usd"`
}

// logs returns the usage logs in all objects by id, and how often each is there.
func (b *bucket) logs(t *testing.T) (logs map[string]exported, times map[string]int) {
	t.Helper()
	logs, times = map[string]exported{}, map[string]int{}
	list, err := b.objects.ListBucket(t.Context(), bucketName, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range list.Contents {
		object, err := b.objects.GetObject(t.Context(), bucketName, content.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := gzip.NewReader(object.Contents)
		if err != nil {
			t.Fatal(err)
		}
		for scanner := bufio.NewScanner(lines); scanner.Scan(); {
			var line exported
			if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v", content.Key, err)
			}
			if !strings.HasPrefix(content.Key, "tollgate/usage_logs/date="+line.CreatedAt[:len(time.DateOnly)]+"/") {
				t.Errorf("a log of %s is in %s", line.CreatedAt, content.Key)
			}
			logs[line.ID] = line
			times[line.ID]++
		}
	}
	return logs, times
}

// TestUsageExport_HasEachLogOnce exports calls from before the export began, new ones, and those of a relay whose spool
// was cut off meanwhile, while workers are killed in the middle of objects and the bucket is unavailable.
func TestUsageExport_HasEachLogOnce(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	w := testbedWith(t, stack.Options{Relays: 2, Linked: true})
	near := newLoad(w, 4)
	far := &load{callers: []*caller{callerOf(w.Relays[1].URL, acmeToken)}, multipliers: []string{"1"}, concurrency: 2}
	near.run(context.Background(), 300)
	far.run(context.Background(), 20)
	w.awaitLogs(t, 320)
	w.Links[1].Cut()
	far.run(context.Background(), 40) // these logs have ids from before the start, and come after the end

	if err := w.Worker.Terminate(); err != nil {
		t.Error(err)
	}
	for name, value := range map[string]string{
		"URL": b.URL + "/" + bucketName + "/tollgate", "ACCESS_KEY_ID": bucketKey, "SECRET_ACCESS_KEY": bucketSecret,
		"INTERVAL": "10s", "MAX_LOGS": "50",
	} {
		w.Worker.SetEnv("TOLLGATE_EXPORT_"+name, value)
	}
	for _, stored := range []bool{false, true} {
		reached := b.atWrite(stored)
		if err := w.Worker.Start(story.Context(t)); err != nil {
			t.Fatal(err)
		}
		near.run(context.Background(), 100)
		select {
		case path := <-reached:
			t.Logf("the worker is killed while it writes %s; stored: %t", path, stored)
		case <-time.After(lostTask):
			t.Fatal("the worker wrote no object")
		}
		w.Worker.Kill()
	}
	var refused sync.WaitGroup
	refused.Add(3)
	var count atomic.Int64
	b.inject(func(answer http.ResponseWriter, _ *http.Request, _ func()) bool {
		answer.WriteHeader(http.StatusServiceUnavailable)
		if count.Add(1) <= 3 {
			refused.Done()
		}
		return true
	})
	if err := w.Worker.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	near.run(context.Background(), 100)
	refused.Wait()
	b.inject(nil)
	story.Eventually(t, lostTask, "the bucket has logs", func() bool { logs, _ := b.logs(t); return len(logs) >= 300 })
	w.Links[1].Restore()
	far.run(context.Background(), 20)
	w.awaitLogs(t, 600)

	story.Eventually(t, lostTask, "the bucket has all logs",
		func() bool { logs, _ := b.logs(t); return len(logs) >= 600 })
	logs, times := b.logs(t)
	rows := w.rows(t, "acme")
	maps.Copy(rows, w.rows(t, "discounted"))
	if len(logs) != len(rows) {
		t.Errorf("the bucket has %d logs, the database %d", len(logs), len(rows))
	}
	for id, row := range rows {
		if times[id] != 1 || logs[id].Quota != row.quota {
			t.Errorf("log %s: it is in the bucket %d times with the quota %d, want once with %d", id, times[id],
				logs[id].Quota, row.quota)
		}
	}
	for _, fault := range b.faults {
		t.Error(fault)
	}
}

// awaitLogs waits until the database has so many usage logs.
func (w *testbed) awaitLogs(t *testing.T, n int64) {
	t.Helper()
	story.Eventually(t, story.Patience, "all calls are recorded",
		func() bool { return w.query(t, "SELECT count(*) FROM usage_logs") >= n })
}
