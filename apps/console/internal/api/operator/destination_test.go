package operator_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/seal"
)

// recorder is an upstream, or a proxy, that records the credentials that it receives.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	received []string
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.received = append(r.received, request.Header.Get("Authorization"))
		r.mu.Unlock()
		_, _ = io.WriteString(w,
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"length"}]}`)
	}))
	t.Cleanup(r.Close)
	return r
}

// credentials returns what was received since the last call.
func (r *recorder) credentials() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.received
	r.received = nil
	return all
}

// authority returns the certificate of some authority in PEM.
func authority(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// guarded returns a channel with a stored credential, its upstream, and an upstream that should not get the credential.
func guarded(t *testing.T, s *consoletest.Stack) (path string, own, thief *recorder) {
	t.Helper()
	own, thief = newRecorder(t), newRecorder(t)
	key, err := seal.New(s.Secret).SealCredential(consoletest.Credential)
	s.Must(err)
	channel := channelOf(s, "guarded", func(c *catalog.Channel) {
		c.BaseURL, c.Credentials = own.URL, []catalog.SealedSecret{key}
	})
	return "/api/operator/channels/" + channel.ID.String(), own, thief
}

func TestUpdateChannel_DropsCredentialsWithANewDestination(t *testing.T) {
	t.Parallel()
	ca := authority(t)
	for name, change := range map[string]func(thief *recorder) map[string]any{
		"base URL": func(thief *recorder) map[string]any { return map[string]any{"base_url": thief.URL} },
		"proxy": func(thief *recorder) map[string]any {
			return map[string]any{"settings": map[string]any{"proxy": thief.URL}}
		},
		"authority": func(*recorder) map[string]any { return map[string]any{"settings": map[string]any{"ca": ca}} },
		"header": func(thief *recorder) map[string]any {
			return map[string]any{"settings": map[string]any{"headers": map[string]any{"X-Forward-To": thief.URL}}}
		},
		"all at once": func(thief *recorder) map[string]any {
			return map[string]any{"base_url": thief.URL, "settings": map[string]any{"proxy": thief.URL, "ca": ca}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := consoletest.Setup(t)
			operator := s.As(s.Operator)
			path, own, thief := guarded(t, s)
			operator.Post(path+"/test", map[string]any{}).Want(t, http.StatusOK)
			if got := own.credentials(); !slices.Equal(got, []string{"Bearer " + consoletest.Credential}) {
				t.Fatalf("the channel's own upstream received %q, want the credential", got)
			}
			body := change(thief)

			// A rotation would keep the stored credentials.
			rotated := map[string]any{"rotation": map[string]any{"add": []string{"sk-of-the-thief-0000"}}}
			for field, value := range body {
				rotated[field] = value
			}
			operator.Patch(path, rotated).Refused(t, http.StatusBadRequest, "rotation")

			updated := operator.Patch(path, body).Want(t, http.StatusOK)
			consoletest.Equal(t, updated, "sk-u…6789", "dropped_api_key_masks", 0)
			if masks, _ := updated["api_key_masks"].([]any); len(masks) > 0 {
				t.Errorf("got credentials %v, want none", masks)
			}
			operator.Post(path+"/test", map[string]any{})
			operator.Post(path+"/test", map[string]any{"fingerprint": fingerprint(s)}).
				Refused(t, http.StatusBadRequest, "fingerprint")
			for _, at := range []*recorder{own, thief} {
				if got := at.credentials(); slices.ContainsFunc(got, func(key string) bool { return key != "" }) {
					t.Errorf("an upstream received %q after the change", got)
				}
			}
		})
	}
}

func TestUpdateChannel_KeepsCredentialsThatAreGivenAgain(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	path, own, other := guarded(t, s)
	for _, body := range []map[string]any{
		{"name": "renamed", "priority": 3, "base_url": own.URL}, // the same address
		{"settings": map[string]any{"system_prompt": "x", "proxy": nil,
			"headers": map[string]any{"OpenAI-Organization": "o"}}},
	} {
		updated := operator.Patch(path, body).Want(t, http.StatusOK)
		consoletest.Equal(t, updated, "sk-u…6789", "api_key_masks", 0)
		consoletest.Equal(t, updated, nil, "dropped_api_key_masks")
	}
	updated := operator.Patch(path, map[string]any{"base_url": other.URL,
		"api_keys": []string{"sk-for-the-new-address-4321"}}).Want(t, http.StatusOK)
	consoletest.Equal(t, updated, "sk-f…4321", "api_key_masks", 0)
	consoletest.Equal(t, updated, nil, "dropped_api_key_masks")
	operator.Post(path+"/test", map[string]any{}).Want(t, http.StatusOK)
	if got := other.credentials(); !slices.Equal(got, []string{"Bearer sk-for-the-new-address-4321"}) {
		t.Errorf("the new address received %q, want only the new credential", got)
	}
	proxy := map[string]any{"settings": map[string]any{"proxy": "http://user:secret@proxy.example:3128"}}
	consoletest.Equal(t, operator.Patch(path, proxy).Want(t, http.StatusOK), "sk-f…4321", "dropped_api_key_masks", 0)
	operator.Patch(path, map[string]any{"rotation": map[string]any{"add": []string{consoletest.Credential}}}).
		Want(t, http.StatusOK)
	// The same proxy again.
	consoletest.Equal(t, operator.Patch(path, proxy).Want(t, http.StatusOK), "sk-u…6789", "api_key_masks", 0)
}

func TestManifest_DropsCredentialsWithANewDestination(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	path, _, thief := guarded(t, s)
	apply := func(keys string) manifest.Applied {
		t.Helper()
		text := "models: [{id: gpt-4o-mini, owned_by: openai, price: {input: \"1\", output: \"1\"}}]\n" +
			"channels:\n  - {name: guarded, type: openai, base_url: \"" + thief.URL +
			"\", endpoints: [chat], models: {gpt-4o-mini: up}" + keys + "}\n"
		applied, err := manifest.ApplyText(t.Context(), "test", []byte(text), manifest.Target{
			Store: s.Store, Sealer: seal.New(s.Secret), Lookup: func(string) (string, bool) { return "", false },
		})
		s.Must(err)
		return applied
	}
	if warnings := apply("").Warnings; len(warnings) != 1 {
		t.Errorf("got warnings %q, want one about the dropped credentials", warnings)
	}
	operator.Post(path+"/test", map[string]any{}).Want(t, http.StatusOK)
	if got := thief.credentials(); !slices.Equal(got, []string{""}) {
		t.Errorf("the new address received %q, want no credential", got)
	}

	apply(`, api_keys: ["` + consoletest.Credential + `"]`)
	next := newRecorder(t)
	thief = next
	if warnings := apply(`, api_keys: ["` + consoletest.Credential + `"]`).Warnings; len(warnings) != 0 {
		t.Errorf("got warnings %q, want none: the credential is given again", warnings)
	}
	operator.Post(path+"/test", map[string]any{}).Want(t, http.StatusOK)
	if got := next.credentials(); !slices.Equal(got, []string{"Bearer " + consoletest.Credential}) {
		t.Errorf("the declared address received %q, want the declared credential", got)
	}
}

// A program makes a disabled channel at a server of the inner network, and reads the answer of the test.
func TestTestChannel_ShowsAProgramNothingOfTheInnerNetwork(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	path, own, _ := guarded(t, s)
	_, value := s.ScopedKey(s.Operator,
		token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels, token.ReadCatalog}})
	key := &consoletest.Client{Stack: s, Key: value}
	created := map[string]any{"name": "inner", "type": "openai", "base_url": own.URL, "endpoints": []string{"chat"},
		"models": map[string]string{"gpt-4o-mini": "x"}, "status": "disabled"}
	inner := "/api/operator/channels/" +
		consoletest.Text(t, key.Post("/api/operator/channels", created).Want(t, http.StatusCreated), "id")
	key.Post(inner+"/test", map[string]any{}).Refused(t, http.StatusForbidden, "")
	if got := own.credentials(); len(got) > 0 {
		t.Errorf("the server received %d requests, want none", len(got))
	}
	tested := key.Post(path+"/test", map[string]any{}).Want(t, http.StatusOK) // a person gave it credentials
	consoletest.Equal(t, tested, true, "ok")
	consoletest.Equal(t, tested, "", "detail")
}
