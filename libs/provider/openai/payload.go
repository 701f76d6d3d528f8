package openai

import (
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

// Payload is what a call says to an upstream of OpenAI's protocol, wherever
// that listens.
type Payload struct {
	Dialect catalog.Dialect // what it is said in
	Body    rawjson.Body
	Decoder provider.Decoder // of the answer, nil where it is in the client's dialect
}

// PayloadOf forwards the client's body, adapted by the channel's settings, or
// translates the call into the dialect that the channel speaks. Its errors are
// problems that name the field.
func PayloadOf(call provider.Call) (Payload, error) {
	switch {
	case call.Conversation == nil:
		body, err := call.Request.Adapt(call.UpstreamModel, &call.Channel.Settings)
		return Payload{Dialect: call.Dialect, Body: body}, err
	case call.Channel.Speaks(catalog.Chat):
		body, err := chat.EncodeRequest(call.Conversation, chat.OptionsOf(call.UpstreamModel, &call.Channel.Settings))
		return Payload{catalog.Chat, rawjson.NewBody(body), chat.NewDecoder()}, err
	}
	body, err := responses.EncodeRequest(call.Conversation, responses.Options{Model: call.UpstreamModel})
	return Payload{catalog.Responses, rawjson.NewBody(body), responses.NewDecoder()}, err
}
