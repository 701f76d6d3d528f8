package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"
)

const (
	requestTimeout = 2 * time.Minute // of one request
	maxAnswer      = 16 << 10        // bytes that are read of an answer
)

// Target is a place for objects in a bucket, and the credentials for it.
type Target struct {
	// Of the bucket and the prefix, such as https://s3.eu-central-1.amazonaws.com/BUCKET/PREFIX; "": none.
	URL       string
	Region    string
	AccessKey string // id of the access key
	SecretKey string
}

// client writes objects with the protocol of S3. It is safe for concurrent use.
type client struct {
	target Target
	base   *url.URL
	http   http.Client
	signer *v4.Signer

	// unconditional is set when the server does not know the condition that an object must not exist.
	unconditional atomic.Bool
}

// newClient returns a client of the target, without connecting to it.
func newClient(t Target) (*client, error) {
	base, err := url.Parse(t.URL)
	if err != nil {
		return nil, errors.New("bucket: the URL is malformed")
	}
	c := &client{target: t, base: base, signer: v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping = true // S3 differs in this from all other services
	})}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck // its documented type
	transport.MaxIdleConnsPerHost = 1
	c.http = http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a redirect means that the region or the endpoint is wrong
	}}
	return c, nil
}

// refusal is an answer with another status than 200.
type refusal struct {
	status int
	code   string // word of S3 for the fault; "" if the answer has none
}

// Error says what the server answered and, for frequent faults, which setting is wrong.
func (r *refusal) Error() string {
	text := fmt.Sprintf("the bucket's server answered with status %d %s", r.status, r.code)
	if advice := advices[r.code]; advice != "" {
		return text + ": " + advice
	}
	return strings.TrimSuffix(text, " ")
}

// advices says which settings cause a fault.
var advices = map[string]string{
	"InvalidAccessKeyId":           "check TOLLGATE_EXPORT_ACCESS_KEY_ID",
	"SignatureDoesNotMatch":        "check TOLLGATE_EXPORT_SECRET_ACCESS_KEY, and that no proxy changes requests",
	"AuthorizationHeaderMalformed": "check TOLLGATE_EXPORT_REGION",
	"NoSuchBucket":                 "check the bucket in TOLLGATE_EXPORT_URL",
	"PermanentRedirect":            "check the host and the bucket in TOLLGATE_EXPORT_URL",
	"TemporaryRedirect":            "check the host in TOLLGATE_EXPORT_URL",
	"AccessDenied":                 "the access key needs s3:PutObject for the bucket and prefix",
	"RequestTimeTooSkewed":         "set the clock of this machine",
}

// put writes an object, unless it exists. An object that exists is left alone: it was written by an attempt whose
// answer was lost.
func (c *client) put(ctx context.Context, name string, body []byte) error {
	err := c.request(ctx, http.MethodPut, name, body, !c.unconditional.Load())
	r := (*refusal)(nil)
	if !errors.As(err, &r) {
		return err
	}
	switch r.status {
	case http.StatusPreconditionFailed:
		return nil
	case http.StatusNotImplemented:
		if c.unconditional.CompareAndSwap(false, true) {
			return c.request(ctx, http.MethodPut, name, body, false)
		}
	}
	return err
}

// check returns an error if the server does not answer, the bucket does not exist, or the credentials are wrong. It
// cannot tell whether the credentials permit writing.
func (c *client) check(ctx context.Context) error {
	err := c.request(ctx, http.MethodGet, folder, nil, false)
	r := (*refusal)(nil)
	if errors.As(err, &r) && (r.code == "NoSuchKey" || r.code == "AccessDenied") {
		return nil // the object does not exist, or the key may only write
	}
	return err
}

// request sends a signed request and returns a *refusal unless the status is 200.
func (c *client) request(ctx context.Context, method, name string, body []byte, onlyNew bool) error { //nolint:revive // onlyNew is a header of the request
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	at := c.base.JoinPath(name)
	at.RawPath = httpbinding.EscapePath(at.Path, false) // the form that is signed, in which = is escaped
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL is malformed")
	}
	if method == http.MethodPut {
		r.Header.Set("Content-Type", "application/gzip")
	}
	if onlyNew {
		r.Header.Set("If-None-Match", "*")
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", hash)
	keys := aws.Credentials{AccessKeyID: c.target.AccessKey, SecretAccessKey: c.target.SecretKey}
	if err := c.signer.SignHTTP(ctx, keys, r, hash, "s3", c.target.Region, time.Now()); err != nil {
		return fmt.Errorf("sign the request: %w", err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("call the bucket's server: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // nothing is lost
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	var fault struct{ Code string }
	_ = xml.Unmarshal(text, &fault) // an answer of a proxy is no XML
	return &refusal{answer.StatusCode, fault.Code}
}
