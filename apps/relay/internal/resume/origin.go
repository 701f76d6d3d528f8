package resume

import (
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// maxContextTokens bounds the tokens of the state that a request continues: no
// model reads more.
const maxContextTokens = 2_097_152

var errForeignTag = errors.New("the tag was not made for this tenant")

// origin returns where a request must go: to the channel that made the response
// it continues, or the encrypted content that it contains.
func (r *Resumer) origin(request *openai.Request, tenant uuid.UUID) (origin responseid.Origin, err error) {
	err = request.TakeTags(func(tag string) error {
		maker, ok := r.IDs.DecodeTag(tenant, tag)
		if !ok {
			return errForeignTag
		}
		origin = maker // the last one counts
		return nil
	})
	if err != nil {
		return origin, ClientProblem(problem.From(err), request)
	}
	if !request.ContinuesUpstream() {
		return origin, nil
	}
	origin, ok := r.IDs.DecodeID(tenant, request.Previous)
	if !ok {
		return origin, previousNotFound(request)
	}
	origin.Tokens = min(origin.Tokens, maxContextTokens)
	request.SetPrevious(origin.ID)
	return origin, nil
}

func previousNotFound(request *openai.Request) error {
	return problem.New(problem.PreviousNotFound, "Previous response with id '%.512s' not found.", request.Previous).At("previous_response_id")
}

// ClientProblem returns p with the field at fault, ours or an upstream's, named as
// the client knows it: in an expanded request the fields of p are at other places
// than in the request that the client sent.
func ClientProblem(p *problem.Problem, request *openai.Request) *problem.Problem {
	if !request.Expanded() {
		return p
	}
	there := *p
	there.Param, there.Message = clientText(p.Param, p.Message, request)
	if p.Upstream != nil {
		upstream := *p.Upstream
		upstream.Param, upstream.Message = clientText(upstream.Param, upstream.Message, request)
		there.Upstream = &upstream
	}
	return &there
}

func clientText(param, message string, request *openai.Request) (own, text string) {
	if own = request.ClientPath(param); own == param {
		return param, message
	}
	return own, strings.ReplaceAll(message, param, own)
}
