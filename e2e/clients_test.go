package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// testChannel is a channel with one model, for the tests of client libraries.
type testChannel struct {
	Name     string   `json:"name"`
	Model    string   `json:"model"`    // public model id
	Dialects []string `json:"dialects"` // dialects that its upstream speaks
	kind     string   // type of the channel
	base     string   // path after the upstream's address
	upstream string   // upstream model id
	settings string   // content of the manifest's settings, without braces
}

// testChannels returns a channel of each type, and of each set of dialects.
func testChannels() []testChannel {
	all := []testChannel{
		{Name: "openai", kind: "openai", Dialects: []string{"chat", "responses"}, base: "/v1", upstream: "gpt-5-mini"},
		{Name: "openai-chat", kind: "openai", Dialects: []string{"chat"}, base: "/v1", upstream: "gpt-5-mini"},
		{Name: "openai-responses", kind: "openai", Dialects: []string{"responses"}, base: "/v1",
			upstream: "gpt-5-mini"},
		{Name: "azure", kind: "azure", Dialects: []string{"chat", "responses"}, base: "/openai/v1",
			upstream: "gpt-5-mini"},
		{Name: "azure-dated", kind: "azure", Dialects: []string{"chat", "responses"}, upstream: "gpt-5-mini",
			settings: "api_version: 2025-04-01-preview"},
		{Name: "old-server", kind: "openai", Dialects: []string{"chat"}, base: "/v1", upstream: "gpt-5-mini",
			settings: "quirks: [max_tokens, system_role]"},
		{Name: "anthropic", kind: "anthropic", Dialects: []string{"messages"}, upstream: "claude-sonnet-4-5"},
		{Name: "gemini", kind: "gemini", Dialects: []string{"gemini"}, base: "/v1beta", upstream: "gemini-2.5-flash"},
		{Name: "echo", kind: "echo", Dialects: []string{"chat"}, upstream: "echo"},
	}
	for i := range all {
		all[i].Model = "on-" + all[i].Name
	}
	return all
}

// faulty maps models to the scripts with which their upstream fails. Each has a channel that speaks only the
// chat dialect.
var faulty = map[string]string{"refused": "status=500", "cut": "fault=cut", "failing": "fault=error_after"}

// channelManifest returns a manifest with the test channels and the faulty models, for one tenant with one
// token.
func channelManifest() string {
	var models, channels strings.Builder
	for _, v := range testChannels() {
		fmt.Fprintf(&models, "  - {id: %s, owned_by: acme, price: {input: \"0.15\", cached_input: \"0.075\", "+
			"output: \"0.60\"}}\n", v.Model)
		upstream := fmt.Sprintf(`base_url: "${SIMULATOR_URL}%s", api_keys: [upstream-key], `, v.base)
		if v.kind == "echo" {
			upstream = ""
		}
		fmt.Fprintf(&channels, "  - {name: %s, type: %s, %sendpoints: [%s], models: {%s: %s}, unpriced: allow, "+
			"settings: {%s}}\n",
			v.Name, v.kind, upstream, strings.Join(v.Dialects, ", "), v.Model, v.upstream, v.settings)
	}
	for model, script := range faulty {
		fmt.Fprintf(&models, "  - {id: %s, owned_by: acme, price: {input: \"0.15\", output: \"0.60\"}}\n", model)
		fmt.Fprintf(&channels, "  - {name: %s, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: "+
			"[upstream-key], endpoints: [chat], models: {%s: \"m?%s\"}}\n",
			model, model, script)
	}
	return join(
		"groups:",
		`  - {name: default, multiplier: "1.0", models: ["*"]}`,
		"models:", models.String(),
		"channels:", channels.String(),
		"tenants:", tenant("acme", "10000", "default", fmt.Sprintf(`[{name: main, value: %s}]`, acmeToken)),
	)
}

// TestClients runs popular client libraries unchanged on every type of channel. The upstreams are a simulator
// by others (a test dependency), not ours. Afterwards it checks the recorded answers against OpenAI's own
// types, and the usage logs against the recorded requests.
func TestClients(t *testing.T) {
	t.Parallel()
	needNode(t)
	npmInstall(t, "node")
	simulator := startSimulator(t)
	upstream := record(t, simulator)
	w := testbedWith(t,
		stack.Options{Manifest: channelManifest(), Env: map[string]string{"SIMULATOR_URL": upstream.server.URL}})
	relay := record(t, w.Relay.URL)

	list, err := json.Marshal(testChannels())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"TOLLGATE_URL=" + relay.server.URL, "ACME_TOKEN=" + acmeToken, "CHANNELS=" + string(list)}
	for _, client := range []string{"openai", "anthropic", "vercel", "langchain", "agents", "faults"} {
		t.Run(client, func(t *testing.T) { node(t, env, "--test", filepath.Join("clients", client+".test.mjs")) })
	}
	t.Run("codex", func(t *testing.T) { testCodex(t, relay.server.URL) })
	t.Run("claude", func(t *testing.T) { testClaudeCode(t, relay.server.URL) })
	t.Run("anthropic-go", func(t *testing.T) { testAnthropicGo(t, relay.server.URL) })
	t.Run("openai-go", func(t *testing.T) { testOpenAIGo(t, relay.server.URL) })
	t.Run("go-openai", func(t *testing.T) { testGoOpenAI(t, relay.server.URL) })
	t.Run("pictures", func(t *testing.T) { comparePictures(t, relay, upstream) })
	t.Run("wire", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "exchanges.jsonl")
		relay.write(t, path)
		node(t, append(env, "EXCHANGES="+path), "--test", "wire.test.mjs")
	})
	t.Run("usage logs", func(t *testing.T) { w.auditExchanges(t, relay.exchanges()) })
}

// comparePictures checks that each picture that a client sent reached an upstream with unchanged bytes.
func comparePictures(t *testing.T, relay, upstream *recorder) {
	const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	count := func(r *recorder) (n int) {
		for _, e := range r.exchanges() {
			if e.Status == http.StatusOK && bytes.Contains(e.Request, []byte(picture)) {
				n++
			}
		}
		return n
	}
	if sent, arrived := count(relay), count(upstream); sent == 0 || sent != arrived {
		t.Errorf("clients sent %d requests with a picture, %d reached an upstream", sent, arrived)
	}
}

// startSimulator starts the simulated upstreams and returns their base URL. They end with the test.
func startSimulator(t *testing.T) string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("node", "upstreams.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	p := stack.NewProcess("simulator", t.TempDir(), "node", script)
	if err := p.Launch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := p.Await(ctx, func(context.Context) error {
		if !strings.Contains(p.Log(), "\n") {
			return fmt.Errorf("the simulator has not printed its address")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(p.Log())
}

// needNode skips the test if Node.js is not installed.
func needNode(t *testing.T) {
	t.Helper()
	story.NeedsPrograms(t)
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			story.Missing(t, fmt.Errorf("%s: %w", program, stack.ErrMissing))
		}
	}
}

// npmInstalls keeps parallel tests from installing in the same folder at the same time.
var npmInstalls sync.Mutex

// npmInstall installs the packages of the lock file in dir, unless that version of the lock file is installed.
func npmInstall(t *testing.T, dir string) {
	t.Helper()
	npmInstalls.Lock()
	defer npmInstalls.Unlock()
	locked, err := os.Stat(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if there, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil && there.ModTime().
		After(locked.ModTime()) {
		return
	}
	run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund")
}

// node runs Node.js in the folder e2e/node.
func node(t *testing.T, env []string, args ...string) {
	t.Helper()
	run(t, "node", env, "node", args...)
}

// run runs a program for at most 5 minutes and returns its output. It fails the test if the program fails.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	t.Logf("%s", out)
	return string(out)
}

// logged holds the fields of a usage log that auditExchanges checks.
type logged struct {
	model, channel, outcome string
	input, output, quota    int64
}

// auditExchanges checks that each success that a client saw has one usage log, with the model's channel, tokens
// and quota, and that no other successes are logged.
func (w *testbed) auditExchanges(t *testing.T, all []exchange) {
	t.Helper()
	seen, cut := map[string]exchange{}, map[string]bool{}
	for _, e := range all {
		if e.Cut { // the client has disconnected
			cut[e.ID] = true
			continue
		}
		// Lists of models and counting are free.
		if e.Status == http.StatusOK && e.Model != "" && faulty[e.Model] == "" &&
			!strings.HasSuffix(e.Path, "/count_tokens") {
			seen[e.ID] = e
		}
	}
	story.Eventually(t, story.Patience, "all successes in the usage logs", func() bool {
		return w.query(t, `SELECT count(*) FROM usage_logs WHERE outcome = 'success'`) >= int64(len(seen))
	})
	rows := w.logged(t)
	for id, e := range seen {
		row, channel := rows[id], strings.TrimPrefix(e.Model, "on-")
		if row.model != e.Model || row.channel != channel || row.outcome != "success" || row.input <= 0 ||
			row.output <= 0 || row.quota <= 0 {
			t.Errorf("%s of %s on %s: got the usage log %+v", e.Path, e.Client, e.Model, row)
		}
	}
	for id, row := range rows {
		if _, ok := seen[id]; !ok && !cut[id] && (row.outcome != "partial" || faulty[row.model] == "" ||
			row.quota <= 0) {
			t.Errorf("no client saw the request of the usage log %+v", row)
		}
	}
}

// logged returns all usage logs except those of failed requests, by request id.
func (w *testbed) logged(t *testing.T) map[string]logged {
	t.Helper()
	conn, err := pgx.Connect(story.Context(t), w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(story.Context(t)) //nolint:errcheck // a failure affects no other connection
	found, err := conn.Query(story.Context(t),
		`SELECT l.id::text, l.model, c.name, l.outcome, l.input_tokens, l.output_tokens, l.quota
		FROM usage_logs l JOIN channels c ON c.id = l.channel_id WHERE l.outcome <> 'failed'`)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]logged{}
	var id string
	var l logged
	if _, err := pgx.ForEachRow(found, []any{&id, &l.model, &l.channel, &l.outcome, &l.input, &l.output,
		&l.quota}, func() error {
		all[id] = l
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
