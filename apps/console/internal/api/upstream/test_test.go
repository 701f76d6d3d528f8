package upstream_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

const (
	draftPath = "/api/operator/channels/test"
	pong      = `{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"length"}]}`
)

// draftOf returns the body of a test of a new channel with two models.
func draftOf(base string) map[string]any {
	return map[string]any{"name": "draft", "type": "openai", "base_url": base,
		"api_keys": []string{"sk-new-0000000000"}, "dialects": []string{"chat"}, "models": map[string]string{"a": "up-a", "b": "up-b"}}
}

func TestTestChannelDraft_CallsAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, upstream := s.As(s.Operator), newFake(t, http.StatusOK, pong)
	body := draftOf(upstream.URL)
	tested := operator.Post(draftPath, body).Want(t, http.StatusOK)
	consoletest.Equal(t, tested, true, "ok")
	consoletest.Equal(t, tested, "a", "model")
	consoletest.Equal(t, tested, "chat", "endpoint")
	upstream.got(t, "POST /chat/completions Bearer sk-new-0000000000")
	body["model"], body["endpoint"] = "b", "responses"
	consoletest.Equal(t, operator.Post(draftPath, body).Want(t, http.StatusOK), "b", "model")
	upstream.got(t, "POST /chat/completions Bearer sk-new-0000000000")
	if r := operator.Get("/api/operator/channels"); strings.Contains(r.Raw, upstream.URL) {
		t.Errorf("the channel was stored: %s", r.Raw)
	}
	body["model"] = "unknown"
	operator.Post(draftPath, body).Refused(t, http.StatusBadRequest, "model")
	for field, wrong := range map[string]any{"base_url": "ftp://a.example", "dialects": []string{"gemini"},
		"type": "smoke", "models": map[string]string{}} {
		body := draftOf(upstream.URL)
		body[field] = wrong
		operator.Post(draftPath, body).Refused(t, http.StatusBadRequest, field)
	}
	upstream.got(t)

	refusing := newFake(t, http.StatusUnauthorized, `{"error":{"message":"no such key: sk-new-0000000000"}}`)
	r := operator.Post(draftPath, draftOf(refusing.URL))
	consoletest.Equal(t, r.Want(t, http.StatusOK), "credential", "error")
	if strings.Contains(r.Raw, "sk-new-0000000000") {
		t.Errorf("the response shows the credential: %s", r.Raw)
	}
}

func TestTestChannelDraft_SendsStoredCredentialsNowhereNew(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, own, thief := s.As(s.Operator), newFake(t, http.StatusOK, pong), newFake(t, http.StatusOK, pong)
	channel := stored(s, own.URL)
	body := draftOf(own.URL)
	delete(body, "api_keys")
	body["channel_id"] = channel.ID
	operator.Post(draftPath, body).Want(t, http.StatusOK)
	own.got(t, "POST /chat/completions Bearer "+consoletest.Credential)
	body["base_url"] = thief.URL
	operator.Post(draftPath, body).Want(t, http.StatusOK)
	thief.got(t, "POST /chat/completions ")
	body["base_url"], body["api_keys"] = "", []string{"sk-of-another-0000000"}
	operator.Post(draftPath, body).Refused(t, http.StatusBadRequest, "base_url")
	own.got(t) // an emptied URL is not the stored one
	delete(body, "api_keys")
	body["base_url"], body["type"] = own.URL, "anthropic"
	body["dialects"] = []string{"messages"}
	operator.Post(draftPath, body).Want(t, http.StatusOK)
	own.got(t, "POST /v1/messages ")
}

func TestTestChannelDraft_IsForOperatorsWithASession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	upstream := newFake(t, http.StatusOK, pong)
	for _, user := range []tenant.User{s.Acme.Owner, s.Acme.Member, s.Globex.Admin} {
		s.As(user).Post(draftPath, draftOf(upstream.URL)).Want(t, http.StatusForbidden)
	}
	_, value := s.ScopedKey(s.Operator, token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels}})
	(&consoletest.Client{Stack: s, Key: value}).Post(draftPath, draftOf(upstream.URL)).Want(t, http.StatusForbidden)
	upstream.got(t)
}
