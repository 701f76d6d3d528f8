package probe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/vectors"
)

const (
	prompt = "ping"
	// minOutput is the smallest max_output_tokens that the Responses API of OpenAI accepts.
	minOutput = 16
)

// Try makes a real call of a few tokens, which costs money, to one of the channel's models. model is the
// public id, dialect the dialect of the client (Chat, Responses or Embeddings). On success Detail has the beginning of
// the response. It returns ErrorUnsupported if the channel cannot serve the dialect.
func (p *Prober) Try(ctx context.Context, channel *catalog.Channel, key Credential, model string,
	dialect catalog.Dialect) Result {
	to, err := p.upstream(channel, key)
	if err != nil {
		return refused(err)
	}
	out, err := to.request(model, dialect)
	if err != nil {
		return refused(err)
	}
	result, body := p.send(ctx, to, out, maxAnswer)
	if result.Error != "" {
		return result
	}
	text, ok := readResponse(out, body)
	if result.Detail = clean(text, key); !ok {
		result.Error = ErrorMalformed
	}
	return result
}

// request returns the request of a call of a few tokens, translated into the channel's dialect if necessary.
func (to *upstream) request(model string, dialect catalog.Dialect) (out provider.Request, err error) {
	call := to.call
	channel := call.Channel
	call.Dialect, call.UpstreamModel = dialect, channel.Models[model]
	if call.Request, err = request(channel, model, dialect); err != nil {
		return out, err
	}
	if !routing.Serves(channel, dialect) {
		return out, problem.New(problem.UnsupportedParameter, "The channel has no %s.", dialect)
	}
	if !channel.Speaks(dialect) && dialect != catalog.Embeddings {
		call.Conversation = conversationOf(model, dialect).WithSystemPrompt(channel.Settings.SystemPrompt)
	}
	if out, err = to.family.Request(call); err != nil || out.Decoder == nil {
		return out, err
	}
	out.Body, err = out.Body.WithParameters(channel.Settings.Parameters)
	return out, err
}

// readResponse reports whether a body is a response of a model. text is the message of an error, and
// otherwise the body.
func readResponse(out provider.Request, body []byte) (text string, ok bool) {
	err := translated(out, body)
	if fault := new(completion.UpstreamError); errors.As(err, &fault) {
		return fault.Message, false
	}
	if err != nil || out.Decoder != nil || out.Embeddings != nil {
		return string(body), err == nil
	}
	answer, err := scan(out.Dialect, body)
	if err == nil && answer.Error != nil {
		return answer.Error.Message, false
	}
	return string(body), err == nil
}

// scan reads an answer of a dialect.
func scan(dialect catalog.Dialect, body []byte) (output.Response, error) {
	if dialect == catalog.Embeddings {
		return vectors.Scan(body)
	}
	return output.ScanAnswer(dialect, body)
}

// translated returns the error of translating a response into the client's dialect; nil if it need not be translated.
func translated(out provider.Request, body []byte) (err error) {
	switch {
	case out.Decoder != nil:
		_, err = out.Decoder.Whole(body)
	case out.Embeddings != nil:
		_, _, err = out.Embeddings(body, func() int64 { return 0 })
	}
	return err
}

// DialectOf returns the client's dialect that a Try of the channel should use: Responses if the channel
// speaks that and not Chat, otherwise Chat.
func DialectOf(channel *catalog.Channel) catalog.Dialect {
	if !channel.Speaks(catalog.Chat) && channel.Speaks(catalog.Responses) {
		return catalog.Responses
	}
	return catalog.Chat
}

// ModelOf returns the alphabetically first public id among the channel's models, or "" if it has none.
func ModelOf(channel *catalog.Channel) string {
	models := make([]string, 0, len(channel.Models))
	for model := range channel.Models {
		models = append(models, model)
	}
	if len(models) == 0 {
		return ""
	}
	return slices.Min(models)
}

// request returns the client's request, as a client would send it in the dialect.
func request(channel *catalog.Channel, model string, dialect catalog.Dialect) (*openai.Request, error) {
	fields := map[string]any{"model": model}
	switch {
	case dialect == catalog.Embeddings:
		fields["input"] = prompt
	case dialect == catalog.Responses:
		fields["input"], fields["max_output_tokens"] = prompt, minOutput
	case channel.Settings.Has(catalog.OldMaxTokens): // servers that do not know max_completion_tokens
		fields["messages"], fields["max_tokens"] = messages(), 1
	default:
		fields["messages"], fields["max_completion_tokens"] = messages(), 1
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return openai.ScanRequest(body, dialect)
}

// messages returns the messages of a chat request with the prompt.
func messages() []map[string]string { return []map[string]string{{"role": "user", "content": prompt}} }

// conversationOf returns the same request in the form from which providers translate.
func conversationOf(model string, dialect catalog.Dialect) *conversation.Request {
	form := conversation.ClientChat
	if dialect == catalog.Responses {
		form = conversation.ClientResponses
	}
	return &conversation.Request{
		Client: form, Model: model, MaxOutput: minOutput,
		Messages: []conversation.Message{{
			Role: conversation.RoleUser, Path: "messages[0]",
			Parts: []conversation.Part{{Type: conversation.PartText, Text: prompt, Path: "messages[0].content"}},
		}},
	}
}
