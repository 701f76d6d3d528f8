package upstream

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/probe"
)

// ModelSource is the body of listUpstreamModels.
type ModelSource struct {
	ChannelID *uuid.UUID           `json:"channel_id,omitempty" doc:"A stored channel. The other fields change it for this request only. Its credentials are used, unless the change of another field would make updateChannel drop them"`
	Type      string               `json:"type,omitempty" doc:"Kind of upstream: openai, azure, anthropic or gemini. Required without channel_id"`
	BaseURL   api.Optional[string] `json:"base_url,omitzero" maxLength:"2000" doc:"URL of the upstream. Empty: the provider's own"`
	APIKeys   []string             `json:"api_keys,omitempty" maxItems:"100" doc:"API keys of the upstream, of which the first is used. They are not stored"`

	Settings draft.ChannelSettingsPatch `json:"settings,omitzero"`
}

// ListedModels holds the models that an upstream lists.
type ListedModels struct {
	Items     []ListedModel `json:"items" doc:"Ordered by id, at most 1,000"`
	Truncated bool          `json:"truncated" doc:"Whether the upstream has more models"`
}

// ListedModel is a model that an upstream lists.
type ListedModel struct {
	ID string `json:"id" doc:"The upstream's id of the model"`
}

func registerModels(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listUpstreamModels", Method: http.MethodPost, Path: "/operator/channels/models", Tag: "operator",
		Scope: token.WriteChannels, Summary: "List the models of an upstream",
		Description: "Asks the upstream of a new or of a stored channel, at no cost and for at most 10 seconds. " +
			"Nothing is stored. A list is truncated after 1,000 models or 2 MiB. For Azure it has the models that " +
			"may be deployed, and not the deployments. The type echo has no list. An access key may only name stored " +
			"channels with credentials.",
		Errors: []int{http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout},
		Needs:  permission.WritePlatform, Confirm: "the body contains a proxy, certificate authorities, headers that " +
			"route requests, or another destination of a stored channel", Body: api.DocumentBody,
	}, h.listModels)
}

func (h *handlers) listModels(ctx context.Context, in *struct{ Body ModelSource }) (*api.Answer[ListedModels], error) {
	body := &in.Body
	channel, err := h.draft(ctx, body.ChannelID, &draft.NewChannel{Type: body.Type, BaseURL: body.BaseURL,
		APIKeys: body.APIKeys, Settings: body.Settings})
	if err != nil {
		return nil, err
	}
	if err := h.checkConnection(channel); err != nil {
		return nil, err
	}
	key, err := h.testKey(channel, "")
	if err != nil {
		return nil, err
	}
	h.note(ctx, channel, key, at("models", channel))
	list, result := h.Prober.Models(ctx, channel, key)
	if api.HasAccessKey(ctx) { // it may be the answer of any server that the console reaches
		result.Detail = ""
	}
	if err := failure(result); err != nil {
		return nil, err
	}
	answer := ListedModels{Items: make([]ListedModel, len(list.IDs)), Truncated: list.Truncated}
	for i, id := range list.IDs {
		answer.Items[i].ID = id
	}
	return api.NewAnswer(answer), nil
}

// checkConnection checks the fields that a list of models needs. It gives the channel valid values of the others for
// the check.
func (h *handlers) checkConnection(channel *catalog.Channel) (err error) {
	candidate := *channel
	candidate.Name, candidate.Models, candidate.Weight = "new", map[string]string{"model": "model"}, 1
	for _, dialect := range []catalog.Dialect{catalog.Chat, catalog.Messages, catalog.Gemini} {
		candidate.Dialects = []catalog.Dialect{dialect}
		err = h.CheckChannel(&candidate)
		if err == nil || problem.From(err).Param != "dialects" { // the type speaks this dialect
			return err
		}
	}
	return err
}

// explanations explain the errors of a list that could not be read.
var explanations = map[string]string{
	probe.ErrorUnreachable: "The upstream could not be reached",
	probe.ErrorCredential:  "The upstream refuses the credential",
	probe.ErrorUnpaid:      "The account at the upstream has no money or quota left",
	probe.ErrorRateLimited: "The upstream limits the rate of requests",
	probe.ErrorRejected:    "The upstream rejects the request for its models",
	probe.ErrorStatus:      "The upstream failed",
	probe.ErrorMalformed:   "The answer of the upstream is not a list of models",
}

// failure returns the problem of a list that could not be read, nil for success.
func failure(result probe.Result) error {
	switch result.Error {
	case "":
		return nil
	case probe.ErrorForbidden:
		return problem.New(problem.InvalidType, "%s", sentence("The console may not connect to this address",
			result.Detail)).At("base_url")
	case probe.ErrorUnsupported:
		return problem.New(problem.InvalidType, "Upstreams of this type have no list of models.").At("type")
	case probe.ErrorTimedOut:
		return problem.New(problem.UpstreamTimeout, "The upstream did not send its list of models in time.")
	}
	return problem.New(problem.UpstreamFailed, "%s", sentence(explanations[result.Error], result.Detail))
}

// sentence returns the text with the detail, if there is one.
func sentence(text, detail string) string {
	if detail == "" {
		return text + "."
	}
	return text + ": " + detail
}
