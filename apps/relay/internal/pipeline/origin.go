package pipeline

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// widestContext bounds the tokens that a request goes on from: no model reads
// more.
const maxContextTokens = 2_097_152

var errForeignTag = errors.New("the tag was not made for this tenant")

// trace finds where a request has to go back to: to the channel that made the
// response it goes on from, or the encrypted content that it brings. The zero
// Pin is anywhere; one without ID is of content alone.
func (l *Pipeline) origin(request *openai.Request, tenant uuid.UUID) (origin responseid.Origin, err error) {
	err = request.TakeTags(func(tag string) error {
		maker, ok := l.IDs.DecodeTag(tenant, tag)
		if !ok {
			return errForeignTag
		}
		origin = maker // of several, the latest
		return nil
	})
	if err != nil || !request.ContinuesUpstream() {
		return origin, relocate(err, request)
	}
	origin, ok := l.IDs.DecodeID(tenant, request.Previous)
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

// within returns those of the channels that a request may go to: where it goes
// on from a response the channel that made it, and no other; where it brings
// encrypted content its maker, if that is among them.
func eligible(channels []*catalog.Channel, origin responseid.Origin) []*catalog.Channel {
	if origin.Channel == uuid.Nil {
		return channels
	}
	made := func(c *catalog.Channel) bool {
		return c.ID == origin.Channel && (origin.ID == "" || c.Speaks(catalog.Responses))
	}
	if i := slices.IndexFunc(channels, made); i >= 0 {
		return channels[i : i+1]
	}
	if origin.ID != "" {
		return nil
	}
	return channels
}

// names returns what the client is to read in the answer in place of its
// upstream's names. Each id stays the same throughout an answer. tokens is how
// many the response has, at most.
func (l *Pipeline) names(c *exchange, reply *upstream.Reply, tokens int64) *output.Rewriter {
	origin := responseid.Origin{Channel: reply.Channel.ID, Credential: reply.Credential(), Tokens: tokens}
	var own responseid.Origin
	var ownName, tag string
	return &output.Rewriter{
		ResponseID: func(id string) string {
			if reply.Translated() { // no upstream knows it
				return id
			}
			if own.ID != id {
				own = origin
				own.ID = id
				ownName = l.IDs.EncodeID(c.log.TenantID, own)
			}
			return ownName
		},
		PreviousID: func(string) string { return c.previous },
		ResumedID:  c.previous,
		Tag: func() string {
			if tag == "" {
				tag = l.IDs.EncodeTag(c.log.TenantID, origin.Channel, origin.Credential)
			}
			return tag
		},
		CleanMessage: reply.Clean,
	}
}

// named is a responses stream under the client's names.
type named struct {
	*output.Stream
	names *output.Rewriter
}

// Next returns the next frame, renamed.
func (n *named) Next() (output.Frame, error) {
	frame, err := n.Stream.Next()
	if err == nil {
		n.names.RewriteFrame(&frame)
	}
	return frame, err
}
