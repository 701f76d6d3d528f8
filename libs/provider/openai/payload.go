package openai

import (
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/openai/model"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

// Payload is the part of a request that is the same for all upstreams with OpenAI's protocol, whatever their URLs.
type Payload struct {
	Dialect catalog.Dialect // dialect of Body
	Body    rawjson.Body
	Ignored []string         // see provider.Request
	Decoder provider.Decoder // decodes the response; nil if it is in the client's dialect
	Stop    []string         // see provider.Request
}

// PayloadOf returns the client's body adapted to the channel's settings if the channel speaks the client's dialect.
// Otherwise it translates the call into a dialect that the channel speaks: chat if possible, except with tools for one
// of OpenAI's models that reason, because many of them refuse tools in chat completions unless their reasoning is off.
// Errors are problems that name the field.
func PayloadOf(call provider.Call) (Payload, error) {
	switch {
	case call.Conversation == nil:
		body, err := call.Request.Adapt(call.UpstreamModel, provider.SettingsOf(call))
		return Payload{Dialect: call.Dialect, Body: body}, err
	case !call.Channel.Speaks(catalog.Chat) || isForResponses(call):
		request := *call.Conversation
		if call.Channel.Speaks(catalog.Chat) { // chats have no summary; OpenAI gives one to verified accounts alone
			request.Reasoning.Summary = ""
		}
		body, ignored, err := responses.EncodeRequest(&request,
			responses.Options{Model: call.UpstreamModel, Tier: call.ServiceTier})
		return Payload{catalog.Responses, rawjson.NewBody(body), ignored, responses.NewDecoder(call.Conversation),
			call.Conversation.Stop}, err
	}
	options := chat.OptionsOf(call.UpstreamModel, &call.Channel.Settings)
	options.Tier = call.ServiceTier
	body, ignored, err := chat.EncodeRequest(call.Conversation, options)
	payload := Payload{Dialect: catalog.Chat, Body: rawjson.NewBody(body), Ignored: ignored,
		Decoder: chat.NewDecoder(call.Conversation)}
	if !model.TakesStop(call.UpstreamModel) {
		payload.Stop = call.Conversation.Stop
	}
	return payload, err
}

// isForResponses reports whether a call becomes a responses request on a channel that speaks chat, too. Parameters of
// the channel that only chat completions have would be refused there.
func isForResponses(call provider.Call) bool {
	return len(call.Conversation.Tools) > 0 && call.Channel.Speaks(catalog.Responses) &&
		model.Reasons(call.UpstreamModel) &&
		!slices.ContainsFunc(chatParameters, func(name string) bool {
			_, ok := call.Channel.Settings.Parameters[name]
			return ok
		})
}

// chatParameters are the parameters that chat completions have and responses refuse.
var chatParameters = []string{
	"reasoning_effort", "verbosity", "response_format", "max_tokens", "max_completion_tokens", "stop", "seed", "n",
	"logit_bias", "logprobs", "frequency_penalty", "presence_penalty", "prediction", "modalities", "web_search_options",
}
