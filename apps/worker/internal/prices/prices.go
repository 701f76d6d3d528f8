// Package prices runs the task that fetches the file of the price catalog. It stores a file whose checksum is right and
// that pricecatalog.Parse accepts, and changes no price: operators compare the file with their prices and select what
// to apply.
package prices

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	"github.com/tollgate/tollgate/libs/store/catalog"
)

const (
	timeout     = 30 * time.Second // of one run, both requests together
	maxChecksum = 1 << 10          // bytes of the file with the checksum
)

// Store is the part of the store that keeps the file.
type Store interface {
	PriceFile(ctx context.Context, scope tenant.Scope) (catalog.PriceFile, error)
	ReplacePriceFile(ctx context.Context, scope tenant.Scope, text []byte, source string) error
	NotePriceFetch(ctx context.Context, scope tenant.Scope, fault string) error
}

// Options configures a Fetcher.
type Options struct {
	Store Store
	Scope tenant.Scope
	URL   string // of the file; "": Run does nothing
	// That the file must have, in hexadecimal; "": the one in the file at URL with .sha256 appended to its path.
	SHA256    string
	Transport http.RoundTripper
	Log       *slog.Logger
	Registry  prometheus.Registerer
}

// Fetcher fetches the file. It is safe for concurrent use.
type Fetcher struct {
	Options
	client   http.Client
	failures prometheus.Counter
}

// New returns a Fetcher and registers its metric.
func New(o Options) (*Fetcher, error) {
	f := &Fetcher{
		Options: o,
		client: http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the configured host alone decides which file applies
		}},
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_worker_price_fetch_failures_total", Help: "Fetches of the price catalog that ended with " +
				"an error. The file before applies on.",
		}),
	}
	if err := o.Registry.Register(f.failures); err != nil {
		return nil, fmt.Errorf("prices: %w", err)
	}
	return f, nil
}

// Run fetches the file and stores it, unless it is stored already. Operators see the reason of a failure in the
// console.
func (f *Fetcher) Run(ctx context.Context) error {
	if f.URL == "" {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := f.fetch(within)
	if err == nil {
		return nil
	}
	f.failures.Inc()
	f.Log.WarnContext(ctx, "price catalog not fetched", "error", err)
	if noteErr := f.Store.NotePriceFetch(ctx, f.Scope, reason(err)); noteErr != nil {
		return errors.Join(err, noteErr)
	}
	return fmt.Errorf("fetch the price catalog: %w", err)
}

// reason returns the text of an error for operators.
func reason(err error) string {
	if fault := problem.From(err); fault.Kind != problem.Internal {
		return fault.Text()
	}
	return err.Error()
}

func (f *Fetcher) fetch(ctx context.Context) error {
	at, err := url.Parse(f.URL)
	if err != nil {
		return errors.New("the URL is malformed") // err quotes the URL, whose query may hold a secret
	}
	text, err := f.get(ctx, at, pricecatalog.MaxBytes)
	if err != nil {
		return err
	}
	want := f.SHA256
	if want == "" {
		if want, err = f.checksum(ctx, *at); err != nil {
			return err
		}
	}
	sum := catalog.SHA256(text)
	if !strings.EqualFold(sum, want) {
		return fmt.Errorf("the file has the SHA-256 checksum %s, not %s", sum, want)
	}
	source := *at
	source.RawQuery = ""
	present, err := f.Store.PriceFile(ctx, f.Scope)
	if err != nil {
		return err
	}
	if present.SHA256 == sum && present.Source == source.String() {
		return f.Store.NotePriceFetch(ctx, f.Scope, "")
	}
	return f.Store.ReplacePriceFile(ctx, f.Scope, text, source.String())
}

// checksum reads the file next to the catalog, in the form of sha256sum: the checksum is its first word.
func (f *Fetcher) checksum(ctx context.Context, at url.URL) (string, error) {
	at.Path += ".sha256"
	at.RawPath = ""
	text, err := f.get(ctx, &at, maxChecksum)
	if err != nil {
		return "", fmt.Errorf("checksum: %w", err)
	}
	words := strings.Fields(string(text))
	if len(words) == 0 || len(words[0]) != 64 || strings.Trim(strings.ToLower(words[0]), "0123456789abcdef") != "" {
		return "", errors.New("checksum: the file next to the catalog does not begin with a SHA-256 checksum")
	}
	return words[0], nil
}

// get reads at most so many bytes. Errors name the host and the path, and not the query, which may hold a secret.
func (f *Fetcher) get(ctx context.Context, at *url.URL, limit int64) ([]byte, error) {
	name := at.Host + at.Path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%s: the URL is malformed", name)
	}
	answer, err := f.client.Do(request)
	if err != nil {
		var urlErr *url.Error
		if errors.As(err, &urlErr) {
			err = urlErr.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered with the status %d", name, answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return text, nil
}
