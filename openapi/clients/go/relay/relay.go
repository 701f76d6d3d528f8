// Package relay is a client of the API of Tollgate's relay: models, chat completions and responses. Each
// operation of the API is a method of Client; its result has one field for each documented
// status. StreamChat and StreamResponse read streams. All files but this one and stream.go are generated from
// openapi/relay.yaml.
package relay

import (
	"context"
	"net/http"
)

// Version is the release of Tollgate that this client belongs to. Programs of that release print the same number
// with --version.
const Version = "0.2.0"

// New returns a client of the relay at url, for example https://api.example.com (without /v1). It
// authenticates with an API token. The client is safe for concurrent use.
func New(url, token string, options ...ClientOption) (*Client, error) {
	authenticate := WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})
	return NewClient(url, append([]ClientOption{authenticate}, options...)...)
}
