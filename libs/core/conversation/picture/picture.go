// Package picture knows which clients can get pictures in an answer, and which models answer with pictures.
package picture

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Fits reports whether answers in the client's dialect can have pictures.
func Fits(client conversation.ClientDialect) bool { return client != conversation.ClientMessages }

// Check returns an UnsupportedParameter problem if the upstream's model answers with pictures and the dialect of the
// client does not have them: the provider would charge for an answer that the client cannot get.
func Check(r *conversation.Request, upstreamModel string) error {
	if Fits(r.Client) || !Draws(upstreamModel) {
		return nil
	}
	return problem.New(problem.UnsupportedParameter, "The model '%s' answers with pictures, for which "+
		"this API has no place. Call it with chat completions or responses.", r.Model).At("model")
}

// Draws reports whether the model answers with pictures, by its name: gemini-2.5-flash-image,
// gemini-2.0-flash-preview-image-generation, openai/gpt-5-image-mini.
func Draws(model string) bool {
	name := strings.ToLower(model)
	return strings.Contains(name, "-image") || strings.Contains(name, "image-generation")
}
