package chaos

import (
	"fmt"
	"strings"
	"time"
)

// tariff is the price of a model in nano-dollars, per token and per request.
type tariff struct {
	input, cached, output, request int64
	tools                          // zero: the answers have none
}

// tools holds the charges that the answers of a model state, as its script says: each answer in the priority tier,
// which costs tierTimes as much for tokens, with tokens of a cache of one hour, and with calls of tools that the
// provider ran.
type tools struct {
	tierTimes          int64 // 0: the ordinary tier
	hour               int64 // tokens of the prompt
	searches, sessions int64
	hourRate, search   int64 // nano-dollars
	session            int64 // nano-dollars
}

// offer is a model with its price and the script of its upstream (see fakeupstream.Script).
type offer struct {
	model, script string
	tariff
}

const (
	maxOutput  = 4096     // output token limit of every model
	longStream = "slow"   // id of the model with long streams
	paired     = "paired" // id of the model with two channels, of which one obeys the scripts in calls
	native     = "native" // id of the model whose channel speaks the dialect responses
	// Id of the model whose answers name the priority tier and have tools; its channel speaks the dialect responses.
	tooled = "tooled"
	sink   = "sink" // id of the model for large bodies, which only hostile clients call
)

// offers returns all models. Their prices are per token, per request, and both combined.
func offers() []offer {
	return []offer{
		{"plain", "", tariff{input: 150, cached: 75, output: 600}},
		{"expensive", "", tariff{input: 2_500, cached: 1_250, output: 10_000}},
		{"mixed", "", tariff{input: 3_000, cached: 1_500, output: 15_000, request: 1_000_000}},
		{"flat", "", tariff{request: 10_000_000}},
		{longStream, "?chunks=20&pace=50ms", tariff{input: 150, cached: 75, output: 600}},
		{paired, "", tariff{input: 150, cached: 75, output: 600}},
		{native, "", tariff{input: 150, cached: 75, output: 600}},
		{tooled, "?tier=priority&hour=1&searches=2&sessions=1",
			tariff{input: 2_000, cached: 500, output: 8_000, tools: tools{
				tierTimes: 2, hour: 1, searches: 2, sessions: 1, hourRate: 4_000, search: 10_000_000,
				session: 30_000_000,
			}}},
		{sink, "", tariff{input: 150, cached: 75, output: 600}},
	}
}

// tariffOf returns the tariff of a model; the zero tariff for an unknown one.
func tariffOf(model string) tariff {
	for _, o := range offers() {
		if o.model == model {
			return o.tariff
		}
	}
	return tariff{}
}

// bill computes a price in nano-dollars with the test's own copy of the formula: tokens of each class times
// their price, times the group's multiplier in thousandths, rounded half up. A shared implementation would hide
// mistakes from the audit.
func (t tariff) bill(c counts, permille int64) int64 {
	nano := (c.prompt-c.cached-t.hour)*t.input + t.hour*t.hourRate + c.cached*t.cached + c.completion*t.output
	nano = nano*max(1, t.tierTimes) + t.searches*t.search + t.sessions*t.session + t.request
	return (nano*permille + 500) / 1000
}

// customer is a token and the models that it calls. A limited customer has less quota than a run would spend,
// in the account that limit names.
type customer struct {
	tenant, user, token string
	permille            int64 // multiplier of its group, in thousandths
	models              []string
	limit               string // account with a limit: tenant, user or token; "": none
	lasts               int64  // number of average requests that the limit pays for
	// Sends its first request during link-lost-commits, so that the answer to its first lease is lost.
	startsLate bool
}

// secret returns the token's value.
func (c *customer) secret() string { return c.tenant + "-" + c.token + "-0123456789abcdef" }

// limited reports whether the customer has less quota than a run would spend.
func (c *customer) limited() bool { return c.limit != "" }

// customers returns the customers of a run of the planned length. A limited customer sends a request each
// limitedPause; its quota pays for a percentage of what it would send in the whole run.
func customers(length time.Duration) []customer {
	part := func(percent int64) int64 { return max(20, int64(length/limitedPause)*percent/100) }
	return []customer{
		{tenant: "rich", user: "owner", token: "main", permille: 1000,
			models: []string{"plain", "expensive", "mixed", "flat", paired, native, tooled}},
		{tenant: "discounted", user: "owner", token: "main", permille: 850,
			models: []string{"plain", "mixed", "expensive", paired, native, tooled}},
		{tenant: "flat", user: "owner", token: "main", permille: 1000, models: []string{"flat"}, limit: "tenant",
			lasts: part(20)},
		{tenant: "thin", user: "owner", token: "main", permille: 850, models: []string{"expensive", "mixed"},
			limit: "tenant", lasts: part(90)},
		{tenant: "capped", user: "owner", token: "small", permille: 1000, models: []string{"expensive"}, limit: "token",
			lasts: part(40)},
		{tenant: "capped", user: "member", token: "member", permille: 1000, models: []string{"mixed"}, limit: "user",
			lasts: part(90)},
		{tenant: "late", user: "owner", token: "main", permille: 1000, models: []string{"expensive"}, limit: "tenant",
			lasts: part(20), startsLate: true},
	}
}

// quota returns the quota of the customer's limit, in nano-dollars.
func (c *customer) quota() int64 {
	typical := counts{prompt: leastPrompt + prompts/2, completion: completions / 2, cached: cacheds / 2}
	var sum int64
	for _, model := range c.models {
		sum += tariffOf(model).bill(typical, c.permille)
	}
	return c.lasts * sum / int64(len(c.models))
}

// group returns the name of the customer's group, which is named after its multiplier.
func (c *customer) group() string { return fmt.Sprintf("times-%d", c.permille) }

// usd formats nano-dollars as a decimal number of USD.
func usd(nano int64) string { return fmt.Sprintf("%d.%09d", nano/1e9, nano%1e9) }

const plentiful = 10_000_000_000_000 // nano-dollars; more than a run can spend

// manifest returns the text of the manifest with the groups, models, channels and tenants of a run.
func manifest(list []customer) string {
	var b strings.Builder
	b.WriteString("groups:\n")
	for _, permille := range []int64{1000, 850} {
		fmt.Fprintf(&b, "  - {name: times-%d, multiplier: \"%d.%03d\", models: [\"*\"]}\n", permille,
			permille/1000, permille%1000)
	}
	b.WriteString("models:\n")
	for _, o := range offers() {
		fmt.Fprintf(&b, "  - {id: %s, owned_by: chaos, max_output_tokens: %d, price: {input: %q, cached_input: %q, "+
			"output: %q, request: %q%s}}\n",
			o.model, maxOutput, usd(o.input*1e6), usd(o.cached*1e6), usd(o.output*1e6), usd(o.request), o.prices())
	}
	b.WriteString("channels:\n")
	for _, o := range offers() {
		writeChannel(&b, o.model, o.model, o.model+o.script)
	}
	// The upstream ignores the scripts in calls for this name.
	writeChannel(&b, paired+"-sound", paired, paired+"?chunks=5")
	b.WriteString("tenants:\n")
	for i := range list {
		writeTenant(&b, list, i)
	}
	b.WriteString(others())
	return b.String()
}

// prices returns the prices of the tools in the manifest, "" if there are none.
func (t *tools) prices() string {
	if *t == (tools{}) {
		return ""
	}
	return fmt.Sprintf(", cache_write_1h: %q, service_tiers: {priority: {multiplier: \"%d\"}}, tools: {web_search: "+
		"%q, code_interpreter: %q}",
		usd(t.hourRate*1e6), t.tierTimes, usd(t.search), usd(t.session))
}

// writeChannel writes a channel for one model.
func writeChannel(b *strings.Builder, name, model, upstreamModel string) {
	path, endpoint := "", "chat"
	switch model {
	case sink:
		path = "/sink"
	case native, tooled:
		endpoint = "responses"
	}
	fmt.Fprintf(b, "  - {name: %s, type: openai, base_url: \"${UPSTREAM_URL}%s\", api_keys: [upstream-key], "+
		"endpoints: [%s], models: {%s: %q}}\n",
		name, path, endpoint, model, upstreamModel)
}

// attacked is the account whose password hostile clients guess.
const attacked = "person-attacked@people.example"

// readerOf returns the email address of a person.
func readerOf(i int) string { return fmt.Sprintf("person-%d@people.example", i) }

// others returns the tenants whose users are not customers: people who use the console, and hostile clients.
func others() string {
	var b strings.Builder
	b.WriteString("  - slug: people\n    name: people\n    quota: \"1\"\n    users:\n")
	user := "      - {email: %s, password: " + password + ", role: owner, group: times-1000, tokens: [%s]}\n"
	fmt.Fprintf(&b, user, attacked, "")
	for i := range readers {
		fmt.Fprintf(&b, user, readerOf(i), "")
	}
	var tokens []string
	for i, value := range hostileTokens() {
		tokens = append(tokens, fmt.Sprintf("{name: token-%d, value: %s}", i, value))
	}
	fmt.Fprintf(&b, "  - slug: %s\n    name: %s\n    quota: %q\n    users:\n"+user, hostileTenant, hostileTenant,
		usd(plentiful), hostileOwner, strings.Join(tokens, ", "))
	fmt.Fprintf(&b, "  - slug: %s\n    name: %s\n    quota: \"0\"\n    users:\n"+user, brokeTenant, brokeTenant,
		"owner@broke.example", "{name: main, value: "+brokeToken+"}")
	return b.String()
}

// writeTenant writes the tenant of customer i with all its users. It does nothing if the customer before has
// the same tenant.
func writeTenant(b *strings.Builder, list []customer, i int) {
	head := &list[i]
	if i > 0 && list[i-1].tenant == head.tenant {
		return
	}
	fmt.Fprintf(b, "  - slug: %s\n    name: %s\n    quota: %q\n    users:\n", head.tenant, head.tenant,
		usd(granted(head, "tenant")))
	for j := range list {
		if c := &list[j]; c.tenant == head.tenant {
			fmt.Fprintf(b, "      - {email: %s@%s.example, password: correct horse battery, role: %s, group: %s%s, "+
				"tokens: [{name: %s, value: %s%s}]}\n",
				c.user, c.tenant, c.user, c.group(), capOf(c, "user"), c.token, c.secret(), capOf(c, "token"))
		}
	}
}

// granted returns the quota of the customer's account: its limit, or more than it can spend.
func granted(c *customer, account string) int64 {
	if c.limit == account {
		return c.quota()
	}
	return plentiful
}

// capOf returns the quota field of a user or token in the manifest; "" if the customer's limit is elsewhere.
func capOf(c *customer, account string) string {
	if c.limit != account {
		return ""
	}
	return fmt.Sprintf(", quota: %q", usd(c.quota()))
}
