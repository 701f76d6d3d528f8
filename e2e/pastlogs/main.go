// Command pastlogs gives a database a past: usage logs of the days before now,
// of the tokens, models and channels that are in it. They are recorded as
// relays record them, priced by the prices that held, so that accounts, rollups
// and receipts agree with them. It is for demonstrations and tests of the
// console, not for a database that bills anybody.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

func main() {
	var p plan
	database := flag.String("database", "", "postgres://... or sqlite:PATH, which `standalone` may have open")
	flag.IntVar(&p.rows, "rows", 20_000, "how many logs, at most 10,000,000")
	flag.IntVar(&p.days, "days", 30, "over how many days before now, at most 400")
	flag.Int64Var(&p.tokens, "tokens", 0, "how many tokens to add first, to the users there are, at most 1,000,000")
	flag.Uint64Var(&p.seed, "seed", 1, "of what is drawn")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	if err := run(ctx, *database, p); err != nil {
		fmt.Fprintln(os.Stderr, "pastlogs:", err)
		os.Exit(1)
	}
	fmt.Printf("%d tokens and %d logs in %v\n", p.tokens, p.rows, time.Since(began).Round(time.Millisecond))
}

func run(ctx context.Context, database string, p plan) error {
	if err := p.check(); err != nil {
		return err
	}
	s, err := store.Open(ctx, db.Options{URL: database})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // nothing is left to be done about it
	if err := addTokens(ctx, s, p.tokens); err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	w, err := look(ctx, s)
	if err != nil {
		return err
	}
	return w.fill(ctx, s, p)
}
