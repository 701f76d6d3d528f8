package probe

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	prompt = "ping"
	// fewest is the least cap of the output, in tokens, that a responses request may have.
	fewest = 16
)

// Try makes a real call of a few tokens to the channel's model, given by its
// public id, in the dialect (Chat or Responses) of a client.
func (p *Prober) Try(ctx context.Context, channel *catalog.Channel, key Key, model string, dialect catalog.Dialect) Result {
	call, family, err := p.call(channel, key)
	if err != nil {
		return refused(err)
	}
	call.Dialect, call.UpstreamModel = dialect, channel.Models[model]
	if call.Request, err = request(channel, model, dialect); err != nil {
		return refused(err)
	}
	if !channel.Speaks(dialect) {
		call.Conversation = talk(model, dialect).Instructed(channel.Settings.SystemPrompt)
	}
	out, err := family.Request(call)
	if err != nil {
		return refused(err)
	}
	if out.Decoder != nil {
		if out.Body, err = out.Body.With(channel.Settings.Parameters); err != nil {
			return refused(err)
		}
	}
	result, body := p.send(ctx, call, family, out)
	if result.Error != "" || out.Decoder != nil {
		return result
	}
	switch answer, err := openai.ScanAnswer(body); {
	case err != nil:
		result.Error, result.Detail = Nonsense, clean(string(body), key.Plain)
	case answer.Error != nil:
		result.Error, result.Detail = Nonsense, clean(answer.Error.Message, key.Plain)
	}
	return result
}

// DialectOf is the dialect in which a client's call suits the channel best.
func DialectOf(channel *catalog.Channel) catalog.Dialect {
	if !channel.Speaks(catalog.Chat) && channel.Speaks(catalog.Responses) {
		return catalog.Responses
	}
	return catalog.Chat
}

// ModelOf is the first of the channel's models.
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

func request(channel *catalog.Channel, model string, dialect catalog.Dialect) (*openai.Request, error) {
	fields := map[string]any{"model": model}
	switch {
	case dialect == catalog.Responses:
		fields["input"], fields["max_output_tokens"] = prompt, fewest
	case channel.Settings.Has(catalog.OldMaxTokens):
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

func messages() []map[string]string { return []map[string]string{{"role": "user", "content": prompt}} }

// talk is what the request means.
func talk(model string, dialect catalog.Dialect) *conversation.Request {
	form := conversation.Chat
	if dialect == catalog.Responses {
		form = conversation.Responses
	}
	return &conversation.Request{
		Form: form, Model: model, MaxOutput: fewest,
		Messages: []conversation.Message{{
			Role: conversation.User, Path: "messages[0]", Parts: []conversation.Part{{Type: conversation.Text, Text: prompt, Path: "messages[0].content"}},
		}},
	}
}
