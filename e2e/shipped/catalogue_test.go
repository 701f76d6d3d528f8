package shipped

import (
	"fmt"
	"strings"
)

// The tokens of the catalogue.
const (
	acmeToken    = "acme-token-0123456789abcdef"    // may use every model
	narrowToken  = "narrow-token-0123456789abcdef"  // of the same user; may use plain only
	rivalToken   = "rival-token-0123456789abcdef"   // of another tenant, whose group may use plain only
	hundredToken = "hundred-token-0123456789abcdef" // of a tenant with quota for 100 flat requests
)

// Who signs in at the console.
const (
	acmeOwner        = "owner@acme.example"
	rivalOwner       = "owner@rival.example"
	operator         = "operator@tollgate.example"
	everyonePassword = "correct horse battery"
)

// flatPrice is what a call of the model flat costs, in nano-dollars: 0.01 USD.
const flatPrice = 10_000_000

// offers are the models with the upstream ids of the channels that serve them, in
// the order of their priority. What follows a question mark is a script.
var offers = []struct {
	model     string
	upstreams []string
}{
	{"plain", []string{"plain"}},
	{"flat", []string{"flat"}},
	{"steady", []string{"steady?chunks=20&pace=10ms"}},
	{"long", []string{"long?chunks=80&pace=50ms"}},
	{"failing", []string{"failing?status=503", "refusing?status=401", "good"}},
	{"hopeless", []string{"hopeless?status=500"}},
}

// catalogue returns the text of the catalogue file. Every model costs 0.15 USD in,
// 0.075 cached and 0.60 out per 1M tokens, but flat 0.01 per request.
func catalogue() string {
	var b strings.Builder
	b.WriteString("groups:\n" +
		"  - {name: default, multiplier: \"1.0\", models: [\"*\"]}\n" +
		"  - {name: narrow, multiplier: \"0.85\", models: [plain]}\n" +
		"models:\n")
	for _, o := range offers {
		price := `{input: "0.15", cached_input: "0.075", output: "0.60"}`
		if o.model == "flat" {
			price = `{request: "0.01"}`
		}
		fmt.Fprintf(&b, "  - {id: %s, owned_by: acme, price: %s}\n", o.model, price)
	}
	b.WriteString("channels:\n")
	for _, o := range offers {
		for i, upstream := range o.upstreams {
			fmt.Fprintf(&b, "  - {name: %s-%d, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: [upstream-key], endpoints: [chat, responses], models: {%s: %q}, priority: %d}\n",
				o.model, i, o.model, upstream, i)
		}
	}
	b.WriteString("tenants:\n")
	b.WriteString(tenant("acme", "1000", "default", "{name: main, value: "+acmeToken+"}, {name: narrow, value: "+narrowToken+", models: [plain]}"))
	b.WriteString(tenant("rival", "1000", "narrow", "{name: main, value: "+rivalToken+"}"))
	b.WriteString(tenant("hundred", "1.00", "default", "{name: main, value: "+hundredToken+"}"))
	fmt.Fprintf(&b, "operators:\n  - {email: %s, password: %s}\n", operator, everyonePassword)
	return b.String()
}

func tenant(slug, quota, group, tokens string) string {
	return fmt.Sprintf("  - slug: %[1]s\n    name: %[1]s\n    quota: %[2]q\n    users:\n"+
		"      - {email: owner@%[1]s.example, password: %[3]s, role: owner, group: %[4]s, tokens: [%[5]s]}\n", slug, quota, everyonePassword, group, tokens)
}
