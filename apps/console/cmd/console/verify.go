package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/service"
)

type check struct {
	Tenant uuid.UUID `help:"Only the tenant with this id." placeholder:"ID"`
	From   moment    `help:"Only calls accepted then or later (2026-03-01 or 2026-03-01T12:00:00Z)." placeholder:"TIME"`
	To     moment    `help:"Only calls accepted before." placeholder:"TIME"`
	JSON   bool      `name:"json" help:"One JSON object a line: each difference, then the summary. Amounts are USD."`
}

// moment is a time or, for its midnight in UTC, a date.
type moment struct{ time.Time }

// UnmarshalText reads RFC 3339 or its date alone.
func (m *moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			m.Time = t
			return nil
		}
	}
	return errors.New("must be a date such as 2026-03-01 or a time such as 2026-03-01T12:00:00Z")
}

// Run fails where any bill differs.
func (c *check) Run(p *service.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	out := bufio.NewWriter(p.Stdout)
	tell := describe
	if c.JSON {
		tell = encode
	}
	within := verify.Range{TenantID: c.Tenant, From: c.From.Time, To: c.To.Time}
	// The buffer keeps the first error of the output for Flush.
	sum, err := verify.Walk(context.Background(), verify.Source{Billing: rt.Store.Metering, Versions: rt.Store.Catalog}, within, func(d verify.Difference) { tell(out, d) })
	if err != nil {
		return errors.Join(err, out.Flush())
	}
	tell(out, sum)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the differences: %w", err)
	}
	if sum.Differences > 0 {
		return fmt.Errorf("%d of %d bills differ", sum.Differences, sum.Bills)
	}
	return nil
}

func encode(out io.Writer, line any) {
	_ = json.NewEncoder(out).Encode(line)
}

// describe prints a difference or a summary for people.
func describe(out io.Writer, line any) {
	switch line := line.(type) {
	case verify.Difference:
		recomputed := "-"
		if line.Recomputed != nil {
			recomputed = line.Recomputed.String()
		}
		fmt.Fprintf(out, "%s: stored %s, recomputed %s: %s\n", line.Log, line.Cost, recomputed, line.Reason)
	case verify.Summary:
		fmt.Fprintf(out, "%d bills of %s USD recomputed, %d differ\n", line.Bills, line.Quota, line.Differences)
		if line.Shortfalls > 0 {
			fmt.Fprintf(out, "%d bills were not paid in full, as where a grant ends: %s USD were not deducted\n", line.Shortfalls, line.Shortfall)
		}
	}
}
