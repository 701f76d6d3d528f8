package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	readers     = 4                      // people who are signed in and read pages
	readPause   = 50 * time.Millisecond  // between two requests of a reader
	signInPause = 400 * time.Millisecond // between two sign-ins of a member of staff
	password    = "correct horse battery"
)

// visits holds the console's answers of one kind.
type visits struct {
	timings  []timing
	failures map[string][]time.Time // times at which requests failed, by class
}

// people are the well-behaved users of the console: some are signed in and read pages, and some sign in again and
// again.
type people struct {
	base    string
	clients sync.WaitGroup
	stop    context.CancelFunc

	mu             sync.Mutex
	reads, signIns visits
}

// start signs the readers in and starts all clients.
func (p *people) start(ctx context.Context) error {
	p.reads.failures, p.signIns.failures = map[string][]time.Time{}, map[string][]time.Time{}
	ctx, p.stop = context.WithCancel(ctx)
	for i := range readers {
		v := newVisitor(p.base, "")
		if class := v.signIn(ctx, readerOf(i)); class != "" {
			return fmt.Errorf("sign in as %s: %s", readerOf(i), class)
		}
		pages := []string{"/api/session", "/api/usage-logs?limit=20", "/api/tokens?limit=20"}
		p.repeat(ctx, readPause, &p.reads, func(n int) string { return v.get(ctx, pages[n%len(pages)]) })
	}
	accounts := []string{attacked} // in turn, because a user may sign in once in two seconds for long
	for i := range readers {
		accounts = append(accounts, readerOf(i))
	}
	p.repeat(ctx, signInPause, &p.signIns,
		func(n int) string { return newVisitor(p.base, "").signIn(ctx, accounts[n%len(accounts)]) })
	return nil
}

// repeat starts a client that calls do with increasing numbers until ctx ends. do returns the class of the
// failure, "" for a success.
func (p *people) repeat(ctx context.Context, pause time.Duration, v *visits, do func(n int) string) {
	p.clients.Go(func() {
		ticks := time.NewTicker(pause)
		defer ticks.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			began := time.Now()
			class := do(n)
			if ctx.Err() != nil {
				return
			}
			p.mu.Lock()
			v.timings = append(v.timings, timing{began: began, took: time.Since(began)})
			if class != "" {
				v.failures[class] = append(v.failures[class], began)
			}
			p.mu.Unlock()
		}
	})
}

// end stops the clients and waits for them.
func (p *people) end() {
	p.stop()
	p.clients.Wait()
}

// between returns the number of failures by class of the requests that began between two times.
func (v *visits) between(from, to time.Time) map[string]int {
	counts := map[string]int{}
	for class, times := range maps.All(v.failures) {
		for _, t := range times {
			if !t.Before(from) && !t.After(to) {
				counts[class]++
			}
		}
	}
	return counts
}

// visitor is a browser at the console.
type visitor struct {
	base string
	http *http.Client
}

// newVisitor returns a browser without a session, whose connections come from a local IP address ("": any).
func newVisitor(base, from string) *visitor {
	jar, _ := cookiejar.New(nil) // never fails
	return &visitor{base: base, http: &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: transportFrom(from)}}
}

// transportFrom returns a transport whose connections come from a local IP address; "": any.
func transportFrom(address string) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	if address != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(address)}
	}
	return &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 64, IdleConnTimeout: 5 * time.Second,
		DisableCompression: true}
}

// signIn signs a user in with the password that all users have. It returns the class of the failure, or "".
func (v *visitor) signIn(ctx context.Context, email string) string {
	return classOfStatus(v.try(ctx, email, password))
}

// try tries to sign in and returns the status; 0 with an error.
func (v *visitor) try(ctx context.Context, email, password string) (int, error) {
	status, _, err := v.send(ctx, http.MethodPost, "/api/session",
		fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	return status, err
}

// cookies returns the header line with the visitor's cookies.
func (v *visitor) cookies() string {
	u, err := url.Parse(v.base)
	if err != nil {
		return ""
	}
	var pairs []string
	for _, c := range v.http.Jar.Cookies(u) {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return "Cookie: " + strings.Join(pairs, "; ") + "\r\n"
}

// get reads a page and returns the class of the failure, or "".
func (v *visitor) get(ctx context.Context, path string) string {
	status, _, err := v.send(ctx, http.MethodGet, path, "")
	return classOfStatus(status, err)
}

// send sends a request and returns the status and the body of the answer.
func (v *visitor) send(ctx context.Context, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, v.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := v.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// classOfStatus returns the class of a failure, "" for a success.
func classOfStatus(status int, err error) string {
	switch {
	case err != nil:
		return classOf(err)
	case status >= http.StatusMultipleChoices:
		return fmt.Sprint(status)
	}
	return ""
}
