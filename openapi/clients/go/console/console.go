// Package console is a client of the API of Tollgate's console: tokens, usage
// logs, quota, members, and for operators everything else. All but this file is
// generated from openapi/console.yaml.
package console

import (
	"context"
	"net/http"
)

// New returns a client of the console at url, such as
// https://console.example.com, that calls with an access key. Without a key it
// is for those who sign in: give it a client with a cookie jar and call
// CreateSession. It is safe for concurrent use.
func New(url, accessKey string, options ...ClientOption) (*ClientWithResponses, error) {
	if accessKey != "" {
		authenticate := WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+accessKey)
			return nil
		})
		options = append([]ClientOption{authenticate}, options...)
	}
	return NewClientWithResponses(url, options...)
}
