package upstream_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
)

const modelsPath = "/api/operator/channels/models"

// fake is an upstream that records the credentials and paths that it receives.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	received []string
}

// newFake starts an upstream with a fixed answer.
func newFake(t *testing.T, status int, answer string) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.received = append(f.received, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		f.mu.Unlock()
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(f.Close)
	return f
}

// requests returns what was received since the last call.
func (f *fake) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.received
	f.received = nil
	return all
}

// got checks what the upstream received since the last call.
func (f *fake) got(t *testing.T, want ...string) {
	t.Helper()
	if all := f.requests(); !slices.Equal(all, want) {
		t.Errorf("the upstream received %q, want %q", all, want)
	}
}

// stored creates a channel with the stack's credential at the URL.
func stored(s *consoletest.Stack, base string) catalog.Channel {
	s.Helper()
	key, err := seal.New(s.Secret).SealCredential(consoletest.Credential)
	s.Must(err)
	created, err := s.Store.Catalog.CreateChannel(s.Context(), consoletest.System, catalog.Channel{
		Name: "stored", Type: "openai", BaseURL: base, Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"gpt-4o-mini": "up"}, Weight: 1, Status: tenant.Enabled,
		Credentials: []catalog.SealedSecret{key},
	})
	s.Must(err)
	return created
}

const list = `{"data":[{"id":"b"},{"id":"a"}]}`

func TestListUpstreamModels_ListsThoseOfANewChannel(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, upstream := s.As(s.Operator), newFake(t, http.StatusOK, list)
	body := map[string]any{"type": "openai", "base_url": upstream.URL + "/v1",
		"api_keys": []string{"sk-new-0000000000"}}
	answer := operator.Post(modelsPath, body).Want(t, http.StatusOK)
	consoletest.Equal(t, answer, "a", "items", 0, "id")
	consoletest.Equal(t, answer, "b", "items", 1, "id")
	consoletest.Equal(t, answer, false, "truncated")
	upstream.got(t, "GET /v1/models Bearer sk-new-0000000000")

	delete(body, "api_keys")
	operator.Post(modelsPath, body).Want(t, http.StatusOK)
	upstream.got(t, "GET /v1/models ")
	if r := operator.Get("/api/operator/channels"); strings.Contains(r.Raw, upstream.URL) {
		t.Errorf("the channel was stored: %s", r.Raw)
	}

	operator.Post(modelsPath, map[string]any{}).Refused(t, http.StatusBadRequest, "type")
	operator.Post(modelsPath, map[string]any{"type": "smoke", "base_url": upstream.URL}).
		Refused(t, http.StatusBadRequest, "type")
	operator.Post(modelsPath, map[string]any{"type": "echo"}).Refused(t, http.StatusBadRequest, "type")
	operator.Post(modelsPath, map[string]any{"type": "openai"}).Refused(t, http.StatusBadRequest, "base_url")
	operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": "file:///etc/passwd"}).
		Refused(t, http.StatusBadRequest, "base_url")
	operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": upstream.URL, "api_keys": []string{"a b"}}).
		Refused(t, http.StatusBadRequest, "api_keys[0]")
	operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": upstream.URL,
		"settings": map[string]any{"headers": map[string]string{"Host": "other.example"}}}).
		Refused(t, http.StatusBadRequest, "settings.headers")
	upstream.got(t)
}

func TestListUpstreamModels_SendsStoredCredentialsNowhereNew(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, own, thief := s.As(s.Operator), newFake(t, http.StatusOK, list), newFake(t, http.StatusOK, list)
	channel := stored(s, own.URL)
	of := func(field string, value any) map[string]any {
		return map[string]any{"channel_id": channel.ID, field: value}
	}
	const credential = "GET /models Bearer " + consoletest.Credential
	operator.Post(modelsPath, of("channel_id", channel.ID)).Want(t, http.StatusOK)
	operator.Post(modelsPath, of("base_url", own.URL)).Want(t, http.StatusOK)
	own.got(t, credential, credential)

	operator.Post(modelsPath, of("base_url", thief.URL)).Want(t, http.StatusOK)
	operator.Post(modelsPath, of("settings", map[string]any{"proxy": thief.URL})).Want(t, http.StatusOK)
	thief.got(t, "GET /models ", "GET /models ")
	operator.Post(modelsPath, of("settings", map[string]any{"headers": map[string]string{"X-Forward-To": "x"}})).
		Want(t, http.StatusOK)
	own.got(t, "GET /models ")
	operator.Post(modelsPath, map[string]any{"channel_id": channel.ID, "base_url": thief.URL,
		"api_keys": []string{"sk-of-the-thief-0000"}}).Want(t, http.StatusOK)
	thief.got(t, "GET /models Bearer sk-of-the-thief-0000")
	operator.Post(modelsPath, map[string]any{"channel_id": channel.ID, "base_url": "",
		"api_keys": []string{"sk-of-another-0000000"}}).Refused(t, http.StatusBadRequest, "base_url")
	own.got(t) // an emptied URL is not the stored one
	operator.Post(modelsPath, map[string]any{"channel_id": s.Acme.ID}).Refused(t, http.StatusNotFound, "")

	s.Advance(16 * time.Minute) // the sign-in was the last confirmation
	refused := operator.Post(modelsPath, of("base_url", thief.URL)).Want(t, http.StatusForbidden)
	consoletest.Equal(t, refused, "confirmation_required", "code")
	thief.got(t)
	operator.Post(modelsPath, of("channel_id", channel.ID)).Want(t, http.StatusOK)
	own.got(t, credential)
}

func TestListUpstreamModels_IsForOperatorsAndForKeysOnStoredChannels(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	upstream := newFake(t, http.StatusOK, list)
	channel := stored(s, upstream.URL)
	fresh := map[string]any{"type": "openai", "base_url": upstream.URL}
	existing := map[string]any{"channel_id": channel.ID}
	for _, user := range []tenant.User{s.Acme.Owner, s.Acme.Admin, s.Acme.Member, s.Globex.Owner} {
		s.As(user).Post(modelsPath, fresh).Want(t, http.StatusForbidden)
		s.As(user).Post(modelsPath, existing).Want(t, http.StatusForbidden)
	}
	s.Anonymous().Post(modelsPath, fresh).Want(t, http.StatusUnauthorized)
	upstream.got(t)

	_, reading := s.ScopedKey(s.Operator, token.AccessKey{Scopes: []token.AccessScope{token.ReadCatalog}})
	(&consoletest.Client{Stack: s, Key: reading}).Post(modelsPath, existing).Want(t, http.StatusForbidden)
	_, value := s.ScopedKey(s.Operator, token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels}})
	key := &consoletest.Client{Stack: s, Key: value}
	key.Post(modelsPath, fresh).Want(t, http.StatusForbidden)
	for field, change := range map[string]any{"base_url": "http://127.0.0.1:1", "api_keys": []string{"sk-1"},
		"settings": map[string]any{"proxy": "http://127.0.0.1:1"}} {
		key.Post(modelsPath, map[string]any{"channel_id": channel.ID, field: change}).Want(t, http.StatusForbidden)
	}
	upstream.got(t)
	key.Post(modelsPath, existing).Want(t, http.StatusOK)
	upstream.got(t, "GET /models Bearer "+consoletest.Credential)
}

func TestListUpstreamModels_ExplainsFailuresWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	for name, row := range map[string]struct {
		status       int
		answer, text string
	}{
		"refused":   {401, `{"error":{"message":"no such key: ` + consoletest.Credential + `"}}`, "refuses the credential: no such key: sk-u…6789"},
		"failure":   {500, `{"error":{"message":"on fire"}}`, "failed: on fire"},
		"not found": {404, "no page", "rejects"},
		"a page":    {200, "<html>" + consoletest.Credential, "not a list of models"},
	} {
		upstream := newFake(t, row.status, row.answer)
		r := operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": upstream.URL,
			"api_keys": []string{consoletest.Credential}})
		answer := r.Want(t, http.StatusBadGateway)
		consoletest.Equal(t, answer, "upstream_error", "code")
		if text := consoletest.Text(t, answer, "detail"); !strings.Contains(text, row.text) {
			t.Errorf("%s: got %q, want %q", name, text, row.text)
		}
		if strings.Contains(r.Raw, consoletest.Credential) {
			t.Errorf("%s: the response shows the credential: %s", name, r.Raw)
		}
	}
	closed := newFake(t, http.StatusOK, list)
	closed.Close()
	operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": closed.URL}).Want(t, http.StatusBadGateway)
	for _, forbidden := range []string{"http://169.254.169.254/latest", "http://100.100.100.200", "http://2130706433"} {
		operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": forbidden}).
			Refused(t, http.StatusBadRequest, "base_url")
	}
}

func TestListUpstreamModels_CutsAHugeList(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	upstream := newFake(t, http.StatusOK, `{"data":[{"id":"a"},{"id":"b","x":"`+strings.Repeat("y", 5<<20)+`"}]}`)
	answer := s.As(s.Operator).Post(modelsPath, map[string]any{"type": "openai", "base_url": upstream.URL}).
		Want(t, http.StatusOK)
	if items := consoletest.Items(t, answer); len(items) != 1 {
		t.Errorf("got %d models, want the one before the end of the bytes", len(items))
	}
	consoletest.Equal(t, answer, true, "truncated")
}

func TestListUpstreamModels_IsCountedForTheAuditLog(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, upstream := s.As(s.Operator), newFake(t, http.StatusOK, list)
	channel := stored(s, upstream.URL)
	operator.Post(modelsPath, map[string]any{"channel_id": channel.ID}).Want(t, http.StatusOK)
	operator.Post(modelsPath, map[string]any{"type": "openai", "base_url": upstream.URL}).Want(t, http.StatusOK)
	s.Must(s.App.Stop(s.Context()))
	var found []string
	for _, entry := range consoletest.Items(t, operator.Get("/api/operator/audit-log?action=channel.test").
		Want(t, http.StatusOK)) {
		for what := range consoletest.As[map[string]any](t, consoletest.At(t, entry, "detail", "tests")) {
			found = append(found, consoletest.Text(t, entry, "target")+" "+what)
		}
	}
	slices.Sort(found)
	host := strings.TrimPrefix(upstream.URL, "http://")
	want := []string{" models at " + host, channel.ID.String() + " sk-u…6789 models at " + host}
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("the log has %q, want %q", found, want)
	}
}
