// Package vectors reads answers with embeddings in OpenAI's form.
package vectors

import (
	"errors"
	"fmt"

	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// errNoVectors means that a JSON body is neither a list of embeddings nor an error.
var errNoVectors = errors.New("vectors: no list of embeddings")

// Scan reads an answer with embeddings, or an error body. Its usage has only input. It is nil if the upstream reported
// none, or no tokens at all: each input has some. Scan returns an error for JSON of another kind, and for a body that
// is malformed or cut off.
func Scan(body []byte) (output.Response, error) {
	var a output.Response
	hasVectors, hasError := false, false
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(body)
		switch string(key) {
		case "usage":
			a.Usage, a.UsageAt = tally.ParseInput(raw), value
		case "error":
			hasError = true
		case "data":
			hasVectors = raw[0] == '['
		}
		return nil
	})
	if err == nil {
		err = s.Finish()
	}
	if err != nil {
		return a, fmt.Errorf("vectors: scan: %w", err)
	}
	if hasError {
		a.Error = output.ScanError(body)
	}
	if a.Error == nil && !hasVectors {
		return a, errNoVectors
	}
	return a, nil
}
