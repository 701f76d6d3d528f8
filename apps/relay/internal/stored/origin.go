package stored

import (
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// maxContextTokens is the upper bound of the tokens of continued state. No model reads more.
const maxContextTokens = 2_097_152

// errForeignTag refuses encrypted content whose tag is forged or belongs to another tenant.
var errForeignTag = errors.New("the tag was not made for this tenant")

// origin returns where a request must go: to the channel that stores the response that it continues, or else
// preferably to the channel that made the encrypted content in it. It removes the relay's tags from the request
// and replaces the id that the client sent by the upstream's id.
func (r *Resumer) origin(request *openai.Request, q Query) (origin Origin, err error) {
	reach := q.Reach
	err = request.RemoveTags(func(tag string) error {
		maker, ok := r.IDs.DecodeTag(reach.TenantID, tag)
		if !ok {
			return errForeignTag
		}
		origin, origin.Encrypted = maker, true // the last tag decides
		return nil
	})
	if err != nil {
		return origin, ClientProblem(problem.From(err), request)
	}
	if request.ContinuesUpstream() {
		var ok bool
		if origin, ok = r.IDs.DecodeID(reach, request.Previous); !ok {
			return origin, previousNotFound(request)
		}
		origin.Tokens, origin.Required = min(origin.Tokens, maxContextTokens), true
		request.SetUpstreamPrevious(origin.ID)
	}
	if !request.MayHaveIDs() {
		return origin, nil
	}
	if origin, err = r.editIDs(request, q, origin); err != nil {
		err = ClientProblem(problem.From(err), request)
	}
	return origin, err
}

// The reasons for which an id is refused.
const (
	unknownID = "The gateway did not give this id to your account. Refer only to ids from responses that you " +
		"received here, exactly as you received them."
	otherID = "This id belongs to another channel than an earlier one in the request. Send the item itself in place " +
		"of the reference, or start over."
)

// editIDs removes the marks from the ids of upstreams in the request, and returns where the request must go: to the
// channel that gave the ids to which the request refers. An id of an item that is complete without it only decides
// which channel comes first. editIDs refuses ids that the gateway did not give to the tenant; an item that is complete
// without its id loses such an id, because clients give their own items ids, too.
func (r *Resumer) editIDs(request *openai.Request, q Query, origin Origin) (Origin, error) {
	err := request.EditIDs(func(id openai.ID) openai.IDEdit {
		mark, ok := r.IDs.UnmarkID(q.Reach.TenantID, id.Text)
		_, isItemID := parseItemID(id.Text)
		switch {
		case ok && id.Optional:
			if origin.Channel == uuid.Nil {
				origin.Channel, origin.Credential = mark.Channel, mark.Credential
			}
			return openai.IDEdit{Replace: mark.ID}
		case ok && origin.Required && origin.Channel != mark.Channel:
			return openai.IDEdit{Refuse: otherID}
		case ok:
			origin.Channel, origin.Credential, origin.Required = mark.Channel, mark.Credential, true
			return openai.IDEdit{Replace: mark.ID}
		case isItemID && id.Optional: // given by the gateway, and the upstream looks up no item that is complete
			return openai.IDEdit{}
		case isItemID && id.Item:
			return openai.IDEdit{Remove: true}
		}
		account := ownAccount(q, origin)
		switch {
		case id.Optional && (account == nil || !reachesOnly(q, account)):
			return openai.IDEdit{Remove: true}
		case id.Optional:
			return openai.IDEdit{}
		case account == nil:
			return openai.IDEdit{Refuse: unknownID}
		}
		origin.Channel, origin.Required = account.ID, true
		return openai.IDEdit{}
	})
	return origin, err
}

// ownAccount returns the channel to which a request may go that refers to things in an account that the gateway did not
// give: one whose account belongs to the tenant alone. It returns nil if there is none, or if the request must go to
// another channel.
func ownAccount(q Query, origin Origin) *catalog.Channel {
	for _, c := range q.Snapshot.Serving(q.Request.Model) {
		if c.Settings.AccountOf != "" && c.Settings.AccountOf == q.Tenant && (q.Dialect != catalog.Responses ||
			c.Speaks(catalog.Responses)) && (!origin.Required || origin.Channel == c.ID) {
			return c
		}
	}
	return nil
}

// reachesOnly reports whether ids in the request can reach no other account than the channel's: all other channels get
// the request translated, without ids.
func reachesOnly(q Query, account *catalog.Channel) bool {
	return !slices.ContainsFunc(q.Snapshot.ServingTo(q.Tenant, q.Request.Model), func(c *catalog.Channel) bool {
		return c.ID != account.ID && c.Speaks(q.Dialect)
	})
}

// previousNotFound returns the problem for an id that cannot be decoded or found.
func previousNotFound(request *openai.Request) error {
	return problem.New(problem.PreviousNotFound, "Previous response with id '%.512s' not found.", request.Previous).
		At("previous_response_id")
}

// ClientProblem returns p with the name of the field as it is in the client's request. An expanded request
// contains loaded items, and one that omits tools has fewer elements, so an index in a field such as input[7] differs
// from the client's index. It also renames the field in an upstream's error and in the messages.
func ClientProblem(p *problem.Problem, request *openai.Request) *problem.Problem {
	if !request.ChangesPaths() {
		return p
	}
	clone := *p
	clone.Param, clone.Message = clientText(p.Param, p.Message, request)
	if p.Upstream != nil {
		upstream := *p.Upstream
		upstream.Param, upstream.Message = clientText(upstream.Param, upstream.Message, request)
		clone.Upstream = &upstream
	}
	return &clone
}

// clientText returns the field in the client's numbering, and the message with that field in it.
func clientText(param, message string, request *openai.Request) (name, text string) {
	if name = request.ClientPath(param); name == param {
		return param, message
	}
	return name, strings.ReplaceAll(message, param, name)
}
