package upstream

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
)

// isMissingPath reports whether the upstream says that it does not have the path of the request. A 404 for an unknown
// model names the model in its code. Some servers answer 400 with the text that OpenAI has in its 404.
func (e *attemptError) isMissingPath() bool {
	switch e.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return e.refusal == nil || e.refusal.Code != "model_not_found"
	case http.StatusBadRequest:
		return e.refusal != nil && strings.HasPrefix(e.refusal.Message, "Invalid URL")
	}
	return false
}

// missingOperation returns the error of an upstream that does not have the operation. Another channel may have it.
func missingOperation(err *attemptError) *attemptError {
	return &attemptError{status: err.status, code: codeUnsupported, kind: problem.UnsupportedParameter,
		cause: NoOperation()}
}

// NoOperation returns the problem of an operation that no channel of the model has.
func NoOperation() error {
	return problem.New(problem.UnsupportedParameter, "No channel of this model supports this operation. Please use "+
		"another model, or do without the operation.").At("model")
}

// readCount reads and checks the answer to a request that counts tokens.
func readCount(reply *Reply, response *http.Response) *attemptError {
	fail := func(code failureCode, cause error) *attemptError {
		return &attemptError{status: response.StatusCode, code: code, kind: problem.UpstreamFailed,
			fault: provider.ServerFault, cause: cause}
	}
	body, err := readAll(reply.attempt.ctx, reply.attempt.memory, response)
	if isNoMemory(err) {
		return noMemory(response, err)
	}
	if err != nil {
		return fail(codeCut, err)
	}
	var count struct {
		InputTokens *int64 `json:"input_tokens"`
	}
	if err := json.Unmarshal(body, &count); err != nil {
		return fail(codeNonsense, err)
	}
	if count.InputTokens == nil {
		return fail(codeNonsense, errors.New("the answer has no input_tokens"))
	}
	reply.Body = body
	return nil
}
