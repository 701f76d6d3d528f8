// Package supplier fetches what providers say that they charged, from the billing accounts that are due.
//
//	claim an account --> unseal its credential --> ask for the days of the window --> replace these days
//	        ^                                             |
//	        '-------- due again after 6 hours, or sooner after a failure <-- compare with our usage logs
//
// A fetch asks for the last 7 completed UTC days again, because providers correct days later, and for 31 days the first
// time. It stores all of a report or nothing. Bodies, pages, rows, retries and times are bounded, and connections obey
// the egress policy. It is the only code that reads billing credentials.
package supplier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/seal"
	invoicedb "github.com/tollgate/tollgate/libs/store/invoice"
)

const (
	fetchEvery        = 6 * time.Hour
	retryAfterFailure = 15 * time.Minute // doubled with each failure, up to fetchEvery
	lease             = 10 * time.Minute // longer than fetchTime and compareTime together
	fetchTime         = 3 * time.Minute  // of one account
	compareTime       = 5 * time.Minute  // of one account; the context of the run may end earlier
	compareAgain      = time.Hour        // after a comparison that failed; it may have taken all of compareTime
	postponeTime      = 5 * time.Second  // of the statement that makes an account due again after its comparison failed
	runTime           = 90 * time.Second // after which a run claims no more accounts

	firstDays = 31 // days of the first fetch
	againDays = 7  // days that each fetch asks for again
)

// Options configures a Fetcher.
type Options struct {
	Store  *invoicedb.Store
	Scope  tenant.Scope
	Sealer *seal.Sealer
	Egress address.Policy
	Log    *slog.Logger
	Now    func() time.Time                           // nil: time.Now
	Sleep  func(context.Context, time.Duration) error // nil: waits until the time is over or ctx ends

	Resolver *net.Resolver // nil: the resolver of the system
}

// Fetcher fetches the charges of accounts that are due. It is safe for concurrent use, and in several workers at once.
type Fetcher struct {
	Options
	http http.RoundTripper
}

// New returns a Fetcher.
func New(o Options) *Fetcher {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &Fetcher{Options: o, http: egress.New(egress.Options{Policy: o.Egress, Resolver: o.Resolver})}
}

// sleep waits for d, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run fetches all accounts that are due, one after the other, for up to 90 seconds. It returns an error if the database
// fails or ctx ends; the failures of providers are recorded in their accounts. A comparison that fails, takes more than
// 5 minutes or is cut off by ctx is an error too. Its account is due again after an hour, and the other accounts are
// fetched nevertheless.
func (f *Fetcher) Run(ctx context.Context) (failure error) {
	for begun := f.Now(); f.Now().Sub(begun) < runTime; {
		claim, err := f.Store.Claim(ctx, f.Scope, lease)
		if err != nil || claim == nil {
			return errors.Join(failure, err)
		}
		if err := f.fetch(ctx, claim); err != nil {
			return errors.Join(failure, err)
		}
		if err := f.compare(ctx, claim); err != nil {
			failure = errors.Join(failure, fmt.Errorf("compare %q: %w", claim.Name, err), f.compareLater(ctx, claim))
		}
	}
	return failure
}

// compare compares all days of the account that changed. An account that was deleted meanwhile is no error.
func (f *Fetcher) compare(ctx context.Context, claim *invoicedb.Claim) error {
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	for hasMore := true; hasMore; {
		var err error
		if hasMore, err = f.Store.Compare(ctx, f.Scope, claim.ID); err != nil {
			if problem.Is(err, problem.NotFound) {
				return nil
			}
			return err
		}
	}
	return nil
}

// compareLater makes an account due again in an hour after its comparison failed: the fetch has postponed it by
// fetchEvery, and days are compared only after a claim. ctx may have ended.
func (f *Fetcher) compareLater(ctx context.Context, claim *invoicedb.Claim) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postponeTime)
	defer cancel()
	return f.Store.Rest(ctx, f.Scope, claim, f.Now().Add(compareAgain))
}

// fetch fetches one account and records the result.
func (f *Fetcher) fetch(ctx context.Context, claim *invoicedb.Claim) error {
	now := f.Now()
	if claim.Provider == invoice.Upload {
		return f.Store.Rest(ctx, f.Scope, claim, now.Add(fetchEvery))
	}
	report, err := f.report(ctx, claim)
	if ctx.Err() != nil {
		return ctx.Err() // the worker stops; the lease ends and the next run fetches the account
	}
	if err != nil {
		f.Log.WarnContext(ctx, "fetching supplier charges failed", "account", claim.Name, "provider",
			string(claim.Provider), "error", err)
		pause := min(retryAfterFailure<<min(claim.Failures, 10), fetchEvery)
		return f.Store.Failed(ctx, f.Scope, claim, err.Error(), now.Add(pause))
	}
	f.Log.InfoContext(ctx, "supplier charges fetched", "account", claim.Name, "provider", string(claim.Provider),
		"days", len(report.Days), "charges", len(report.Charges))
	if err := f.Store.Fetched(ctx, f.Scope, claim, report, now.Add(fetchEvery)); !problem.Is(err, problem.NotFound) {
		return err
	}
	return nil // the account was deleted meanwhile
}

// fetchers are the functions that ask the providers.
var fetchers = map[invoice.Provider]func(context.Context, *client, window, *invoice.Book) error{
	invoice.OpenAI: fetchOpenAI, invoice.Anthropic: fetchAnthropic, invoice.OpenRouter: fetchOpenRouter,
}

// report asks the provider for the days of the window.
func (f *Fetcher) report(ctx context.Context, claim *invoicedb.Claim) (invoice.Report, error) {
	ask, ok := fetchers[claim.Provider]
	if !ok {
		return invoice.Report{}, fmt.Errorf("this version cannot fetch the provider %q", string(claim.Provider))
	}
	credential, err := f.open(ctx, claim)
	if err != nil {
		return invoice.Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	book := invoice.NewBook(maxRows)
	c := &client{http: f.http, base: claim.URL(), credential: credential, sleep: f.Sleep}
	if err := ask(ctx, c, windowOf(f.Now(), claim.FetchedAt), book); err != nil {
		return invoice.Report{}, err
	}
	return book.Report()
}

// open unseals the credential. One that is sealed with the previous secret key is sealed again and stored, because no
// other program may read it.
func (f *Fetcher) open(ctx context.Context, claim *invoicedb.Claim) (string, error) {
	if len(claim.Credential.Sealed) == 0 {
		return "", errors.New("the account has no credential")
	}
	credential, err := f.Sealer.OpenBilling(claim.Credential.Sealed, claim.ID.String())
	if err != nil {
		return "", errors.New("the credential was sealed with a secret key that this worker does not have")
	}
	if claim.Credential.With != f.Sealer.BillingKey() {
		renewal := invoicedb.Credential{Sealed: f.Sealer.SealBilling(credential, claim.ID.String()),
			With: f.Sealer.BillingKey()}
		if err := f.Store.Reseal(ctx, f.Scope, claim.ID, claim.Credential.Sealed, renewal); err != nil {
			return "", err
		}
	}
	return credential, nil
}

// window is the range of days that a fetch asks for.
type window struct{ from, to invoice.Day } // to is exclusive

// inside reports whether the window contains the day.
func (w window) inside(d invoice.Day) bool { return d >= w.from && d < w.to }

// dayAtUnix returns the day that begins at the Unix time, and whether it is in the window. A time that is not the start
// of a UTC day is an error: its amounts belong to two days.
func (w window) dayAtUnix(seconds int64) (invoice.Day, bool, error) {
	return w.dayAt(time.Unix(seconds, 0))
}

// dayAt does the same as dayAtUnix for a time.
func (w window) dayAt(start time.Time) (invoice.Day, bool, error) {
	day := invoice.DayOf(start)
	if !start.Equal(day.Start()) {
		return "", false, errors.New("a day of the report does not begin at midnight UTC")
	}
	return day, w.inside(day), nil
}

// windowOf returns the days to ask for: completed UTC days only, back to two days before the last fetch, at least 7 and
// at most 31.
func windowOf(now, fetchedAt time.Time) window {
	today := invoice.DayOf(now)
	from := today.Add(-firstDays)
	if !fetchedAt.IsZero() {
		from = max(from, min(today.Add(-againDays), invoice.DayOf(fetchedAt).Add(-2)))
	}
	return window{from, today}
}
