package bucket_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/apps/worker/internal/bucket"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var scope = tenant.SystemScope("test")

// server is a bucket. It does not verify signatures; a test of the whole system does.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	objects map[string][]byte // by path
	puts    []string          // paths, in order
	answer  func(w http.ResponseWriter, r *http.Request) bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{objects: map[string][]byte{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// refuse answers with a fault of S3.
func refuse(w http.ResponseWriter, status int, code string) bool {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>m</Message></Error>", code)
	return true
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer != nil && s.answer(w, r) {
		return
	}
	if r.Method == http.MethodGet {
		refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	s.put(w, r)
}

// put stores an object as S3 does.
func (s *server) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.puts = append(s.puts, r.URL.Path)
	if s.objects[r.URL.Path] != nil && r.Header.Get("If-None-Match") == "*" {
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	s.objects[r.URL.Path] = body
}

// script sets the function that may answer in place of the server.
func (s *server) script(answer func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// rows returns the lines of all objects by the id of their log, and the objects' paths.
func (s *server) rows(t *testing.T) (rows map[string]map[string]any, paths []string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	rows = map[string]map[string]any{}
	for path, data := range s.objects {
		lines, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for scanner := bufio.NewScanner(lines); scanner.Scan(); {
			var row map[string]any
			if err := json.Unmarshal(scanner.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v", scanner.Text(), err)
			}
			id, _ := row["id"].(string)
			if rows[id] != nil {
				t.Errorf("the log %s is in the objects twice", id)
			}
			rows[id] = row
			created, _ := row["created_at"].(string)
			if !strings.Contains(path, "/date="+created[:10]+"/") {
				t.Errorf("a log of %s is in %s", created, path)
			}
		}
	}
	return rows, slices.Sorted(maps.Keys(s.objects))
}

// stage is a store with logs and an exporter of them.
type stage struct {
	*testing.T
	store    *store.Store
	server   *server
	registry *prometheus.Registry
	exporter *bucket.Exporter
	ids      []string
}

func newStage(t *testing.T, s *store.Store) *stage {
	t.Helper()
	st := &stage{T: t, store: s, server: newServer(t)}
	st.restart()
	return st
}

// restart replaces the exporter, as after a restart of the worker.
func (s *stage) restart() {
	s.Helper()
	var err error
	s.registry = prometheus.NewRegistry()
	s.exporter, err = bucket.New(bucket.Options{
		Begin: s.store.Export.Begin, Plans: s.store.Export, Logs: s.store.Metering, Scope: scope, MaxLogs: 5,
		Log: slog.New(slog.DiscardHandler), Registry: s.registry,
		Target: bucket.Target{URL: s.server.URL + "/logs/a prefix=1/", Region: "eu-x", AccessKey: "key",
			SecretKey: "secret"},
	})
	if err != nil {
		s.Fatal(err)
	}
}

// record records n calls of today and n of another day.
func (s *stage) record(n int) {
	s.Helper()
	var events []usage.Event
	for i := range 2 * n {
		events = append(events, usage.Event{Log: usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().AddDate(0, 0, -i%2), TenantID: uuid.Must(uuid.NewV7()),
			Model: "m", Dialect: "chat",
			Outcome: usage.Success, Status: 200, Quota: money.Amount(i), Cost: money.Amount(i),
		}})
		s.ids = append(s.ids, events[i].ID.String())
	}
	if _, err := s.store.Metering.RecordEvents(s.Context(), scope, uuid.Must(uuid.NewV7()), events); err != nil {
		s.Fatal(err)
	}
}

// run runs the exporter, which must succeed.
func (s *stage) run() {
	s.Helper()
	if err := s.exporter.Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// check checks that the bucket has each log once.
func (s *stage) check() (paths []string) {
	s.Helper()
	rows, paths := s.server.rows(s.T)
	if diff := cmp.Diff(slices.Sorted(slices.Values(s.ids)), slices.Sorted(maps.Keys(rows))); diff != "" {
		s.Errorf("logs in the bucket (-want +got):\n%s", diff)
	}
	return paths
}

func TestExporter_WritesEachLogOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, of *store.Store) {
		s := newStage(t, of)
		s.record(8)
		s.run() // the logs from before the start
		s.check()
		s.record(3)
		s.run()
		paths := s.check()
		s.run()
		if got := s.check(); !slices.Equal(got, paths) {
			t.Errorf("a run without new logs wrote %v", got)
		}
		for _, path := range paths {
			if !strings.HasPrefix(path, "/logs/a prefix=1/usage_logs/date=") || !strings.HasSuffix(path, ".ndjson.gz") {
				t.Errorf("got an object at %s", path)
			}
		}
	})
}

// An answer that is lost, a bucket that is unavailable, and a server without conditions cause no log to be lost or
// written twice, and no object to change.
func TestExporter_RepeatsWhatFailed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		answer func(s *server, w http.ResponseWriter, r *http.Request) bool
	}{
		{"the server is unavailable", func(_ *server, w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusServiceUnavailable, "SlowDown")
		}},
		{"writes fail", func(_ *server, w http.ResponseWriter, r *http.Request) bool {
			return r.Method == http.MethodPut && refuse(w, http.StatusInternalServerError, "InternalError")
		}},
		{"the object is written and the answer is lost", func(s *server, _ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				s.put(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
			return false
		}},
		{"the connection ends within the object", func(_ *server, _ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				_, _ = r.Body.Read(make([]byte, 10))
				panic(http.ErrAbortHandler)
			}
			return false
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, of *store.Store) {
				s := newStage(t, of)
				s.run()
				s.record(5)
				s.server.script(func(w http.ResponseWriter, r *http.Request) bool { return row.answer(s.server, w, r) })
				for range 2 {
					if err := s.exporter.Run(t.Context()); err == nil {
						t.Error("the run did not fail")
					}
					s.restart()
				}
				before := maps.Clone(s.server.objects)
				s.server.script(nil)
				s.record(2)
				s.run()
				paths := s.check()
				for path, data := range before {
					if !bytes.Equal(s.server.objects[path], data) {
						t.Errorf("the object %s changed", path)
					}
				}
				names := map[string]bool{}
				for _, path := range s.server.puts {
					names[path] = true
				}
				if len(names) != len(paths) {
					t.Errorf("objects were written under %d names, and %d are there", len(names), len(paths))
				}
			})
		})
	}
}

func TestExporter_WritesToAServerWithoutConditions(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	s.server.script(func(w http.ResponseWriter, r *http.Request) bool {
		return r.Header.Get("If-None-Match") != "" && refuse(w, http.StatusNotImplemented, "NotImplemented")
	})
	s.record(10)
	s.run()
	s.check()
}

func TestExporter_SaysWhichSettingIsWrong(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	s.record(1)
	for code, part := range map[string]string{
		"InvalidAccessKeyId":    "TOLLGATE_EXPORT_ACCESS_KEY_ID",
		"SignatureDoesNotMatch": "TOLLGATE_EXPORT_SECRET_ACCESS_KEY", "NoSuchBucket": "TOLLGATE_EXPORT_URL",
		"AuthorizationHeaderMalformed": "TOLLGATE_EXPORT_REGION", "AccessDenied": "s3:PutObject",
		"Other": "status 403 Other",
	} {
		s.server.script(func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusForbidden, code)
		})
		err := s.exporter.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", code, err, part)
		}
	}
	if got := testutil.ToFloat64(s.exporter.Failed()); got != 6 {
		t.Errorf("got %v failures, want 6", got)
	}
}

func TestExporter_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	s := newStage(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	other := newServer(t)
	s.server.script(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		return true
	})
	if err := s.exporter.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "status 307") {
		t.Errorf("got %v", err)
	}
}
