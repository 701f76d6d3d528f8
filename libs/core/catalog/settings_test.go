package catalog_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func headers(name, value string) func(*catalog.Settings) {
	return func(s *catalog.Settings) { s.Headers = map[string]string{name: value} }
}

func parameter(name, value string) func(*catalog.Settings) {
	return func(s *catalog.Settings) { s.Parameters = map[string]json.RawMessage{name: json.RawMessage(value)} }
}

// many returns n headers and n parameters.
func many(n int) (headers map[string]string, parameters map[string]json.RawMessage) {
	headers, parameters = map[string]string{}, map[string]json.RawMessage{}
	for i := range n {
		headers[fmt.Sprintf("X-%d", i)] = "x"
		parameters[fmt.Sprintf("p%d", i)] = json.RawMessage("1")
	}
	return headers, parameters
}

// authority returns a new certificate in PEM.
func authority(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Date(2035, 1, 2, 3, 4, 5, 0, time.UTC)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}

func TestSettingsCheck_NamesTheFieldAtFault(t *testing.T) {
	ca := authority(t, "acme root")
	for _, row := range []struct {
		rule   string
		change func(*catalog.Settings)
		field  string // "" if it is valid
	}{
		{"nothing set", func(*catalog.Settings) {}, ""},
		{"a header", headers("OpenAI-Organization", "org-acme"), ""},
		{"an empty header", headers("X-Empty", ""), ""},
		{"the agent's name", headers("User-Agent", "acme/1.0 (gateway)"), ""},
		{"no header name", headers("", "x"), "headers"},
		{"a space in a header's name", headers("X Y", "x"), "headers"},
		{"a colon in a header's name", headers("X:Y", "x"), "headers"},
		{"a line break in a header's name", headers("X\r\nY", "x"), "headers"},
		{"a header's name that is not ASCII", headers("X-Ä", "x"), "headers"},
		{"a long header's name", headers(strings.Repeat("x", 129), "x"), "headers"},
		{"a line break in a header's value", headers("X-Y", "x\r\nHost: evil"), "headers"},
		{"a line feed in a header's value", headers("X-Y", "x\nHost: evil"), "headers"},
		{"a NUL in a header's value", headers("X-Y", "x\x00"), "headers"},
		{"a space around a header's value", headers("X-Y", " x"), "headers"},
		{"a header's value that is not ASCII", headers("X-Y", "ä"), "headers"},
		{"a long header's value", headers("X-Y", strings.Repeat("x", 4097)), "headers"},
		{"the host", headers("hOsT", "evil"), "headers"},
		{"the length", headers("Content-Length", "0"), "headers"},
		{"the media type", headers("Content-Type", "text/plain"), "headers"},
		{"a hop-by-hop header", headers("Transfer-Encoding", "chunked"), "headers"},
		{"a hop-by-hop credential", headers("Proxy-Authorization", "Basic x"), "headers"},
		{"compressed responses", headers("Accept-Encoding", "br"), "headers"},
		{"a bearer token", headers("Authorization", "Bearer x"), "headers"},
		{"an API key", headers("x-api-key", "x"), "headers"},
		{"a duplicate header", func(s *catalog.Settings) { s.Headers = map[string]string{"X-A": "1", "x-a": "2"} },
			"headers"},
		{"too many headers", func(s *catalog.Settings) { s.Headers, _ = many(33) }, "headers"},

		{"a parameter", parameter("temperature", "0.5"), ""},
		{"a parameter to remove", parameter("logit_bias", "null"), ""},
		{"a nested parameter", parameter("provider", `{"order":["a"],"x":1e2}`), ""},
		{"no parameter name", parameter("", "1"), "parameters"},
		{"a quote in a parameter's name", parameter(`a"b`, "1"), "parameters"},
		{"a long parameter's name", parameter(strings.Repeat("x", 129), "1"), "parameters"},
		{"no value", parameter("x", ""), "parameters"},
		{"not JSON", parameter("x", "{"), "parameters"},
		{"two values", parameter("x", `1,"model":"x"`), "parameters"},
		{"not UTF-8", parameter("x", "\"\xff\""), "parameters"},
		{"a large value", parameter("x", `"`+strings.Repeat("x", 32<<10)+`"`), "parameters"},
		{"the model", parameter("model", `"x"`), "parameters"},
		{"the model in another spelling", parameter("Model", `"x"`), "parameters"},
		{"the messages", parameter("messages", `[]`), "parameters"},
		{"the input", parameter("input", `[]`), "parameters"},
		{"streaming", parameter("stream", `true`), "parameters"},
		{"the stream's options", parameter("stream_options", `null`), "parameters"},
		{"the number of choices", parameter("n", `8`), "parameters"},
		{"no limit of the output", parameter("max_completion_tokens", `null`), "parameters"},
		{"a limit of the output", parameter("max_tokens", `9`), "parameters"},
		{"a background response", parameter("background", `true`), "parameters"},
		{"the instructions", parameter("instructions", `"x"`), "parameters"},
		{"too many parameters", func(s *catalog.Settings) { _, s.Parameters = many(65) }, "parameters"},

		{"a prompt", func(s *catalog.Settings) { s.SystemPrompt = "Be \"brief\".\n" }, ""},
		{"a long prompt", func(s *catalog.Settings) { s.SystemPrompt = strings.Repeat("x", 64<<10+1) },
			"system_prompt"},
		{"a prompt that is not UTF-8", func(s *catalog.Settings) { s.SystemPrompt = "\xff" }, "system_prompt"},
		{"a prompt with a NUL", func(s *catalog.Settings) { s.SystemPrompt = "\x00" }, "system_prompt"},

		{"a version", func(s *catalog.Settings) { s.APIVersion = "2024-10-21-preview" }, ""},
		{"a version that adds a parameter", func(s *catalog.Settings) { s.APIVersion = "1&x=y" }, "api_version"},

		{"all quirks", func(s *catalog.Settings) {
			s.Quirks = []catalog.Quirk{catalog.NoDeveloper, catalog.NoStreamOptions, catalog.OldMaxTokens,
				catalog.WantsReasoning}
		}, ""},
		{"an unknown quirk", func(s *catalog.Settings) { s.Quirks = []catalog.Quirk{"unknown"} }, "quirks"},
		{"a duplicate quirk", func(s *catalog.Settings) { s.Quirks = []catalog.Quirk{"max_tokens", "max_tokens"} },
			"quirks"},
		{"all features missing", func(s *catalog.Settings) {
			s.Lacks = []catalog.Feature{catalog.Streaming, catalog.ToolCalling, catalog.Vision,
				catalog.StructuredOutput}
		}, ""},
		{"an unknown feature", func(s *catalog.Settings) { s.Lacks = []catalog.Feature{"unknown"} }, "lacks"},

		{"a CA", func(s *catalog.Settings) { s.CA = "# ours\n" + ca + ca }, ""},
		{"a CA that is not PEM", func(s *catalog.Settings) { s.CA = "trust me" }, "ca"},
		{"a CA without a certificate", func(s *catalog.Settings) { s.CA = "\n" }, "ca"},
		{"a private key", func(s *catalog.Settings) { s.CA = strings.ReplaceAll(ca, "CERTIFICATE", "PRIVATE KEY") },
			"ca"},
		{"a malformed certificate", func(s *catalog.Settings) {
			s.CA = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
		}, "ca"},
		{"text after a certificate", func(s *catalog.Settings) { s.CA = ca + "x" }, "ca"},
		{"a large CA", func(s *catalog.Settings) { s.CA = strings.Repeat(ca, 1000) }, "ca"},

		{"timeouts", func(s *catalog.Settings) {
			s.ConnectTimeout, s.FirstByteTimeout, s.IdleTimeout = time.Second, time.Minute, time.Hour
		}, ""},
		{"a negative timeout", func(s *catalog.Settings) { s.ConnectTimeout = -1 }, "connect_timeout"},
		{"a connect timeout above the maximum", func(s *catalog.Settings) { s.ConnectTimeout = time.Hour },
			"connect_timeout"},
		{"a timeout below the minimum", func(s *catalog.Settings) { s.FirstByteTimeout = 1 }, "first_byte_timeout"},
		{"an idle timeout above the maximum", func(s *catalog.Settings) { s.IdleTimeout = time.Hour + 1 },
			"idle_timeout"},
	} {
		var s catalog.Settings
		row.change(&s)
		checkField(t, row.rule, s.Check(), row.field)
	}
}

func checkField(t *testing.T, rule string, err error, field string) {
	t.Helper()
	switch {
	case field == "" && err != nil:
		t.Errorf("%s: %v", rule, err)
	case field != "" && (!problem.Is(err, problem.InvalidType) || problem.From(err).Param != "settings."+field):
		t.Errorf("%s: %v, want a problem at settings.%s", rule, err, field)
	}
}

func TestCheckProxy_AcceptsProxyURLsAndHidesSecrets(t *testing.T) {
	for _, row := range []struct {
		raw, masked string
		ok          bool
	}{
		{"http://proxy.example:3128", "http://proxy.example:3128", true},
		{"https://gate:hunter2@proxy.example:3128/", "https://…@proxy.example:3128", true},
		{"socks5://hunter2@10.1.2.3:1080", "socks5://…@10.1.2.3:1080", true},
		{"http://localhost:3128", "http://localhost:3128", true},
		{"", "", false},
		{"hunter2", "", false},
		{"ftp://gate:hunter2@proxy.example", "", false},
		{"http://gate:hunter2@", "", false},
		{"http://gate:hunter2@proxy.example/path", "", false},
		{"http://gate:hunter2@proxy.example?x", "", false},
		{"http://gate:hunter2@proxy.example#x", "", false},
		{"http://gate:hunter2@169.254.169.254", "", false},
		{"http://gate:hunter2@2130706433", "", false},
		{"http://gate:hunter2@%zz", "", false},
		{"http://" + strings.Repeat("x", 2000), "", false},
	} {
		err := catalog.CheckProxy(row.raw)
		if !row.ok {
			checkField(t, row.raw, err, "proxy")
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the problem shows a secret: %v", err)
			}
			continue
		}
		if masked := catalog.MaskProxy(row.raw); err != nil || masked != row.masked {
			t.Errorf("%s: %v, masked %s", row.raw, err, masked)
		}
	}
	if masked := catalog.MaskProxy("http://gate:hunter2@%zz"); strings.Contains(masked, "hunter2") {
		t.Errorf("masked %s", masked)
	}
}

func TestAuthorities_ReturnsSubjectAndExpiry(t *testing.T) {
	s := catalog.Settings{CA: authority(t, "first") + "\n" + authority(t, "second")}
	all, err := s.Authorities()
	if err != nil || len(all) != 2 || all[0].Subject != "CN=first" || all[1].Subject != "CN=second" ||
		all[0].ExpiresAt.Year() != 2035 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestAddedBytes_BoundsTheGrowthOfABody(t *testing.T) {
	s := catalog.Settings{Parameters: map[string]json.RawMessage{"seed": json.RawMessage("12345")}}
	if got := s.AddedBytes(); got != 9 {
		t.Errorf("AddedBytes = %d, want 9", got)
	}
	s.SystemPrompt = strings.Repeat("x", 1000)
	if got := s.AddedBytes(); got < 1009 || got > 1100 {
		t.Errorf("AddedBytes = %d, want 1009 to 1100", got)
	}
	if got := (&catalog.Settings{Headers: map[string]string{"X": "y"}}).AddedBytes(); got != 0 {
		t.Errorf("headers add %d bytes", got)
	}
}

func TestSettingsEqual_IgnoresWhiteSpaceAndOrder(t *testing.T) {
	a := catalog.Settings{Parameters: map[string]json.RawMessage{"a": json.RawMessage(`{"x": 1}`),
		"b": json.RawMessage("2")}}
	b := catalog.Settings{Parameters: map[string]json.RawMessage{"b": json.RawMessage("2"),
		"a": json.RawMessage(`{"x":1}`)}}
	if !a.Equal(&b) {
		t.Error("settings that differ in white space and order are not equal")
	}
	b.Proxy.Sealed = []byte{1}
	if a.Equal(&b) {
		t.Error("settings with different proxies are equal")
	}
}
