package console_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/seal"
)

// secretMarker is a part of every secret in these tests. No response may contain it.
const secretMarker = "hunter2-0123456789"

func TestChannelSettings_AreSetChangedAndUnset(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))

	body := map[string]any{
		"name": "set", "type": "openai", "base_url": "https://set.example/v1", "endpoints": []string{"chat"},
		"models": map[string]string{"gpt-4o-mini": "mini"},
		"settings": map[string]any{
			"headers": map[string]string{"X-Team": "red"}, "parameters": map[string]any{"seed": 7, "user": nil},
			"system_prompt": "Be brief.",
			"quirks":        []string{"max_tokens"}, "lacks": []string{"vision"},
			"proxy": "http://gate:" + secretMarker + "@proxy.example:3128", "ca": ca,
			"connect_timeout": "1500ms", "first_byte_timeout": "5m",
		},
	}
	created := operator.post("/api/operator/channels", body).want(t, http.StatusCreated)
	check := func(shown any) {
		t.Helper()
		equal(t, shown, "red", "settings", "headers", "X-Team")
		equal(t, shown, 7.0, "settings", "parameters", "seed")
		equal(t, shown, nil, "settings", "parameters", "user")
		equal(t, shown, "max_tokens", "settings", "quirks", 0)
		equal(t, shown, "vision", "settings", "lacks", 0)
		equal(t, shown, "http://…@proxy.example:3128", "settings", "proxy")
		equal(t, shown, "O=Acme Co", "settings", "authorities", 0, "subject")
		equal(t, shown, "1.5s", "settings", "connect_timeout")
		equal(t, shown, "5m0s", "settings", "first_byte_timeout")
		equal(t, shown, "", "settings", "idle_timeout")
	}
	check(created)
	path := "/api/operator/channels/" + text(t, created, "id")
	check(operator.get(path).want(t, http.StatusOK))

	patched := operator.patch(path,
		map[string]any{"settings": map[string]any{"system_prompt": nil, "idle_timeout": "90s"}}).want(t, http.StatusOK)
	equal(t, patched, "", "settings", "system_prompt")
	equal(t, patched, "1m30s", "settings", "idle_timeout")
	equal(t, patched, "http://…@proxy.example:3128", "settings", "proxy")
	s.proxyIs(path, "http://gate:"+secretMarker+"@proxy.example:3128")
	unset := operator.patch(path,
		map[string]any{"settings": map[string]any{"proxy": nil, "ca": nil, "headers": nil, "lacks": nil,
			"connect_timeout": nil}}).want(t, http.StatusOK)
	equal(t, unset, "", "settings", "proxy")
	equal(t, unset, "", "settings", "connect_timeout")
	equal(t, unset, "max_tokens", "settings", "quirks", 0)

	for _, path := range []string{path, "/api/operator/channels", "/api/operator/audit-log"} {
		if r := operator.get(path); strings.Contains(r.raw, secretMarker) || strings.Contains(r.raw, "sealed") {
			t.Errorf("%s shows a secret: %s", path, r.raw)
		}
	}
	for _, u := range []string{"owner", "member"} {
		who := s.acme.owner
		if u == "member" {
			who = s.acme.member
		}
		s.as(who).get(path).want(t, http.StatusForbidden)
		s.as(who).patch(path, map[string]any{"settings": map[string]any{"system_prompt": "mine"}}).
			want(t, http.StatusForbidden)
	}
}

// proxyIs checks the decrypted proxy URL that is stored for the channel at path.
func (s *stack) proxyIs(path, want string) {
	s.Helper()
	channels, err := s.store.Catalog.Channels(s.Context(), system, storePage)
	s.must(err)
	for _, channel := range channels.Items {
		if strings.HasSuffix(path, channel.ID.String()) {
			if plain, err := seal.New(s.secret).OpenProxy(channel.Settings.Proxy); err != nil || plain != want {
				s.Errorf("got the proxy %s, %v, want %s", plain, err, want)
			}
		}
	}
}

func TestChannelSettings_RefusalsNameTheField(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	path := "/api/operator/channels/" + s.channel.ID.String()
	before := operator.get(path).raw
	for _, row := range []struct {
		settings string
		param    string
	}{
		{`{"headers":{"Host":"evil.example"}}`, "settings.headers"},
		{`{"headers":{"X-A":"a\r\nHost: evil"}}`, "settings.headers"},
		{`{"headers":{"Authorization":"Bearer ` + secretMarker + `"}}`, "settings.headers"},
		{`{"parameters":{"model":"other"}}`, "settings.parameters"},
		{`{"parameters":{"n":8}}`, "settings.parameters"},
		{`{"parameters":{"max_tokens":null}}`, "settings.parameters"},
		{`{"api_version":"2024-10-21"}`, "settings.api_version"},
		{`{"quirks":["grumpy"]}`, "settings.quirks[0]"},
		{`{"quirks":["max_tokens","max_tokens"]}`, "settings.quirks"},
		{`{"lacks":["humour"]}`, "settings.lacks[0]"},
		{`{"proxy":"ftp://gate:` + secretMarker + `@proxy.example"}`, "settings.proxy"},
		{`{"proxy":"http://gate:` + secretMarker + `@169.254.169.254"}`, "settings.proxy"},
		{`{"ca":"trust me"}`, "settings.ca"},
		{`{"connect_timeout":"soon"}`, "settings.connect_timeout"},
		{`{"idle_timeout":"-1s"}`, "settings.idle_timeout"},
		{`{"first_byte_timeout":5}`, "settings.first_byte_timeout"},
		{`{"sealed":"x"}`, "settings.sealed"},
		{`null`, "settings"},
	} {
		r := operator.patch(path, `{"settings":`+row.settings+`}`)
		r.refused(t, http.StatusBadRequest, row.param)
		if strings.Contains(r.raw, secretMarker) {
			t.Errorf("%s: the response shows a secret: %s", row.settings, r.raw)
		}
	}
	operator.patch(path, `{"base_url":"http://169.254.169.254/latest"}`).refused(t, http.StatusBadRequest, "base_url")
	if operator.get(path).raw != before {
		t.Error("the channel changed")
	}
}
