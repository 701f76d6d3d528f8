package e2e

import (
	"fmt"
	"strings"
)

// The tokens in the manifest.
const (
	acmeToken     = "acme-token-0123456789abcdef"     // group default
	discountToken = "discount-token-0123456789abcdef" // group discount
	narrowToken   = "narrow-token-0123456789abcdef"   // only for gpt-4o-mini
	// TestBadRequests_AreRefused gives it an allowlist without this machine's address
	localToken   = "elsewhere-token-0123456789abc"
	brokeToken   = "broke-token-0123456789abcdef"   // its tenant has no quota
	hundredToken = "hundred-token-0123456789abcdef" // its tenant has quota for 100 requests of flat-model
	// Its tenant has quota for 100 requests of gpt-4o-mini with typicalCounts.
	centsToken   = "cents-token-0123456789abcdefgh"
	groupedToken = "grouped-token-0123456789abcde" // of a group that may use only gpt-4o-mini
	victimToken  = "victim-token-0123456789abcdef" // for tests that change settings
	memberToken  = "member-token-0123456789abcdef" // of a member of tenant victim
)

// Users of the console, with the same password.
const (
	acmeOwner        = "owner@acme.example"
	victimOwner      = "owner@victim.example"
	victimMember     = "member@victim.example"
	operator         = "operator@tollgate.example"
	everyonePassword = "correct horse battery"
)

// offer is a model with the upstream model ids of its channels, in the order of priority. The part after a
// question mark is a script of the fake upstream.
type offer struct {
	model     string
	upstreams []string
}

// offers returns the models that the tests use. Each channel serves only one model, so that a channel's faults
// don't affect other tests.
func offers() []offer {
	list := []offer{
		{"gpt-4o-mini", []string{"gpt-4o-mini"}},
		{"gpt-5-mini", []string{"gpt-5-mini"}}, // reasons
		{"acme/llama-3:70b", []string{"llama"}},
		{"flat-model", []string{"flat"}},
		{"never-starts", []string{"never-starts?fault=stall_before_headers"}},
		{"paused", []string{"paused?barrier=paused"}},
		// Only for TestStream_ArrivesAsItIsProduced.
		{"paused-chunks", []string{"paused-chunks?chunks=20&barrier=paused-chunks"}},
		{"slow-stream", []string{"slow-stream?chunks=30&pace=100ms"}},
		{"steady-stream", []string{"steady-stream?chunks=20&pace=5ms"}},
		{"failing", []string{"failing?fault=failed_first&usage=null", "good"}},
		{"failed-first", []string{"failed-first?fault=failed_first"}},
		{"incomplete", []string{"incomplete?fault=incomplete"}},
		{"failed-after", []string{"failed-after?fault=failed_after"}},
		{"huge", []string{"huge?size=3000000"}},
		{"long-winded", []string{"long-winded?chunks=5000"}},
		{"switched", []string{"switched"}},
		{"repriced", []string{"repriced"}},
		{"left-alone", []string{"left-alone"}},
		{"leaky",
			[]string{"leaky?status=400&type=invalid_request_error&code=bad_thing&" +
				"message=No+temperature+for+org-supplier+key+upstream-key-0"}},
	}
	for _, fault := range []string{"status=500", "status=503", "status=401", "status=403",
		"status=429&retry_after=1", "status=408",
		"fault=cut_before_headers", "fault=error_first", "fault=error_body", "fault=empty", "fault=only_done",
		"fault=garbage"} {
		list = append(list,
			offer{"over-" + plain(fault), []string{"bad?" + fault, "good"}}, // the second channel works
			offer{"only-" + plain(fault), []string{"bad?" + fault}},         // no other channel
		)
	}
	for _, oddity := range []string{"frames=crlf", "frames=comments", "frames=big", "frames=split",
		"frames=unterminated", "frames=nospace", "frames=events",
		"fault=cut", "fault=stall", "fault=error_after", "fault=no_done", "fault=stall_before_headers",
		"usage=always", "usage=null", "usage=absent", "usage=every", "usage=early", "usage=finish"} {
		list = append(list, offer{"odd-" + plain(oddity), []string{"odd?" + oddity}})
	}
	return list
}

// plain returns a part of a model id for a script: "status=429&retry_after=1" becomes "429", "fault=cut"
// becomes "cut".
func plain(script string) string {
	first, _, _ := strings.Cut(script, "&")
	_, value, _ := strings.Cut(first, "=")
	return strings.ReplaceAll(value, "_", "-")
}

// manifest returns the text of the manifest. Every model costs 0.15 USD per million input tokens, 0.075 cached
// and 0.60 output; flat-model costs 0.01 USD per request.
func manifest() string {
	var models, channels strings.Builder
	for _, o := range offers() {
		price := `{input: "0.15", cached_input: "0.075", output: "0.60"}`
		if o.model == "flat-model" {
			price = `{request: "0.01"}`
		}
		fmt.Fprintf(&models, "  - {id: %q, owned_by: acme, price: %s}\n", o.model, price)
		for i, upstream := range o.upstreams {
			name := fmt.Sprintf("%s-%d", strings.ReplaceAll(o.model, "/", "-"), i)
			fmt.Fprintf(&channels, "  - {name: %q, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: "+
				"[upstream-key-%d], endpoints: [chat, responses], models: {%q: %q}, priority: %d, weight: 1, "+
				"unpriced: allow}\n",
				name, i, o.model, upstream, i)
		}
	}
	return join(
		"groups:",
		`  - {name: default, multiplier: "1.0", models: ["*"]}`,
		`  - {name: discount, multiplier: "0.85", models: ["*"]}`,
		`  - {name: narrow, multiplier: "1.0", models: [gpt-4o-mini]}`,
		"models:", models.String(),
		"channels:", channels.String(),
		"tenants:",
		tenant("acme", "10000", "default",
			fmt.Sprintf(`[{name: main, value: %s}, {name: narrow, value: %s, models: [gpt-4o-mini]}]`,
				acmeToken, narrowToken)),
		tenant("discounted", "10000", "discount", fmt.Sprintf(`[{name: main, value: %s}]`, discountToken)),
		tenant("grouped", "100", "narrow", fmt.Sprintf(`[{name: main, value: %s}]`, groupedToken)),
		tenant("broke", "0", "default", fmt.Sprintf(`[{name: main, value: %s}]`, brokeToken)),
		tenant("hundred", "1.00", "default", fmt.Sprintf(`[{name: main, value: %s}]`, hundredToken)),
		tenant("cents", "0.0045", "default", fmt.Sprintf(`[{name: main, value: %s}]`, centsToken)),
		strings.TrimSuffix(tenant("victim", "100", "default",
			fmt.Sprintf(`[{name: main, value: %s}, {name: elsewhere, value: %s}]`, victimToken, localToken)), "\n"),
		fmt.Sprintf("      - {email: %s, password: %q, role: member, group: default, tokens: [{name: member, value: "+
			"%s}]}", victimMember, everyonePassword, memberToken),
		"operators:",
		fmt.Sprintf("  - {email: %s, password: %q}", operator, everyonePassword),
	)
}

// tenant returns the entry of a tenant with one owner.
func tenant(slug, quota, group, tokens string) string {
	return join(
		fmt.Sprintf("  - slug: %s", slug),
		fmt.Sprintf("    name: %s", slug),
		fmt.Sprintf("    quota: %q", quota),
		"    users:",
		fmt.Sprintf("      - {email: owner@%s.example, password: %q, role: owner, group: %s, tokens: %s}", slug,
			everyonePassword, group, tokens),
	)
}
