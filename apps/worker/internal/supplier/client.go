package supplier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of one fetch.
const (
	maxBody    = 16 << 20 // bytes of a page
	maxPages   = 200      // of one report
	maxRows    = 100_000  // days, models and keys of one fetch
	maxTries   = 4        // of one page
	maxPause   = 30 * time.Second
	firstPause = time.Second
	pageWait   = time.Minute // for one try
	maxDetail  = 300         // bytes of a provider's message
)

// answerError is the error for an answer with another status than 200.
type answerError struct {
	status int
	detail string
	after  time.Duration // the provider asked to wait so long; 0: not
}

func (e *answerError) Error() string {
	if e.detail == "" {
		return fmt.Sprintf("the provider answered with status %d", e.status)
	}
	return fmt.Sprintf("the provider answered with status %d: %s", e.status, e.detail)
}

// errHuge means that a page is larger than maxBody.
var errHuge = fmt.Errorf("a page of the report is larger than %d bytes", maxBody)

// permanent reports whether another try cannot succeed: the provider refuses the request or the credential, or its page
// is too large. A page that is cut off or malformed may be complete the next time.
func permanent(err error) bool {
	if answer := (*answerError)(nil); errors.As(err, &answer) {
		return answer.status < 500 && answer.status != http.StatusTooManyRequests &&
			answer.status != http.StatusRequestTimeout
	}
	return errors.Is(err, errHuge)
}

// client asks one provider with one credential. No error that it returns contains the credential.
type client struct {
	http       http.RoundTripper
	base       string
	header     http.Header
	credential string // to keep it out of errors
	sleep      func(context.Context, time.Duration) error
}

// get asks for a page and decodes it into page, with retries.
func (c *client) get(ctx context.Context, path string, query url.Values, page any) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := c.once(ctx, path, query, page)
		if err == nil {
			return nil
		}
		if try == maxTries || permanent(err) || ctx.Err() != nil {
			return fmt.Errorf("%s: %w", path, c.clean(err))
		}
		wait := pause/2 + rand.N(pause)
		if answer := (*answerError)(nil); errors.As(err, &answer) && answer.after > 0 {
			wait = answer.after
		}
		if err := c.sleep(ctx, min(wait, maxPause)); err != nil {
			return err
		}
		pause *= 2
	}
}

// once asks for a page once.
func (c *client) once(ctx context.Context, path string, query url.Values, page any) error {
	ctx, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	request.Header = c.header.Clone()
	response, err := c.http.RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return &answerError{response.StatusCode, detailOf(body), retryAfter(response.Header)}
	case err != nil:
		return fmt.Errorf("read the page: %w", err)
	case len(body) > maxBody:
		return errHuge
	}
	if err := json.Unmarshal(body, page); err != nil {
		return fmt.Errorf("decode the page: %w", err)
	}
	return nil
}

// clean removes the credential from an error, in case that the provider or the transport repeats it.
func (c *client) clean(err error) error {
	if text := err.Error(); c.credential != "" && strings.Contains(text, c.credential) {
		return errors.New(strings.ReplaceAll(text, c.credential, "…"))
	}
	return err
}

// detailOf returns the message of an error body, cut to maxDetail bytes.
func detailOf(body []byte) string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := string(body)
	if json.Unmarshal(body, &answer) == nil && answer.Error.Message != "" {
		text = answer.Error.Message
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	for len(text) > maxDetail || !utf8.ValidString(text) {
		text = text[:min(len(text)-1, maxDetail)]
	}
	return text
}

// retryAfter returns the seconds of the header Retry-After, and 0 for a date or no header.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// pages asks for all pages of a report. read returns the token of the next page, "" after the last one.
func (c *client) pages(ctx context.Context, path string, query url.Values,
	read func(ctx context.Context, query url.Values) (next string, err error)) error {
	cursors := map[string]bool{}
	for range maxPages {
		next, err := read(ctx, query)
		if err != nil || next == "" {
			return err
		}
		if cursors[next] {
			return fmt.Errorf("%s: the provider repeats the page %.40q", path, next)
		}
		cursors[next] = true
		query.Set("page", next)
	}
	return fmt.Errorf("%s: the report has more than %d pages", path, maxPages)
}

// cursor is the end of a page of OpenAI and Anthropic.
type cursor struct {
	HasMore  bool   `json:"has_more"`
	NextPage string `json:"next_page"` // null on the last page
}

// next returns the token of the next page, or an error if the page says that there is one and does not name it.
func (c cursor) next() (string, error) {
	if c.HasMore && c.NextPage == "" {
		return "", errors.New("the provider says that there are more pages and does not name the next one")
	}
	if !c.HasMore {
		return "", nil
	}
	return c.NextPage, nil
}
