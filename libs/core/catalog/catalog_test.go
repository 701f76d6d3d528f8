package catalog_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// form is a value with the expected result of its check.
type form struct {
	value string
	ok    bool
}

func allow(value string) form { return form{value, true} }
func deny(value string) form  { return form{value, false} }

func TestCheckModelID_AcceptsOnlyWellFormedIDs(t *testing.T) {
	for _, row := range []form{
		allow("gpt-4o-mini"),
		allow("openai/gpt-4o:2024-08-06"),
		allow("ft:gpt-4o+acme@2"),
		allow("a"),
		allow(strings.Repeat("a", 200)),
		deny(""),
		deny(strings.Repeat("a", 201)),
		deny("-gpt"),
		deny("/gpt"),
		deny(".."),
		deny("gpt 4"),
		deny("gpt*"),
		deny("gpt\n"),
		deny("gpt\x00"),
		deny("gpt?x=1"),
		deny("gpt%2f"),
		deny("modèle"),
	} {
		err := catalog.CheckModelID(row.value)
		if row.ok != (err == nil) || !row.ok && !problem.Is(err, problem.InvalidType) {
			t.Errorf("CheckModelID(%q) = %v, want ok %v", row.value, err, row.ok)
		}
	}
}

func TestCheckPatterns_AcceptsIDsAndPrefixes(t *testing.T) {
	for _, row := range []form{
		allow("*"),
		allow("gpt-4o"),
		allow("gpt-4o*"),
		allow("openai/*"),
		deny(""),
		deny("**"),
		deny("*gpt"),
		deny("gpt*mini"),
		deny("gpt **"),
		deny(" *"),
	} {
		err := catalog.CheckPatterns([]string{"ok", row.value})
		if row.ok != (err == nil) || !row.ok && !problem.Is(err, problem.InvalidType) {
			t.Errorf("CheckPatterns(%q) = %v, want ok %v", row.value, err, row.ok)
		}
	}
	if err := catalog.CheckPatterns(nil); err != nil {
		t.Errorf("an empty list: %v", err)
	}
}

func TestMatchAny_MatchesIDsAndPrefixes(t *testing.T) {
	for _, row := range []struct {
		patterns string
		model    string
		want     bool
	}{
		{"*", "gpt-4o", true},
		{"gpt-4o", "gpt-4o", true},
		{"claude,gpt-4o", "gpt-4o", true},
		{"gpt-4o*", "gpt-4o", true},
		{"gpt-4o*", "gpt-4o-mini", true},
		{"", "gpt-4o", false},
		{"gpt-4o", "gpt-4o-mini", false},
		{"gpt-4o-mini", "gpt-4o", false},
		{"gpt-4o*", "gpt-4", false},
		{"gpt-4o", "GPT-4o", false},
		{"gpt.4o", "gpt-4o", false},
	} {
		var patterns []string
		if row.patterns != "" {
			patterns = strings.Split(row.patterns, ",")
		}
		if got := catalog.MatchAny(patterns, row.model); got != row.want {
			t.Errorf("MatchAny(%q, %q) = %v, want %v", row.patterns, row.model, got, row.want)
		}
	}
}

func TestChannelCheck_NamesTheFieldAtFault(t *testing.T) {
	missing := problem.MissingParameter
	wrong := problem.InvalidType
	for _, row := range []struct {
		rule   string
		change func(*catalog.Channel)
		param  string // "" if it is valid
		kind   problem.Kind
	}{
		{"a complete channel", func(*catalog.Channel) {}, "", 0},
		{"no base URL", func(c *catalog.Channel) { c.BaseURL = "" }, "", 0},
		{"plain http, port and path", func(c *catalog.Channel) { c.BaseURL = "http://127.0.0.1:9999/openai/v1" }, "",
			0},
		{"negative priorities come before 0", func(c *catalog.Channel) { c.Priority = -5 }, "", 0},
		{"upstream ids have any form", func(c *catalog.Channel) { c.Models = map[string]string{"m": "arn:aws:x y"} },
			"", 0},

		{"no name", func(c *catalog.Channel) { c.Name = "" }, "name", wrong},
		{"another scheme", func(c *catalog.Channel) { c.BaseURL = "file:///etc/passwd" }, "base_url", wrong},
		{"no scheme", func(c *catalog.Channel) { c.BaseURL = "api.openai.com/v1" }, "base_url", wrong},
		{"no host", func(c *catalog.Channel) { c.BaseURL = "https:///v1" }, "base_url", wrong},
		{"a port without a host", func(c *catalog.Channel) { c.BaseURL = "http://:8080/v1" }, "base_url", wrong},
		{"credentials in the URL", func(c *catalog.Channel) { c.BaseURL = "https://u:p@api.example/v1" },
			"base_url", wrong},
		{"a query", func(c *catalog.Channel) { c.BaseURL = "https://api.example/v1?key=1" }, "base_url", wrong},
		{"an empty query", func(c *catalog.Channel) { c.BaseURL = "https://api.example/v1?" }, "base_url", wrong},
		{"a fragment", func(c *catalog.Channel) { c.BaseURL = "https://api.example/v1#x" }, "base_url", wrong},
		{"an empty fragment", func(c *catalog.Channel) { c.BaseURL = "https://api.example/v1#" }, "base_url", wrong},
		{"a loopback address", func(c *catalog.Channel) { c.BaseURL = "http://[::1]:11434/v1" }, "", 0},
		{"a metadata service", func(c *catalog.Channel) { c.BaseURL = "http://169.254.169.254/v1" }, "base_url", wrong},
		{"a metadata service, mapped", func(c *catalog.Channel) { c.BaseURL = "http://[::ffff:a9fe:a9fe]/v1" },
			"base_url", wrong},
		{"a link-local address with a zone", func(c *catalog.Channel) { c.BaseURL = "http://[fe80::1%25eth0]/v1" },
			"base_url", wrong},
		{"an address as one number", func(c *catalog.Channel) { c.BaseURL = "http://2130706433/v1" },
			"base_url", wrong},
		{"a setting", func(c *catalog.Channel) { c.Settings.IdleTimeout = -1 }, "settings.idle_timeout", wrong},
		{"not a URL", func(c *catalog.Channel) { c.BaseURL = "https://a b/%zz" }, "base_url", wrong},
		{"no dialect", func(c *catalog.Channel) { c.Dialects = nil }, "dialects", missing},
		{"an unknown dialect", func(c *catalog.Channel) { c.Dialects = []catalog.Dialect{catalog.Chat, "unknown"} },
			"dialects", wrong},
		{"no model", func(c *catalog.Channel) { c.Models = nil }, "models", missing},
		{"a bad public id", func(c *catalog.Channel) { c.Models = map[string]string{"a b": "x"} }, "models", wrong},
		{"no upstream id", func(c *catalog.Channel) { c.Models = map[string]string{"m": ""} }, "models", wrong},
		{"no weight", func(c *catalog.Channel) { c.Weight = 0 }, "weight", wrong},
		{"a negative weight", func(c *catalog.Channel) { c.Weight = -1 }, "weight", wrong},
		{"drain after a disconnect", func(c *catalog.Channel) { c.OnDisconnect = catalog.DisconnectDrain }, "", 0},
		{"an unknown policy", func(c *catalog.Channel) { c.OnDisconnect = "ignore" }, "on_disconnect", wrong},
		{"allows calls without a price", func(c *catalog.Channel) { c.Unpriced = charge.Allow }, "", 0},
		{"an unknown policy for calls without a price", func(c *catalog.Channel) { c.Unpriced = "free" },
			"unpriced", wrong},
		{"a weight above the maximum", func(c *catalog.Channel) { c.Weight = 1_000_001 }, "weight", wrong},
	} {
		channel := catalog.Channel{
			Name: "openai-main", Type: "openai", BaseURL: "https://api.openai.com/v1",
			Dialects: []catalog.Dialect{catalog.Chat, catalog.Responses},
			Models:   map[string]string{"gpt-4o-mini": "gpt-4o-mini-2024-07-18"},
			Weight:   1,
		}
		row.change(&channel)
		err := channel.Check()
		switch {
		case row.param == "" && err != nil:
			t.Errorf("%s: Check = %v", row.rule, err)
		case row.param != "" && (!problem.Is(err, row.kind) || problem.From(err).Param != row.param):
			t.Errorf("%s: Check = %v, want %v at %s", row.rule, err, row.kind, row.param)
		}
	}
}

func TestSpeaks_ReportsOnlyDeclaredDialects(t *testing.T) {
	channel := catalog.Channel{Dialects: []catalog.Dialect{catalog.Chat, catalog.Messages}}
	for dialect, want := range map[catalog.Dialect]bool{catalog.Chat: true, catalog.Messages: true,
		catalog.Responses: false, catalog.Gemini: false, "": false} {
		if channel.Speaks(dialect) != want {
			t.Errorf("Speaks(%q) = %v, want %v", dialect, !want, want)
		}
	}
}

func TestOutputBound_HasADefault(t *testing.T) {
	for declared, want := range map[int64]int64{0: catalog.DefaultMaxOutput, 1: 1, 100_000: 100_000,
		-1: catalog.DefaultMaxOutput} {
		if got := (&catalog.Model{MaxOutput: declared}).OutputBound(); got != want {
			t.Errorf("OutputBound of %d = %d, want %d", declared, got, want)
		}
	}
}
