package upstream

import (
	"errors"
	"net/http"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/openai/vectors"
)

// embeddingsDecoder is the function of provider.Request.
type embeddingsDecoder = func(body []byte, estimate func() int64) (answer []byte, counts *usage.Usage, err error)

// readEmbeddings reads and checks an answer with embeddings. An answer that is too large is withheld from the client
// and not retried: another channel's answer would be as large, and would have to be paid, too.
func readEmbeddings(reply *Reply, call *Call, response *http.Response) *attemptError {
	fail := func(code failureCode, cause error) *attemptError { return badAnswer(response, code, cause) }
	a := reply.attempt
	body, failure := a.readBody(response, a.copies())
	switch {
	case failure == nil:
	case errors.Is(failure.cause, errTooLarge):
		reply.Withheld = problem.New(problem.TooLarge, "The answer is larger than 64 MiB. Please send fewer inputs, "+
			"or ask for encoding_format base64 or fewer dimensions.").At("input")
		return nil
	default:
		return failure
	}
	var err error
	var counts *usage.Usage
	if a.embeddings != nil {
		if body, counts, err = a.embeddings(body, call.EstimateInput); err != nil {
			return fail(codeOf(err), errors.New(reply.Clean(err.Error()))) // its text may quote the upstream
		}
	}
	answer, err := vectors.Scan(body)
	if err != nil {
		return fail(codeNonsense, err)
	}
	tally.HideCost(body, answer.UsageAt)
	reply.Body, reply.Answer = body, answer
	if a.embeddings != nil {
		reply.Answer.Usage = counts
	}
	if answer.Error != nil { // some upstreams send an error with the status 200
		return fail(codeErrorBody, errors.New(reply.Clean(answer.Error.Message)))
	}
	return nil
}
