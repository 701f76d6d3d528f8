package chaos

import (
	"fmt"
	"strings"
	"time"
)

// tariff is what a model costs in nano-dollars, per token and per request.
type tariff struct{ input, cached, output, request int64 }

// offer is a model, how its upstream answers, and its tariff.
type offer struct {
	model, script string
	tariff
}

const (
	maxOutput  = 4096 // tokens of every model
	longStream = "slow"
)

func offers() []offer {
	return []offer{
		{"plain", "", tariff{input: 150, cached: 75, output: 600}},
		{"dear", "", tariff{input: 2_500, cached: 1_250, output: 10_000}},
		{"mixed", "", tariff{input: 3_000, cached: 1_500, output: 15_000, request: 1_000_000}},
		{"flat", "", tariff{request: 10_000_000}},
		{longStream, "?chunks=20&pace=50ms", tariff{input: 150, cached: 75, output: 600}},
	}
}

func tariffOf(model string) tariff {
	for _, o := range offers() {
		if o.model == model {
			return o.tariff
		}
	}
	return tariff{}
}

// bill is the price formula by hand: tokens by class, times the group's
// multiplier in thousandths, rounded half up to a nano-dollar.
func (t tariff) bill(c counts, permille int64) int64 {
	nano := (c.prompt-c.cached)*t.input + c.cached*t.cached + c.completion*t.output + t.request
	return (nano*permille + 500) / 1000
}

// customer is a token with the models it is used for. A limited one has less
// quota than a run would spend, in the account named by the limit.
type customer struct {
	tenant, user, token string
	permille            int64 // multiplier of its group
	models              []string
	limit               string // tenant, user or token; "": none
	lasts               int64  // requests that the limit is worth, on average
	debuts              bool   // sends nothing before link-lost-commits, so that its first lease is one that is lost
}

// secret is the token's value.
func (c *customer) secret() string { return c.tenant + "-" + c.token + "-0123456789abcdef" }

func (c *customer) limited() bool { return c.limit != "" }

// customers returns those of a run. Limited ones send a request in each
// poorPause, and have quota for some part of what they would send in all.
func customers(planned time.Duration) []customer {
	part := func(percent int64) int64 { return max(20, int64(planned/poorPause)*percent/100) }
	return []customer{
		{tenant: "rich", user: "owner", token: "main", permille: 1000, models: []string{"plain", "dear", "mixed", "flat"}},
		{tenant: "discounted", user: "owner", token: "main", permille: 850, models: []string{"plain", "mixed", "dear"}},
		{tenant: "flat", user: "owner", token: "main", permille: 1000, models: []string{"flat"}, limit: "tenant", lasts: part(20)},
		{tenant: "thin", user: "owner", token: "main", permille: 850, models: []string{"dear", "mixed"}, limit: "tenant", lasts: part(90)},
		{tenant: "capped", user: "owner", token: "small", permille: 1000, models: []string{"dear"}, limit: "token", lasts: part(40)},
		{tenant: "capped", user: "member", token: "member", permille: 1000, models: []string{"mixed"}, limit: "user", lasts: part(90)},
		{tenant: "late", user: "owner", token: "main", permille: 1000, models: []string{"dear"}, limit: "tenant", lasts: part(20), debuts: true},
	}
}

// quota is what the customer's limit grants, in nano-dollars.
func (c *customer) quota() int64 {
	typical := counts{prompt: leastPrompt + prompts/2, completion: completions / 2, cached: cacheds / 2}
	var sum int64
	for _, model := range c.models {
		sum += tariffOf(model).bill(typical, c.permille)
	}
	return c.lasts * sum / int64(len(c.models))
}

func (c *customer) group() string { return fmt.Sprintf("times-%d", c.permille) }

// usd spells nano-dollars as a decimal of USD.
func usd(nano int64) string { return fmt.Sprintf("%d.%09d", nano/1e9, nano%1e9) }

const fortune = 10_000_000_000_000 // nano-dollars: no run can spend it

// catalogue returns the text of the catalogue file.
func catalogue(all []customer) string {
	var b strings.Builder
	b.WriteString("groups:\n")
	for _, permille := range []int64{1000, 850} {
		fmt.Fprintf(&b, "  - {name: times-%d, multiplier: \"%d.%03d\", models: [\"*\"]}\n", permille, permille/1000, permille%1000)
	}
	b.WriteString("models:\n")
	for _, o := range offers() {
		fmt.Fprintf(&b, "  - {id: %s, owned_by: chaos, max_output_tokens: %d, price: {input: %q, cached_input: %q, output: %q, request: %q}}\n",
			o.model, maxOutput, usd(o.input*1e6), usd(o.cached*1e6), usd(o.output*1e6), usd(o.request))
	}
	b.WriteString("channels:\n")
	for _, o := range offers() {
		fmt.Fprintf(&b, "  - {name: %s, type: openai, base_url: \"${UPSTREAM_URL}\", api_keys: [upstream-key], endpoints: [chat], models: {%s: %q}}\n",
			o.model, o.model, o.model+o.script)
	}
	b.WriteString("tenants:\n")
	for i := range all {
		writeTenant(&b, all, i)
	}
	return b.String()
}

// writeTenant writes the tenant, with all its users, at its first customer.
func writeTenant(b *strings.Builder, all []customer, i int) {
	first := &all[i]
	if i > 0 && all[i-1].tenant == first.tenant {
		return
	}
	fmt.Fprintf(b, "  - slug: %s\n    name: %s\n    quota: %q\n    users:\n", first.tenant, first.tenant, usd(granted(first, "tenant")))
	for j := range all {
		if c := &all[j]; c.tenant == first.tenant {
			fmt.Fprintf(b, "      - {email: %s@%s.example, password: correct horse battery, role: %s, group: %s%s, tokens: [{name: %s, value: %s%s}]}\n",
				c.user, c.tenant, c.user, c.group(), capOf(c, "user"), c.token, c.secret(), capOf(c, "token"))
		}
	}
}

func granted(c *customer, account string) int64 {
	if c.limit == account {
		return c.quota()
	}
	return fortune
}

func capOf(c *customer, account string) string {
	if c.limit != account {
		return ""
	}
	return fmt.Sprintf(", quota: %q", usd(c.quota()))
}
