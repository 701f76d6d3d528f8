package chaos

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
)

// row is what a usage log says.
type row struct {
	tenant, model, outcome string
	counts
	quota int64
}

// audit compares what the clients saw with what is recorded, and the records
// with each other.
func (r *run) audit(ctx context.Context) error {
	rows, err := r.rows(ctx)
	if err != nil {
		return err
	}
	r.auditSuccesses(rows)
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
	r.check("console verify says that every bill is right", Equal, 0, differences(err))
	r.remark("console verify: %s", strings.TrimSpace(out))
	r.auditPhases()
	return nil
}

func differences(err error) int64 {
	if err != nil {
		return 1
	}
	return 0
}

func (r *run) check(name string, rule Rule, expected, found int64, examples ...string) {
	r.report.Checks = append(r.report.Checks, Check{Name: name, Rule: rule, Expected: expected, Found: found, Examples: examples})
}

func (r *run) rows(ctx context.Context) (map[string]row, error) {
	all := map[string]row{}
	err := r.query(ctx, `
		SELECT l.id::text, coalesce(t.slug, 'nobody'), l.model, l.outcome, l.cached_input_tokens, l.input_tokens, l.output_tokens, l.quota
		FROM usage_logs l LEFT JOIN tenants t ON t.id = l.tenant_id`, nil,
		func(rows pgx.Rows) error {
			var id string
			var r row
			err := rows.Scan(&id, &r.tenant, &r.model, &r.outcome, &r.cached, &r.prompt, &r.completion, &r.quota)
			r.prompt += r.cached // which stands within it where orders are told apart
			all[id] = r
			return err
		})
	return all, err
}

// auditSuccesses looks for every request that its client saw succeed.
func (r *run) auditSuccesses(rows map[string]row) {
	var missing, different, twice, late faulty
	known := map[string]bool{}
	for i := range r.ledger.successes {
		s := &r.ledger.successes[i]
		if known[s.id] {
			twice.add("%s", s.id)
		}
		known[s.id] = true
		got, ok := rows[s.id]
		want := row{tenant: s.customer.tenant, model: s.model, outcome: "success", counts: s.counts, quota: s.bill()}
		switch {
		case !ok:
			missing.add("%s of %s at relay %d", s.id, s.customer.tenant, s.relay+1)
		case got != want && r.reclaimed(s, got, want):
			late.add("%s of %s", s.id, s.customer.tenant)
			r.forgiven[s.customer] += want.quota - got.quota
		case got != want:
			different.add("%s is %+v, want %+v", s.id, got, want)
		}
	}
	seen := int64(len(r.ledger.successes))
	r.check("successes that clients saw are in the usage logs", Equal, seen, seen-missing.n, missing.examples...)
	r.check("of these, not as seen or not at the price by hand", Equal, 0, different.n, different.examples...)
	r.check("request ids of two successes", Equal, 0, twice.n, twice.examples...)
	if late.n > 0 {
		r.remark("%d successes of the relay that was gone were charged less, their quota having been spent by others meanwhile: %v", late.n, late.examples)
	}
}

// reclaimed reports whether a success was charged less because the lease that
// paid for it had been reclaimed before it was recorded.
func (r *run) reclaimed(s *seen, got, want row) bool {
	if r.lost != r.stage.Relays[s.relay] || !s.customer.limited() || got.quota >= want.quota {
		return false
	}
	want.quota = got.quota
	return got == want
}

// auditOrigins looks for usage logs of requests that were not sent, or were
// sent once and stand there twice.
func (r *run) auditOrigins(rows map[string]row) {
	var strange, twice, charged faulty
	of := map[counts]string{}
	outcomes := map[string]int{}
	for id, got := range rows {
		outcomes[got.outcome]++
		if got.outcome == "failed" && got.quota != 0 {
			charged.add("%s: %+v", id, got)
		}
		if got.outcome != "success" {
			continue
		}
		sent, ok := r.ledger.sent[got.counts]
		if !ok || sent.customer.tenant != got.tenant || sent.model != got.model {
			strange.add("%s: %+v", id, got)
		}
		if other, ok := of[got.counts]; ok {
			twice.add("%s and %s", other, id)
		}
		of[got.counts] = id
	}
	r.check("usage logs, and requests sent", AtMost, r.ledger.number, int64(len(rows)))
	r.check("usage logs of requests that nobody sent", Equal, 0, strange.n, strange.examples...)
	r.check("requests with two usage logs", Equal, 0, twice.n, twice.examples...)
	r.check("failed requests that were charged", Equal, 0, charged.n, charged.examples...)
	r.remark("usage logs by outcome: %s", classes(outcomes))
}

// auditAccounts compares every account with the usage logs and the rollups of
// its tenant, user or token.
func (r *run) auditAccounts(ctx context.Context) error {
	const totals = `SELECT %[1]s_id AS id, sum(quota) AS quota, %[2]s AS requests FROM %[3]s GROUP BY 1`
	of := func(table, requests string) string {
		var parts []string
		for _, owner := range []string{"tenant", "user", "token"} {
			parts = append(parts, fmt.Sprintf(totals, owner, requests, table))
		}
		return strings.Join(parts, " UNION ALL ")
	}
	var used, hourly, daily, requests, overspent faulty
	var sum int64
	err := r.query(ctx, fmt.Sprintf(`
		SELECT a.kind || ' ' || a.id, a.granted, a.used, coalesce(l.quota, 0)::bigint, coalesce(h.quota, 0)::bigint, coalesce(d.quota, 0)::bigint,
			coalesce(l.requests, 0)::bigint, coalesce(h.requests, 0)::bigint, coalesce(d.requests, 0)::bigint
		FROM accounts a LEFT JOIN (%s) l USING (id) LEFT JOIN (%s) h USING (id) LEFT JOIN (%s) d USING (id)`,
		of("usage_logs", "count(*)"), of("usage_rollups_hourly", "sum(requests)"), of("usage_rollups_daily", "sum(requests)")), nil,
		func(rows pgx.Rows) error {
			var name string
			var granted *int64
			var spent int64
			var quota, count [3]int64 // of logs, hours, days
			if err := rows.Scan(&name, &granted, &spent, &quota[0], &quota[1], &quota[2], &count[0], &count[1], &count[2]); err != nil {
				return err
			}
			sum += quota[0]
			used.unequal(name, spent, quota[0])
			hourly.unequal(name, quota[1], quota[0])
			daily.unequal(name, quota[2], quota[0])
			requests.unequal(name+" by hour", count[1], count[0])
			requests.unequal(name+" by day", count[2], count[0])
			if granted != nil && spent > *granted {
				overspent.add("%s used %d of %d", name, spent, *granted)
			}
			return nil
		})
	r.remark("the usage logs deduct %s USD", usd(sum/3))
	r.check("accounts whose used is not the sum of their usage logs", Equal, 0, used.n, used.examples...)
	r.check("accounts whose hours are not the sum of their usage logs", Equal, 0, hourly.n, hourly.examples...)
	r.check("accounts whose days are not the sum of their usage logs", Equal, 0, daily.n, daily.examples...)
	r.check("accounts whose rollups count other numbers of requests", Equal, 0, requests.n, requests.examples...)
	r.check("accounts that used more than they were granted", Equal, 0, overspent.n, overspent.examples...)
	return err
}

// accountsOf finds the account of a customer's limit.
func accountOf(limit string) string {
	return map[string]string{
		"tenant": `SELECT a.used FROM accounts a JOIN tenants t ON t.id = a.id WHERE t.slug = $1`,
		"user":   `SELECT a.used FROM accounts a JOIN users u ON u.id = a.id WHERE u.email = $1`,
		"token":  `SELECT a.used FROM accounts a JOIN tokens k ON k.id = a.id WHERE k.name = $1`,
	}[limit]
}

func (c *customer) account() string {
	return map[string]string{"tenant": c.tenant, "user": c.user + "@" + c.tenant + ".example", "token": c.token}[c.limit]
}

// auditLimits checks that limited customers got neither more nor less than
// their quota is worth.
func (r *run) auditLimits(ctx context.Context) error {
	for i := range r.load.customers {
		c := &r.load.customers[i]
		if !c.limited() {
			continue
		}
		seen, requests := -r.forgiven[c], int64(0)
		for j := range r.ledger.successes {
			if s := &r.ledger.successes[j]; s.customer == c {
				seen += s.bill()
				requests++
			}
		}
		used := r.number(ctx, accountOf(c.limit), c.account())
		if used < 0 {
			return fmt.Errorf("the account of %s %s was not found", c.limit, c.account())
		}
		name := fmt.Sprintf("%s %s:", c.limit, c.account())
		r.check(name+" clients saw no more than its grant", AtMost, c.quota(), seen)
		r.check(name+" unspent, and what one request at each relay may hold", AtMost, relays*c.largestHold(), c.quota()-used)
		r.remark("%s %d requests served, %s of %s USD used", name, requests, usd(used), usd(c.quota()))
	}
	return nil
}

// largestHold is the most quota that a request of spendTheRest reserves.
func (c *customer) largestHold() int64 {
	o := order{customer: c, model: c.models[0], capped: true}
	o.counts = counts{prompt: leastPrompt + prompts, completion: completions}
	bound := counts{prompt: int64(len(o.body())) + 512, completion: completions}
	return tariffOf(o.model).bill(bound, c.permille)
}

// auditLeases checks that nothing is leased any more, the relays having ended.
func (r *run) auditLeases(ctx context.Context) {
	r.check("nano-dollars that accounts say are leased", Equal, 0, r.number(ctx, `SELECT coalesce(sum(leased), 0)::bigint FROM accounts`))
	r.check("nano-dollars in leases", Equal, 0, r.number(ctx, `SELECT coalesce(sum(amount), 0)::bigint FROM leases`))
	r.check("outbox rows that are left", Equal, 0, r.number(ctx, `SELECT count(*) FROM usage_outbox`))
}

// auditSpools checks that nothing is left on the relays' disks. The torn end
// of a write that a kill interrupted is kept there too, and is no event.
func (r *run) auditSpools(ctx context.Context) error {
	var segments, quarantined faulty
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
				quarantined.add("%s: %s", relay.Name, file)
			}
		}
	}
	r.check("spool segments that are left", Equal, 0, segments.n, segments.examples...)
	r.check("events in quarantine", Equal, 0, quarantined.n, quarantined.examples...)
	if torn > 0 {
		r.remark("%d writes were torn by a kill, and cut off", torn)
	}
	return nil
}

// auditPhases checks what the clients were told.
func (r *run) auditPhases() {
	var excess, broken faulty
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

// faulty counts what is wrong and keeps some examples.
type faulty struct {
	n        int64
	examples []string
}

func (f *faulty) add(format string, args ...any) {
	f.n++
	if len(f.examples) < 3 {
		f.examples = append(f.examples, fmt.Sprintf(format, args...))
	}
}

func (f *faulty) unequal(name string, got, want int64) {
	if got != want {
		f.add("%s: %d, the usage logs say %d", name, got, want)
	}
}
