// Package console is a client of the API of Tollgate's console: tokens, usage logs, quota, members, and for
// operators the management of the whole platform. Each operation of the API is a method of Client; its result has
// one field for each documented status. All files but this one are generated from openapi/console.yaml.
package console

import (
	"context"
	"net/http"
)

// Version is the release of Tollgate that this client belongs to. Programs of that release print the same number
// with --version.
const Version = "0.2.0"

// New returns a client of the console at url, for example https://console.example.com. It authenticates with
// an access key. For a program that signs in as a user instead, pass "" as the access key and an HTTP client
// with a cookie jar (WithHTTPClient), and call CreateSession first. The client is safe for concurrent use.
// options are applied after the access key.
func New(url, accessKey string, options ...ClientOption) (*Client, error) {
	if accessKey != "" {
		authenticate := WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+accessKey)
			return nil
		})
		options = append([]ClientOption{authenticate}, options...)
	}
	return NewClient(url, options...)
}
