package telemetry

import (
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/tollgate/tollgate/apps/standalone"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
)

var promQL = parser.NewParser(parser.Options{})

// metric holds the type and the labels of a metric that the programs expose.
type metric struct {
	kind   string   // counter, gauge, histogram or summary; "" if it has no series yet
	labels []string // sorted
}

// manifest is applied at the start, so that requests can be made.
const manifest = `
groups: [{name: default, models: ["*"]}]
models: [{id: echo, owned_by: acme, price: {input: "1", output: "1"}}]
channels: [{name: echo, type: echo, endpoints: [chat], models: {echo: echo}}]
tenants:
  - {slug: acme, name: Acme, quota: "1", users: [{email: a@acme.example, password: a-long-password, role: owner, group: default,
     tokens: [{name: ci, value: a-token-for-the-tests}]}]}
`

var (
	once  sync.Once
	found map[string]metric
)

// exposed returns the metrics of relay, console and worker by their names. The type is known of those that
// have series after a few requests. The programs are started once for all tests.
func exposed(t *testing.T) map[string]metric {
	t.Helper()
	once.Do(func() { found = gather(t) })
	if found == nil {
		t.Skip("the programs did not start in an earlier test")
	}
	return maps.Clone(found)
}

// gather starts all programs in one process, makes requests and reads their metrics.
func gather(t *testing.T) map[string]metric {
	t.Helper()
	program, rt := open(t)
	all, err := standalone.New(t.Context(), standalone.Options{Runtime: rt, Lookup: program.Lookup, Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	start(t, all)
	call(t, "http://"+all.RelayAddr().String())
	get(t, "http://"+all.ConsoleAddr().String()+"/api/openapi.yaml")
	awaitSeries(t, rt.Registry, "tollgate_requests_total", "tollgate_console_request_seconds")
	return declared(t, rt.Registry)
}

// awaitSeries waits until the metrics have series. A program records a request after the client has the answer.
func awaitSeries(t *testing.T, registry *prometheus.Registry, names ...string) {
	t.Helper()
	patience, poll := time.After(30*time.Second), time.NewTicker(20*time.Millisecond)
	defer poll.Stop()
	for {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		missing := slices.Clone(names)
		for _, family := range families {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == family.GetName() })
		}
		if len(missing) == 0 {
			return
		}
		select {
		case <-poll.C:
		case <-patience:
			t.Fatalf("the metrics %v have no series", missing)
		}
	}
}

// open opens the resources of the standalone program, with a manifest to apply.
func open(t *testing.T) (*service.Program, *service.Runtime) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "manifest.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	program := &service.Program{Name: config.Standalone, Stdout: io.Discard, Stderr: t.Output(), Environ: []string{
		"TOLLGATE_DATA_DIR=" + dir, "TOLLGATE_CONFIG=" + file, "TOLLGATE_LOG_LEVEL=warn",
		"TOLLGATE_RELAY_ADDR=127.0.0.1:0", "TOLLGATE_CONSOLE_ADDR=127.0.0.1:0", "TOLLGATE_OPS_ADDR=127.0.0.1:0",
		"TOLLGATE_EXPORT_URL=http://127.0.0.1:1/bucket", "TOLLGATE_EXPORT_ACCESS_KEY_ID=key",
		"TOLLGATE_EXPORT_SECRET_ACCESS_KEY=secret",
	}}
	rt, err := program.OpenUnmigrated()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.Close)
	return program, rt
}

// start starts all services and stops them at the end of the test.
func start(t *testing.T, all *standalone.Standalone) {
	t.Helper()
	for _, service := range all.Services() {
		if err := service.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		for _, service := range slices.Backward(all.Services()) {
			if err := service.Stop(ctx); err != nil {
				t.Error(err)
			}
		}
		_ = all.Close()
	})
}

// call makes two requests that succeed, one of them a stream, and one that fails.
func call(t *testing.T, url string) {
	t.Helper()
	for _, body := range []string{
		`{"model":"echo","messages":[{"role":"user","content":"hello"}]}`,
		`{"model":"echo","messages":[{"role":"user","content":"hello"}],"stream":true}`,
		`{"model":"no-such-model","messages":[]}`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer a-token-for-the-tests")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if want := map[bool]int{true: 404, false: 200}[strings.Contains(body, "no-such")]; resp.StatusCode != want {
			t.Fatalf("%s: got the status %s, want %d", body, resp.Status, want)
		}
	}
}

// get reads a page of the console.
func get(t *testing.T, url string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

var (
	descName   = regexp.MustCompile(`fqName: "([^"]+)"`)
	descConst  = regexp.MustCompile(`constLabels: \{([^}]*)\}`)
	descLabels = regexp.MustCompile(`variableLabels: \{([^}]*)\}`)
	constLabel = regexp.MustCompile(`(\w+)="`)
)

// declared returns the metrics that the registry's collectors describe, with or without series.
func declared(t *testing.T, registry *prometheus.Registry) map[string]metric {
	t.Helper()
	descs := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descs)
		close(descs)
	}()
	metrics := map[string]metric{}
	for desc := range descs {
		name := descName.FindStringSubmatch(desc.String())[1]
		var names []string
		if list := descLabels.FindStringSubmatch(desc.String()); len(list) == 2 && list[1] != "" {
			names = strings.Split(list[1], ",")
		}
		for _, label := range constLabel.FindAllStringSubmatch(descConst.FindStringSubmatch(desc.String())[1], -1) {
			names = append(names, label[1])
		}
		slices.Sort(names)
		metrics[name] = metric{labels: names}
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		m := metrics[family.GetName()]
		m.kind = strings.ToLower(family.GetType().String())
		metrics[family.GetName()] = m
	}
	return metrics
}
