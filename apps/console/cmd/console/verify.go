package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/core/moment"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store/audit"
)

// check holds the flags of the command verify.
type check struct {
	tenant   uuid.UUID // uuid.Nil: all tenants
	from, to instant   // the zero time: no limit
	json     bool
}

// verifyCommand returns the command verify.
func verifyCommand() service.Command {
	c := &check{}
	return service.Command{
		Name: "verify", Help: "Recompute every charge and compare it with the stored one.",
		Flags: func(f *flag.FlagSet) {
			f.TextVar(&c.tenant, "tenant", uuid.Nil, "Only requests of the tenant with this `ID`.")
			f.TextVar(&c.from, "from", instant{},
				"Only requests accepted at or after this `TIME` (2026-03-01 or 2026-03-01T12:00:00Z).")
			f.TextVar(&c.to, "to", instant{}, "Only requests accepted before this `TIME`.")
			f.BoolVar(&c.json, "json", false,
				"Print one JSON object per line: each difference, then the summary. Amounts are in USD.")
		},
		Run: c.run,
	}
}

// instant is a time in a flag. A date stands for its midnight in UTC.
type instant struct{ time.Time }

// UnmarshalText reads a time in RFC 3339 or a date.
func (i *instant) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			i.Time = t
			return moment.Check(t)
		}
	}
	return errors.New("must be a date such as 2026-03-01 or a time such as 2026-03-01T12:00:00Z")
}

// run recomputes the charges and the chains of the audit log, and prints each difference and the summaries. It fails if
// there is any difference.
func (c *check) run(p *service.Program, _ string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	out := bufio.NewWriter(p.Stdout)
	write := describe
	if c.json {
		write = encode
	}
	within := verify.Range{TenantID: c.tenant, From: c.from.Time, To: c.to.Time}
	// Errors of single writes can be ignored: bufio.Writer returns the first one from Flush.
	sum, err := verify.Walk(context.Background(), verify.Source{Billing: rt.Store.Metering, Versions: rt.Store.Catalog},
		within, func(d verify.Difference) { write(out, d) })
	if err != nil {
		return errors.Join(err, out.Flush())
	}
	write(out, sum)
	chain, err := rt.Store.Audit.Verify(context.Background(), tenant.SystemScope("verify"),
		func(b audit.Break) { write(out, b) })
	if err != nil {
		return errors.Join(err, out.Flush())
	}
	write(out, chain)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the differences: %w", err)
	}
	if chain.Breaks > 0 {
		return fmt.Errorf("the audit log is broken at %d places, and %d of %d charges are wrong", chain.Breaks,
			sum.Differences, sum.Bills)
	}
	if sum.Differences > 0 {
		return fmt.Errorf("%d of %d charges are wrong", sum.Differences, sum.Bills)
	}
	return nil
}

// encode prints a difference or a summary as a line of JSON.
func encode(out io.Writer, line any) {
	_ = json.NewEncoder(out).Encode(line)
}

// describe prints a difference or a summary as text.
func describe(out io.Writer, line any) {
	switch line := line.(type) {
	case verify.Difference:
		amount := "-"
		if line.Recomputed != nil {
			amount = line.Recomputed.String()
		}
		fmt.Fprintf(out, "%s: stored %s, recomputed %s: %s\n", line.Log, line.Cost, amount, line.Reason)
	case audit.Break:
		fmt.Fprintf(out, "audit entry %s of tenant %s: %s\n", line.EntryID, line.TenantID, line.Reason)
	case audit.Verified:
		fmt.Fprintf(out, "recomputed %d links of the audit log, %d are broken, %d entries wait for a link; head %s\n",
			line.Entries, line.Breaks, line.Unlinked, line.Head)
	case verify.Summary:
		fmt.Fprintf(out, "recomputed %d charges of %s USD in total, %d are wrong\n", line.Bills, line.Quota,
			line.Differences)
		if line.Supplied > 0 {
			fmt.Fprintf(out, "recomputed what suppliers charge for %d of the calls: %s USD\n", line.Supplied,
				line.SupplierCost)
		}
		if line.Shortfalls > 0 {
			fmt.Fprintf(out,
				"%d charges were not deducted in full because the quota ran out: %s USD were not deducted\n",
				line.Shortfalls, line.Shortfall)
		}
	}
}
