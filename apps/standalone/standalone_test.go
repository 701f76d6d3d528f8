package standalone_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/standalone"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
)

// running is a standalone that serves, with the banner that it printed.
type running struct {
	*standalone.Standalone
	banner string
	stop   func()
}

// start starts a standalone on free ports. It runs until stop, or until the end of the test.
func start(t *testing.T, dataDir string, environ ...string) *running {
	t.Helper()
	var out, log bytes.Buffer
	p := &service.Program{Name: config.Standalone, Stdout: &out, Stderr: &log, Environ: append([]string{
		"TOLLGATE_DATA_DIR=" + dataDir, "TOLLGATE_RELAY_ADDR=127.0.0.1:0",
		"TOLLGATE_CONSOLE_ADDR=127.0.0.1:0", "TOLLGATE_OPS_ADDR=127.0.0.1:0",
	}, environ...)}
	rt, err := p.OpenUnmigrated()
	if err != nil {
		t.Fatal(err)
	}
	s, err := standalone.New(t.Context(), standalone.Options{Runtime: rt, Lookup: p.Lookup, Out: p.Stdout})
	if err != nil {
		rt.Close()
		t.Fatal(err)
	}
	started := make(signal)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt.Log, 30*time.Second, append(s.Services(), started)...) }()
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stop: %v\n%s", err, log.String())
		}
		_ = s.Close()
		rt.Close()
	}
	t.Cleanup(stop)
	select {
	case <-started:
	case err := <-done:
		t.Fatalf("start: %v\n%s", err, log.String())
	}
	return &running{Standalone: s, banner: out.String(), stop: stop}
}

// signal is a service that closes the channel when it starts.
type signal chan struct{}

func (s signal) Start(context.Context) error { close(s); return nil }
func (s signal) Stop(context.Context) error  { return nil }

// printed returns the match of the pattern's group in the banner.
func (r *running) printed(t *testing.T, pattern string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(r.banner)
	if match == nil {
		t.Fatalf("no match of %s in:\n%s", pattern, r.banner)
	}
	return match[1]
}

// callAsPrinted runs the printed command in a shell, unchanged.
func (r *running) callAsPrinted(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	text, err := exec.CommandContext(t.Context(), "sh", "-c", r.printed(t, `(?m)^(curl .*)$`)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var completion struct {
		Object  string
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(text, &completion); err != nil || completion.Object != "chat.completion" ||
		len(completion.Choices) != 1 {
		t.Errorf("the printed command returns: %s", text)
	}
}

// signIn signs in with a login of the banner and returns the status.
func (r *running) signIn(t *testing.T, login string) int {
	t.Helper()
	status, _ := r.session(t, login)
	return status
}

// session signs in with a login of the banner ("Login" or "Operator") and returns the status and the session cookie.
func (r *running) session(t *testing.T, login string) (int, *http.Cookie) {
	t.Helper()
	match := regexp.MustCompile(login + `\s+(\S+@\S+)\s+(\S+)`).FindStringSubmatch(r.banner)
	if match == nil {
		t.Fatalf("no %s in:\n%s", login, r.banner)
	}
	body, err := json.Marshal(map[string]string{"email": match[1], "password": match[2]})
	if err != nil {
		t.Fatal(err)
	}
	origin := "http://" + r.ConsoleAddr().String()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+"/api/session",
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Origin", origin)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	for _, cookie := range response.Cookies() {
		return response.StatusCode, cookie
	}
	return response.StatusCode, nil
}

// ask sends a request to the console in a session. headers are pairs of names and values.
func (r *running) ask(t *testing.T, cookie *http.Cookie, method, path, body string,
	headers ...string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+r.ConsoleAddr().String()+path,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	request.AddCookie(cookie)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

func TestPlaygroundAndHealth_WorkInStandalone(t *testing.T) {
	r := start(t, t.TempDir())
	_, owner := r.session(t, "Login")
	status, body := r.ask(t, owner, http.MethodPost, "/api/playground/token", "")
	var minted struct{ Value string }
	if err := json.Unmarshal([]byte(body), &minted); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	status, body = r.ask(t, owner, http.MethodPost, "/api/playground/chat/completions",
		`{"model":"echo-1","stream":true,"messages":[{"role":"user","content":"hello"}]}`,
		"X-Tollgate-Token", minted.Value)
	if status != http.StatusOK || !strings.Contains(body, "data: [DONE]") {
		t.Errorf("the playground: %d %s", status, body)
	}
	status, body = r.ask(t, owner, http.MethodGet, "/api/playground/models", "", "X-Tollgate-Token", minted.Value)
	if status != http.StatusOK || !strings.Contains(body, `"echo-1"`) {
		t.Errorf("the models of the playground: %d %s", status, body)
	}
	_, operator := r.session(t, "Operator")
	var health struct {
		Queues struct {
			Status  string
			Workers []struct{}
		}
		Relays []struct{ State string }
	}
	_, body = r.ask(t, operator, http.MethodGet, "/api/operator/health", "")
	if err := json.Unmarshal([]byte(body), &health); err != nil {
		t.Fatal(err)
	}
	if health.Queues.Status != "ok" || len(health.Queues.Workers) != 1 || len(health.Relays) != 1 ||
		health.Relays[0].State != "serving" {
		t.Errorf("health: %s", body)
	}
}

func (r *running) models(t *testing.T, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.RelayAddr().String()+
		"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestDemo_WorksAsPrintedAtEveryStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var tokens []string
	for range 2 {
		r := start(t, dir)
		r.callAsPrinted(t)
		for _, login := range []string{"Login", "Operator"} {
			if status := r.signIn(t, login); status < 200 || status > 299 {
				t.Errorf("%s: %d", login, status)
			}
		}
		tokens = append(tokens, r.printed(t, `Token\s+(\S+)`))
		if _, body := r.models(t, tokens[0]); strings.Contains(body, "gpt-") {
			t.Errorf("a channel of a real provider without an API key: %s", body)
		}
		r.stop()
	}
	if tokens[0] != tokens[1] {
		t.Errorf("the token changed between two starts: %q", tokens)
	}
	if info, err := os.Stat(filepath.Join(dir, "demo.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the credentials: %v, %v, want mode 0600", info, err)
	}
}

func TestDemo_HasDifferentCredentialsInEachInstallation(t *testing.T) {
	t.Parallel()
	a, b := start(t, t.TempDir()), start(t, t.TempDir())
	for _, pattern := range []string{`Token\s+(\S+)`, `Login\s+\S+\s+(\S+)`, `Operator\s+\S+\s+(\S+)`} {
		if a.printed(t, pattern) == b.printed(t, pattern) {
			t.Errorf("both have the same %s", pattern)
		}
	}
	if status, _ := b.models(t, a.printed(t, `Token\s+(\S+)`)); status != http.StatusUnauthorized {
		t.Errorf("a token of another installation: %d", status)
	}
}

func TestDemo_AddsChannelsForProviderKeys(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir(), "OPENAI_API_KEY=sk-hunter2-0123456789", "ANTHROPIC_API_KEY=sk-ant-hunter2-0123456789",
		"GEMINI_API_KEY=hunter2-0123456789")
	status, body := r.models(t, r.printed(t, `Token\s+(\S+)`))
	for _, model := range []string{"echo-1", "gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash"} {
		if !strings.Contains(body, `"`+model+`"`) {
			t.Errorf("the model %s is missing: %d %s", model, status, body)
		}
	}
	if strings.Contains(r.banner, "hunter2") {
		t.Error("the banner shows an API key")
	}
}

const ownManifest = `
groups: [{name: default, models: ["*"]}]
models: [{id: own-model, owned_by: us, free: true}]
channels: [{name: echo, type: echo, endpoints: [chat], models: {own-model: x}}]
tenants:
  - slug: us
    name: Us
    users:
      - {email: me@us.example, password: "${OUR_PASSWORD}", role: owner, group: default, tokens: [{name: made}]}
`

func TestManifest_ReplacesTheDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "manifest.yaml")
	if err := os.WriteFile(file, []byte(ownManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"TOLLGATE_CONFIG=" + file, "OUR_PASSWORD=hunter2-hunter2"}
	first := start(t, filepath.Join(dir, "data"), environ...)
	token := first.printed(t, `Token\s+(\S+)`)
	if status, body := first.models(t, token); status != 200 || !strings.Contains(body, "own-model") ||
		strings.Contains(body, "echo-1") {
		t.Errorf("%d %s", status, body)
	}
	first.stop()
	second := start(t, filepath.Join(dir, "data"), environ...)
	if strings.Contains(second.banner, token) || strings.Contains(second.banner, "hunter2") {
		t.Errorf("the banner of the second start shows a secret:\n%s", second.banner)
	}
	if status, _ := second.models(t, token); status != 200 {
		t.Errorf("the generated token after a restart: status %d, want 200", status)
	}
}

// Passkeys and links in mails need the console's URL when the console is built.
func TestConsoleURL_IsDerivedIfThePortIsZero(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	_, port, err := net.SplitHostPort(r.ConsoleAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	if url := r.printed(t, `(?m)^  Console +(\S+)$`); url != "http://localhost:"+port {
		t.Errorf("the console's URL is %s, want port %s", url, port)
	}
	_, owner := r.session(t, "Login")
	if status, body := r.ask(t, owner, http.MethodGet, "/api/session/methods", ""); status != http.StatusOK ||
		!strings.Contains(body, `"passkeys":true`) {
		t.Errorf("passkeys are not offered: %d %s", status, body)
	}
}

func TestManifest_WithFaultsStopsTheStart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte("groups:\n  - nme: default\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &service.Program{Name: config.Standalone, Stdout: io.Discard, Stderr: io.Discard, Environ: []string{
		"TOLLGATE_DATA_DIR=" + t.TempDir(), "TOLLGATE_CONFIG=" + file}}
	rt, err := p.OpenUnmigrated()
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	_, err = standalone.New(t.Context(), standalone.Options{Runtime: rt, Lookup: p.Lookup, Out: io.Discard})
	if err == nil || !strings.Contains(err.Error(), file+":2: groups[0].nme: unknown key; did you mean name?") {
		t.Errorf("err = %v", err)
	}
}
