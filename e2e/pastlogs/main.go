// Command pastlogs fills a database with usage logs of past days, for the tokens, models and channels that are
// in it. It records them as relays do, with the prices of their time, so that accounts, rollups and receipts
// agree with them. Use it for demonstrations and for tests of the console, never for a database that bills
// customers.
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
	_ "github.com/tollgate/tollgate/libs/store/sqlite" // the database of standalone
)

func main() {
	var p plan
	database := flag.String("database", "", "postgres://... or sqlite:PATH; `standalone` may have the file open")
	flag.IntVar(&p.rows, "rows", 20_000, "number of logs, at most 10,000,000")
	flag.IntVar(&p.days, "days", 30, "number of days before now, at most 400")
	flag.Int64Var(&p.tokens, "tokens", 0, "number of tokens to add to the existing users first, at most 1,000,000")
	flag.Uint64Var(&p.seed, "seed", 1, "seed of the random choices")
	unconfirm := flag.String("unconfirm", "",
		"set the last confirmation of this user's sessions back by an hour, and add nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	if *unconfirm != "" {
		if err := unconfirmUser(ctx, *database, *unconfirm); err != nil {
			fmt.Fprintln(os.Stderr, "pastlogs:", err)
			os.Exit(1)
		}
		return
	}
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
	defer s.Close() //nolint:errcheck // the program ends
	if err := addTokens(ctx, s, p.tokens); err != nil {
		return fmt.Errorf("add tokens: %w", err)
	}
	w, err := readWorld(ctx, s)
	if err != nil {
		return err
	}
	return w.fill(ctx, s, p)
}
