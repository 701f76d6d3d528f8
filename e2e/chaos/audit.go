package chaos

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
)

// row is one usage log.
type row struct {
	tenant, model, outcome string
	counts
	quota int64
}

// audit compares what the clients saw with the records, and the records with each other. Each comparison is a
// Check in the report. The relays have ended and the outbox is empty.
func (r *run) audit(ctx context.Context) error {
	rows, err := r.rows(ctx)
	if err != nil {
		return err
	}
	r.auditContract()
	r.auditSuccesses(rows)
	r.auditTools(ctx)
	r.auditOrigins(rows)
	if err := r.auditAccounts(ctx); err != nil {
		return err
	}
	if err := r.auditLimits(ctx); err != nil {
		return err
	}
	r.auditLeases(ctx)
	if err := r.auditSpools(ctx); err != nil {
		return err
	}
	out, err := r.stage.Verify(ctx)
	r.check("console verify confirms every bill", Equal, 0, differences(err))
	r.remark("console verify: %s", strings.TrimSpace(out))
	r.auditPhases()
	r.auditAttacks()
	return nil
}

// differences returns 1 for an error and 0 for nil, as the number that a check found.
func differences(err error) int64 {
	if err != nil {
		return 1
	}
	return 0
}

// check adds a comparison to the report.
func (r *run) check(name string, rule Rule, expected, actual int64, examples ...string) {
	r.report.Checks = append(r.report.Checks, Check{Name: name, Rule: rule, Expected: expected, Found: actual,
		Examples: examples})
}

// rows returns all usage logs by request id.
func (r *run) rows(ctx context.Context) (map[string]row, error) {
	result := map[string]row{}
	err := r.query(ctx, `
		SELECT l.id::text, coalesce(t.slug, 'no tenant'), l.model, l.outcome, l.cached_input_tokens,
			l.input_tokens + l.cache_write_tokens, l.output_tokens, l.quota
		FROM usage_logs l LEFT JOIN tenants t ON t.id = l.tenant_id`, nil,
		func(rows pgx.Rows) error {
			var id string
			var r row
			err := rows.Scan(&id, &r.tenant, &r.model, &r.outcome, &r.cached, &r.prompt, &r.completion, &r.quota)
			// The tables count cached tokens apart from the other input; counts includes them in prompt.
			r.prompt += r.cached
			result[id] = r
			return err
		})
	return result, err
}

// auditContract checks that the exchanges of the load match the OpenAPI document.
func (r *run) auditContract() {
	var different findings
	if err := r.checker.Close(); err != nil {
		different.add("%v", err)
	}
	r.check("operations whose traffic differs from the OpenAPI document", Equal, 0, different.n, different.examples...)
	r.remark("%s", r.checker.Summary())
}

// auditSuccesses checks that each request that its client saw succeed has a usage log with the same counts and
// the price that the tests computed themselves.
func (r *run) auditSuccesses(rows map[string]row) {
	var gaps, different, duplicates, deficits findings
	ids := map[string]bool{}
	for i := range r.ledger.successes {
		s := &r.ledger.successes[i]
		if ids[s.id] {
			duplicates.add("%s", s.id)
		}
		ids[s.id] = true
		got, ok := rows[s.id]
		want := row{tenant: s.customer.tenant, model: s.model, outcome: "success", counts: s.counts, quota: s.bill()}
		switch {
		case !ok:
			gaps.add("%s of %s at relay %d", s.id, s.customer.tenant, s.relay+1)
		case got != want && r.reclaimed(s, got, want):
			deficits.add("%s of %s", s.id, s.customer.tenant)
			r.forgiven[s.customer] += want.quota - got.quota
		case got != want:
			different.add("%s is %+v, want %+v", s.id, got, want)
		}
	}
	total := int64(len(r.ledger.successes))
	r.check("successes that clients saw are in the usage logs", Equal, total, total-gaps.n, gaps.examples...)
	r.check("of these, different from what clients saw or from the price formula of the test", Equal, 0, different.n,
		different.examples...)
	r.check("request ids that two successes share", Equal, 0, duplicates.n, duplicates.examples...)
	if deficits.n > 0 {
		r.remark("%d successes of the relay that was down were charged less, because other requests had spent their "+
			"quota by then: %v", deficits.n, deficits.examples)
	}
}

// auditTools checks that each success has the service tier, the cache writes and the calls of tools that its answer
// states.
func (r *run) auditTools(ctx context.Context) {
	t := tariffOf(tooled).tools
	r.check("successes without the service tier, the cache writes or the calls of tools of their answer", Equal,
		0, r.number(ctx, `
		SELECT count(*) FROM usage_logs WHERE outcome = 'success' AND (model = $1) IS DISTINCT FROM
			((coalesce(service_tier, ''), cache_write_tokens, coalesce(cache_write_1h_tokens, 0), coalesce(web_search_calls, 0), coalesce(code_interpreter_sessions, 0)) = ('priority', $2::bigint, $2::bigint, $3::bigint, $4::bigint))`,
			tooled, t.hour, t.searches, t.sessions))
	r.remark("successes with tools in the priority tier: %d",
		r.number(ctx, `SELECT count(*) FROM usage_logs WHERE outcome = 'success' AND model = $1`, tooled))
}

// reclaimed reports whether a success was charged less because its lease was reclaimed before the success was
// recorded. Only the relay of relay-gone and limited customers may be affected.
func (r *run) reclaimed(s *seen, got, want row) bool {
	if r.lost != r.stage.Relays[s.relay] || !s.customer.limited() || got.quota >= want.quota {
		return false
	}
	want.quota = got.quota
	return got == want
}

// auditOrigins looks for usage logs that match no request that was sent, and for requests with two usage logs.
func (r *run) auditOrigins(rows map[string]row) {
	var unknown, duplicates, charges findings
	idOf := map[counts]string{}
	outcomes := map[string]int{}
	requests := int64(0) // usage logs of tenants that are not hostile
	for id, got := range rows {
		outcomes[got.outcome]++
		if got.outcome == "failed" && got.quota != 0 {
			charges.add("%s: %+v", id, got)
		}
		if got.tenant == hostileTenant || got.tenant == brokeTenant {
			continue
		}
		requests++
		if got.outcome != "success" {
			continue
		}
		order, ok := r.ledger.sent[got.counts]
		if !ok || order.customer.tenant != got.tenant || order.model != got.model {
			unknown.add("%s: %+v", id, got)
		}
		if twin, ok := idOf[got.counts]; ok {
			duplicates.add("%s and %s", twin, id)
		}
		idOf[got.counts] = id
	}
	r.check("usage logs, at most one for each request sent", AtMost, r.ledger.number, requests)
	r.check("usage logs of requests that no client sent", Equal, 0, unknown.n, unknown.examples...)
	r.check("requests with two usage logs", Equal, 0, duplicates.n, duplicates.examples...)
	r.check("failed requests that were charged", Equal, 0, charges.n, charges.examples...)
	r.remark("usage logs by outcome: %s", classes(outcomes))
}

// auditAccounts compares every account with the usage logs and the rollups of its tenant, user or token, and
// looks for overspent accounts. Each usage log counts for three accounts: those of its tenant, its user and its
// token.
func (r *run) auditAccounts(ctx context.Context) error {
	const totals = `SELECT %[1]s_id AS id, sum(quota) AS quota, %[2]s AS requests FROM %[3]s GROUP BY 1`
	query := func(table, requests string) string {
		var parts []string
		for _, owner := range []string{"tenant", "user", "token"} {
			parts = append(parts, fmt.Sprintf(totals, owner, requests, table))
		}
		return strings.Join(parts, " UNION ALL ")
	}
	var used, hourly, daily, requests, overspent findings
	var sum int64
	err := r.query(ctx, fmt.Sprintf(`
		SELECT a.kind || ' ' || a.id, a.granted, a.used, coalesce(l.quota, 0)::bigint, coalesce(h.quota, 0)::bigint,
			coalesce(d.quota, 0)::bigint,
			coalesce(l.requests, 0)::bigint, coalesce(h.requests, 0)::bigint, coalesce(d.requests, 0)::bigint
		FROM accounts a LEFT JOIN (%s) l USING (id) LEFT JOIN (%s) h USING (id) LEFT JOIN (%s) d USING (id)`,
		query("usage_logs", "count(*)"), query("usage_rollups_hourly", "sum(requests)"),
		query("usage_rollups_daily", "sum(requests)")), nil,
		func(rows pgx.Rows) error {
			var name string
			var grant *int64
			var spent int64
			var quota, count [3]int64 // from usage logs, hourly rollups, daily rollups
			if err := rows.Scan(&name, &grant, &spent, &quota[0], &quota[1], &quota[2], &count[0], &count[1],
				&count[2]); err != nil {
				return err
			}
			sum += quota[0]
			used.unequal(name, spent, quota[0])
			hourly.unequal(name, quota[1], quota[0])
			daily.unequal(name, quota[2], quota[0])
			requests.unequal(name+" by hour", count[1], count[0])
			requests.unequal(name+" by day", count[2], count[0])
			if grant != nil && spent > *grant {
				overspent.add("%s used %d of %d", name, spent, *grant)
			}
			return nil
		})
	r.remark("the usage logs deduct %s USD", usd(sum/3)) // every log was added for three accounts
	r.check("accounts whose used quota is not the sum of their usage logs", Equal, 0, used.n, used.examples...)
	r.check("accounts whose hourly rollups are not the sum of their usage logs", Equal, 0, hourly.n, hourly.examples...)
	r.check("accounts whose daily rollups are not the sum of their usage logs", Equal, 0, daily.n, daily.examples...)
	r.check("accounts whose rollups have a wrong number of requests", Equal, 0, requests.n, requests.examples...)
	r.check("accounts that used more than they were granted", Equal, 0, overspent.n, overspent.examples...)
	return err
}

// accountOf returns the statement that reads the used quota of the account that has a customer's limit.
func accountOf(limit string) string {
	return map[string]string{
		"tenant": `SELECT a.used FROM accounts a JOIN tenants t ON t.id = a.id WHERE t.slug = $1`,
		"user":   `SELECT a.used FROM accounts a JOIN users u ON u.id = a.id WHERE u.address = $1`,
		"token":  `SELECT a.used FROM accounts a JOIN tokens k ON k.id = a.id WHERE k.name = $1`,
	}[limit]
}

// account returns the parameter of accountOf's statement: slug, email address or token name.
func (c *customer) account() string {
	return map[string]string{"tenant": c.tenant, "user": c.user + "@" + c.tenant + ".example",
		"token": c.token}[c.limit]
}

// auditLimits checks that limited customers got neither more nor less than their quota pays for. Each relay may
// have left over what one hold needs.
func (r *run) auditLimits(ctx context.Context) error {
	for i := range r.load.customers {
		c := &r.load.customers[i]
		if !c.limited() {
			continue
		}
		value, requests := -r.forgiven[c], int64(0)
		for j := range r.ledger.successes {
			if s := &r.ledger.successes[j]; s.customer == c {
				value += s.bill()
				requests++
			}
		}
		use := r.number(ctx, accountOf(c.limit), c.account())
		if use < 0 {
			return fmt.Errorf("the account of %s %s was not found", c.limit, c.account())
		}
		name := fmt.Sprintf("%s %s:", c.limit, c.account())
		r.check(name+" value of the successes that clients saw, at most the grant", AtMost, c.quota(), value)
		r.check(name+" quota left, at most one hold for each relay", AtMost, relays*c.largestHold(), c.quota()-use)
		r.remark("%s %d requests served, %s of %s USD used", name, requests, usd(use), usd(c.quota()))
	}
	return nil
}

// largestHold returns the most quota, in nano-dollars, that a request of spendTheRest reserves. 512 tokens are
// an allowance for the relay's estimate of the input, which counts bytes of the body.
func (c *customer) largestHold() int64 {
	o := order{customer: c, model: c.models[0], capped: true}
	o.counts = counts{prompt: leastPrompt + prompts, completion: completions}
	bound := counts{prompt: int64(len(o.body())) + 512, completion: completions}
	return tariffOf(o.model).bill(bound, c.permille)
}

// auditLeases checks that the relays, which have ended, returned all leases, and that the outbox is empty.
func (r *run) auditLeases(ctx context.Context) {
	r.check("nano-dollars leased according to the accounts", Equal, 0,
		r.number(ctx, `SELECT coalesce(sum(leased), 0)::bigint FROM accounts`))
	r.check("nano-dollars in leases", Equal, 0, r.number(ctx, `SELECT coalesce(sum(amount), 0)::bigint FROM leases`))
	r.check("rows left in the outbox", Equal, 0, r.number(ctx, `SELECT count(*) FROM usage_outbox`))
}

// auditSpools checks that no events are left on the relays' disks. A kill may interrupt a write; the relay
// moves the incomplete last record to quarantine/*.tail. Such a record belongs to no request that a client saw
// succeed, so it is only counted.
func (r *run) auditSpools(ctx context.Context) error {
	var segments, quarantine findings
	torn := 0
	for _, relay := range r.stage.Relays {
		files, err := relay.Spool(ctx)
		if err != nil {
			return err
		}
		for _, file := range files {
			folder, name := path.Split(file)
			switch {
			case folder == "" && strings.HasSuffix(name, ".seg"):
				segments.add("%s: %s", relay.Name, file)
			case folder == "quarantine/" && strings.HasSuffix(name, ".tail"):
				torn++
			case folder == "quarantine/":
				quarantine.add("%s: %s", relay.Name, file)
			}
		}
	}
	r.check("spool segments that were not shipped", Equal, 0, segments.n, segments.examples...)
	r.check("events in quarantine", Equal, 0, quarantine.n, quarantine.examples...)
	if torn > 0 {
		r.remark("%d writes were interrupted by a kill, and their incomplete records cut off", torn)
	}
	return nil
}

// auditPhases checks that the faults explain all failures that clients saw, and that Tollgate recovered from
// each fault.
func (r *run) auditPhases() {
	var excess, broken findings
	for _, p := range r.report.Phases {
		if n := sum(p.Excess); n > 0 {
			excess.n += int64(n)
			excess.examples = append(excess.examples, p.Name+": "+classes(p.Excess))
		}
		if p.Err != nil && !p.skipped() {
			broken.add("%s: %v", p.Name, p.Err)
		}
	}
	r.check("failures that no fault explains", Equal, 0, excess.n, excess.examples...)
	r.check("faults that Tollgate did not recover from in time", Equal, 0, broken.n, broken.examples...)
}

// findings counts differences and keeps up to three examples.
type findings struct {
	n        int64
	examples []string
}

func (f *findings) add(format string, args ...any) {
	f.n++
	if len(f.examples) < 3 {
		f.examples = append(f.examples, fmt.Sprintf(format, args...))
	}
}

// unequal adds a finding if the number of an account differs from the sum of its usage logs.
func (f *findings) unequal(name string, got, want int64) {
	if got != want {
		f.add("%s: %d, the usage logs say %d", name, got, want)
	}
}
