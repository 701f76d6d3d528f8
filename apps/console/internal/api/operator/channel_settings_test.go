package operator_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/page"
)

// secretMarker is a part of every secret in these tests. No response may contain it.
const secretMarker = "hunter2-0123456789"

func TestChannelSettings_AreSetChangedAndUnset(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
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
	created := operator.Post("/api/operator/channels", body).Want(t, http.StatusCreated)
	check := func(shown any) {
		t.Helper()
		consoletest.Equal(t, shown, "red", "settings", "headers", "X-Team")
		consoletest.Equal(t, shown, 7.0, "settings", "parameters", "seed")
		consoletest.Equal(t, shown, nil, "settings", "parameters", "user")
		consoletest.Equal(t, shown, "max_tokens", "settings", "quirks", 0)
		consoletest.Equal(t, shown, "vision", "settings", "lacks", 0)
		consoletest.Equal(t, shown, "http://…@proxy.example:3128", "settings", "proxy")
		consoletest.Equal(t, shown, "O=Acme Co", "settings", "authorities", 0, "subject")
		consoletest.Equal(t, shown, "1.5s", "settings", "connect_timeout")
		consoletest.Equal(t, shown, "5m0s", "settings", "first_byte_timeout")
		consoletest.Equal(t, shown, "", "settings", "idle_timeout")
	}
	check(created)
	path := "/api/operator/channels/" + consoletest.Text(t, created, "id")
	check(operator.Get(path).Want(t, http.StatusOK))

	patched := operator.Patch(path,
		map[string]any{"settings": map[string]any{"system_prompt": nil, "idle_timeout": "90s"}}).Want(t, http.StatusOK)
	consoletest.Equal(t, patched, "", "settings", "system_prompt")
	consoletest.Equal(t, patched, "1m30s", "settings", "idle_timeout")
	consoletest.Equal(t, patched, "http://…@proxy.example:3128", "settings", "proxy")
	proxyIs(s, path, "http://gate:"+secretMarker+"@proxy.example:3128")
	unset := operator.Patch(path,
		map[string]any{"settings": map[string]any{"proxy": nil, "ca": nil, "headers": nil, "lacks": nil,
			"connect_timeout": nil}}).Want(t, http.StatusOK)
	consoletest.Equal(t, unset, "", "settings", "proxy")
	consoletest.Equal(t, unset, "", "settings", "connect_timeout")
	consoletest.Equal(t, unset, "max_tokens", "settings", "quirks", 0)

	for _, path := range []string{path, "/api/operator/channels", "/api/operator/audit-log"} {
		if r := operator.Get(path); strings.Contains(r.Raw, secretMarker) || strings.Contains(r.Raw, "sealed") {
			t.Errorf("%s shows a secret: %s", path, r.Raw)
		}
	}
	for _, u := range []string{"owner", "member"} {
		who := s.Acme.Owner
		if u == "member" {
			who = s.Acme.Member
		}
		s.As(who).Get(path).Want(t, http.StatusForbidden)
		s.As(who).Patch(path, map[string]any{"settings": map[string]any{"system_prompt": "mine"}}).
			Want(t, http.StatusForbidden)
	}
}

// proxyIs checks the decrypted proxy URL that is stored for the channel at path.
func proxyIs(s *consoletest.Stack, path, want string) {
	s.Helper()
	channels, err := s.Store.Catalog.Channels(s.Context(), consoletest.System, nil, page.Page{Limit: 200})
	s.Must(err)
	for _, channel := range channels.Items {
		if strings.HasSuffix(path, channel.ID.String()) {
			if plain, err := seal.New(s.Secret).OpenProxy(channel.Settings.Proxy); err != nil || plain != want {
				s.Errorf("got the proxy %s, %v, want %s", plain, err, want)
			}
		}
	}
}

func TestChannelSettings_RefusalsNameTheField(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	path := "/api/operator/channels/" + s.Channel.ID.String()
	before := operator.Get(path).Raw
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
		r := operator.Patch(path, `{"settings":`+row.settings+`}`)
		r.Refused(t, http.StatusBadRequest, row.param)
		if strings.Contains(r.Raw, secretMarker) {
			t.Errorf("%s: the response shows a secret: %s", row.settings, r.Raw)
		}
	}
	operator.Patch(path, `{"base_url":"http://169.254.169.254/latest"}`).Refused(t, http.StatusBadRequest, "base_url")
	if operator.Get(path).Raw != before {
		t.Error("the channel changed")
	}
}
