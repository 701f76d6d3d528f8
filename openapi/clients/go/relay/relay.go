// Package relay is a client of Tollgate's API: models, chat completions and
// responses. All but this file and stream.go is generated from
// openapi/relay.yaml.
package relay

import (
	"context"
	"net/http"
)

// New returns a client of the relay at url, such as https://api.example.com
// without /v1, that calls with an API token. It is safe for concurrent use.
func New(url, token string, options ...ClientOption) (*ClientWithResponses, error) {
	authenticate := WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})
	return NewClientWithResponses(url, append([]ClientOption{authenticate}, options...)...)
}
