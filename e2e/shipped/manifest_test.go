package shipped

import (
	"fmt"
	"strings"
)

// The tokens in the manifest.
const (
	acmeToken    = "acme-token-0123456789abcdef"    // for all models
	narrowToken  = "narrow-token-0123456789abcdef"  // of the same user; only for plain
	rivalToken   = "rival-token-0123456789abcdef"   // of another tenant, whose group may use only plain
	hundredToken = "hundred-token-0123456789abcdef" // its tenant has quota for 100 requests of flat
)

// Users of the console, with the same password.
const (
	acmeOwner        = "owner@acme.example"
	rivalOwner       = "owner@rival.example"
	operator         = "operator@tollgate.example"
	everyonePassword = "correct horse battery"
)

// flatPrice is the price of a call of the model flat in nano-dollars: 0.01 USD.
const flatPrice = 10_000_000

// offers lists the models with the upstream model ids of their channels, in the order of priority. The part
// after a question mark is a script of the fake upstream.
var offers = []struct {
	model     string
	upstreams []string
}{
	{"plain", []string{"plain"}},
	{"flat", []string{"flat"}},
	{"steady", []string{"steady?chunks=20&pace=10ms"}},
	{"gated", []string{"gated?chunks=20&gate=gated"}}, // only for TestChatStream_ArrivesAsItIsProduced
	{"long", []string{"long?chunks=80&pace=50ms"}},
	{"failing", []string{"failing?status=503", "refusing?status=401", "good"}},
	{"hopeless", []string{"hopeless?status=500"}},
}

// manifest returns the text of the manifest. Every model costs 0.15 USD per million input tokens, 0.075 cached
// and 0.60 output; flat costs 0.01 USD per request.
func manifest() string {
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
			fmt.Fprintf(&b, "  - {name: %s-%d, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: "+
				"[upstream-key], endpoints: [chat, responses], models: {%s: %q}, priority: %d, unpriced: allow}\n",
				o.model, i, o.model, upstream, i)
		}
	}
	b.WriteString("tenants:\n")
	b.WriteString(tenant("acme", "1000", "default", "{name: main, value: "+acmeToken+"}, {name: narrow, value: "+
		narrowToken+", models: [plain]}"))
	b.WriteString(tenant("rival", "1000", "narrow", "{name: main, value: "+rivalToken+"}"))
	b.WriteString(tenant("hundred", "1.00", "default", "{name: main, value: "+hundredToken+"}"))
	fmt.Fprintf(&b, "operators:\n  - {email: %s, password: %s}\n", operator, everyonePassword)
	return b.String()
}

// tenant returns the entry of a tenant with one owner.
func tenant(slug, quota, group, tokens string) string {
	return fmt.Sprintf("  - slug: %[1]s\n    name: %[1]s\n    quota: %[2]q\n    users:\n"+
		"      - {email: owner@%[1]s.example, password: %[3]s, role: owner, group: %[4]s, tokens: [%[5]s]}\n", slug,
		quota, everyonePassword, group, tokens)
}
