package e2e

import (
	"fmt"
	"strings"
)

// The tokens of the catalogue.
const (
	acmeToken     = "acme-token-0123456789abcdef"     // group default
	discountToken = "discount-token-0123456789abcdef" // group discount
	narrowToken   = "narrow-token-0123456789abcdef"   // may use gpt-4o-mini only
	localToken    = "elsewhere-token-0123456789abc"   // not from this address
	brokeToken    = "broke-token-0123456789abcdef"    // of a tenant without quota
	hundredToken  = "hundred-token-0123456789abcdef"  // of a tenant with 100 flat requests
	victimToken   = "victim-token-0123456789abcdef"   // for stories about control
	memberToken   = "member-token-0123456789abcdef"   // of a member of the same tenant
)

// Who signs in at the console.
const (
	acmeOwner        = "owner@acme.example"
	victimOwner      = "owner@victim.example"
	victimMember     = "member@victim.example"
	operator         = "operator@tollgate.example"
	everyonePassword = "correct horse battery"
)

// offer is a model with the upstream ids of the channels that serve it, in
// the order of their priority. What follows a question mark is a script.
type offer struct {
	model     string
	upstreams []string
}

// offers are the models that the stories use. Each channel serves one model
// only, so that what happens to it concerns no other story.
func offers() []offer {
	list := []offer{
		{"gpt-4o-mini", []string{"gpt-4o-mini"}},
		{"acme/llama-3:70b", []string{"llama"}},
		{"flat-model", []string{"flat"}},
		{"slow-start", []string{"slow-start?delay=1500ms"}},
		{"slow-stream", []string{"slow-stream?chunks=30&pace=100ms"}},
		{"steady-stream", []string{"steady-stream?chunks=20&pace=5ms"}},
		{"failing", []string{"failing?fault=failed_first", "good"}},
		{"incomplete", []string{"incomplete?fault=incomplete"}},
		{"failed-after", []string{"failed-after?fault=failed_after"}},
		{"huge", []string{"huge?size=3000000"}},
		{"long-winded", []string{"long-winded?chunks=5000"}},
		{"switched", []string{"switched"}},
		{"repriced", []string{"repriced"}},
		{"left-alone", []string{"left-alone"}},
		{"leaky", []string{"leaky?status=400&type=invalid_request_error&code=bad_thing&message=No+temperature+for+org-supplier+key+upstream-key-0"}},
	}
	for _, fault := range []string{"status=500", "status=503", "status=401", "status=403", "status=429&retry_after=1", "status=408",
		"fault=cut_before_headers", "fault=error_first", "fault=error_body", "fault=empty", "fault=only_done", "fault=garbage"} {
		list = append(list,
			offer{"over-" + plain(fault), []string{"bad?" + fault, "good"}}, // the next channel is good
			offer{"only-" + plain(fault), []string{"bad?" + fault}},         // there is no other
		)
	}
	for _, oddity := range []string{"frames=crlf", "frames=comments", "frames=big", "frames=split", "frames=unterminated", "frames=nospace", "frames=events",
		"fault=cut", "fault=stall", "fault=error_after", "fault=no_done", "fault=stall_before_headers",
		"usage=always", "usage=null", "usage=absent", "usage=every", "usage=early", "usage=finish", "pace=1300ms&chunks=3"} {
		list = append(list, offer{"odd-" + plain(oddity), []string{"odd?" + oddity}})
	}
	return list
}

// plain makes a model id of a script: "status=429&retry_after=1" is "429",
// "fault=cut" is "cut".
func plain(script string) string {
	first, _, _ := strings.Cut(script, "&")
	_, value, _ := strings.Cut(first, "=")
	return strings.ReplaceAll(value, "_", "-")
}

// catalogue returns the text of the catalogue file. Every model costs 0.15 USD
// in, 0.075 cached and 0.60 out per 1M tokens, but flat-model 0.01 per request.
func catalogue() string {
	var models, channels strings.Builder
	for _, o := range offers() {
		price := `{input: "0.15", cached_input: "0.075", output: "0.60"}`
		if o.model == "flat-model" {
			price = `{request: "0.01"}`
		}
		fmt.Fprintf(&models, "  - {id: %q, owned_by: acme, price: %s}\n", o.model, price)
		for i, upstream := range o.upstreams {
			name := fmt.Sprintf("%s-%d", strings.ReplaceAll(o.model, "/", "-"), i)
			fmt.Fprintf(&channels, "  - {name: %q, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: [upstream-key-%d], endpoints: [chat, responses], models: {%q: %q}, priority: %d, weight: 1}\n",
				name, i, o.model, upstream, i)
		}
	}
	return join(
		"groups:",
		`  - {name: default, multiplier: "1.0", models: ["*"]}`,
		`  - {name: discount, multiplier: "0.85", models: ["*"]}`,
		"models:", models.String(),
		"channels:", channels.String(),
		"tenants:",
		tenant("acme", "10000", "default", fmt.Sprintf(`[{name: main, value: %s}, {name: narrow, value: %s, models: [gpt-4o-mini]}]`, acmeToken, narrowToken)),
		tenant("discounted", "10000", "discount", fmt.Sprintf(`[{name: main, value: %s}]`, discountToken)),
		tenant("broke", "0", "default", fmt.Sprintf(`[{name: main, value: %s}]`, brokeToken)),
		tenant("hundred", "1.00", "default", fmt.Sprintf(`[{name: main, value: %s}]`, hundredToken)),
		strings.TrimSuffix(tenant("victim", "100", "default", fmt.Sprintf(`[{name: main, value: %s}, {name: elsewhere, value: %s}]`, victimToken, localToken)), "\n"),
		fmt.Sprintf("      - {email: %s, password: %q, role: member, group: default, tokens: [{name: member, value: %s}]}", victimMember, everyonePassword, memberToken),
		"operators:",
		fmt.Sprintf("  - {email: %s, password: %q}", operator, everyonePassword),
	)
}

func tenant(slug, quota, group, tokens string) string {
	return join(
		fmt.Sprintf("  - slug: %s", slug),
		fmt.Sprintf("    name: %s", slug),
		fmt.Sprintf("    quota: %q", quota),
		"    users:",
		fmt.Sprintf("      - {email: owner@%s.example, password: %q, role: owner, group: %s, tokens: %s}", slug, everyonePassword, group, tokens),
	)
}
