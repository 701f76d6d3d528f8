// Command pastlogs generates usage logs of the past: a few for demonstrations and tests of the console, or millions for
// a benchmark of Postgres. Never use it with a database that bills customers.
//
// It has three commands; -help after a command lists its flags:
//
//   - "add" fills any database with logs of past days, for the tokens, models and channels that are in it. It records
//     them as relays do, with the prices of their time, so that accounts, rollups and receipts agree with them.
//   - "unconfirm" sets the last confirmation of a user's sessions back by an hour.
//   - "bench" checks that reading usage logs takes the same time however many logs there are. It fills databases on
//     Postgres, of growing size, with hundreds of tenants and the logs of a year.
//
// Both "add" and "bench" generate and record calls with traffic.go. "bench" inserts most logs with SQL (load.go), which
// also fills the schema of the baseline and can copy whole months.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pastlogs:", err)
		os.Exit(1)
	}
}

// run runs the command that the first argument names. The other arguments are its flags.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "add":
			return add(ctx, args[1:])
		case "unconfirm":
			return unconfirm(ctx, args[1:])
		case "bench":
			return bench(ctx, args[1:])
		}
	}
	return errors.New("the first argument must be one of add, unconfirm, bench; -help after it lists its flags")
}

const databaseHelp = "postgres://... or sqlite:PATH; standalone may have the file open"
