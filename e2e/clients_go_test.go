package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	community "github.com/sashabaranov/go-openai"
	"github.com/sashabaranov/go-openai/jsonschema"

	"github.com/tollgate/tollgate/e2e/story"
)

// The prompts for the simulated upstreams, and their answers.
const (
	greeting     = "Say hello."
	greetingText = `Hello from the other side, with an é and a "quote".`
	forecast     = "What is the weather in Paris?"
	forecastText = "It is 18 degrees in Paris."
)

// answer returns the channel's answer to the greeting. An echo channel repeats the prompt.
func (v testChannel) answer() string {
	if v.kind == "echo" {
		return greeting
	}
	return greetingText
}

// testOpenAIGo uses the Responses API of each test channel with the official Go SDK.
func testOpenAIGo(t *testing.T, base string) {
	client := openai.NewClient(option.WithBaseURL(base+"/v1"), option.WithAPIKey(acmeToken), option.WithMaxRetries(0))
	for _, v := range testChannels() {
		t.Run(v.Name, func(t *testing.T) {
			input := responses.ResponseNewParamsInputUnion{OfString: openai.String(greeting)}
			got, err := client.Responses.New(story.Context(t),
				responses.ResponseNewParams{Model: v.Model, Input: input})
			if err != nil {
				t.Fatal(err)
			}
			if got.OutputText() != v.answer() || got.Status != "completed" || got.Usage.InputTokens == 0 ||
				got.Usage.OutputTokens == 0 {
				t.Errorf("got %s", got.RawJSON())
			}
			stream := client.Responses.NewStreaming(story.Context(t),
				responses.ResponseNewParams{Model: v.Model, Input: input})
			var text string
			var last responses.ResponseStreamEventUnion
			for stream.Next() {
				last = stream.Current()
				text += last.AsResponseOutputTextDelta().Delta
			}
			if err := stream.Err(); err != nil || text != v.answer() ||
				last.AsResponseCompleted().Response.OutputText() != v.answer() {
				t.Errorf("streamed %q, last event %s: %v", text, last.RawJSON(), err)
			}
			if v.kind != "echo" {
				callTools(t, client, v.Model)
			}
		})
	}
}

// callTools asks a question that needs a tool, sends the tool's result, and checks the final answer.
func callTools(t *testing.T, client openai.Client, model string) {
	t.Helper()
	items := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(forecast,
		responses.EasyInputMessageRoleUser)}
	params := responses.ResponseNewParams{
		Model: model, Store: openai.Bool(false),
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("weather", map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]string{"type": "string"}},
			"required": []string{"city"}, "additionalProperties": false,
		}, true)},
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
	}
	first, err := client.Responses.New(story.Context(t), params)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range first.Output {
		items = append(items, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "function_call" {
			result := responses.ResponseInputItemParamOfFunctionCallOutput("18 degrees")
			result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
			items = append(items, result)
		}
	}
	params.Input.OfInputItemList = items
	second, err := client.Responses.New(story.Context(t), params)
	if err != nil || second.OutputText() != forecastText {
		t.Errorf("after the tool result: got %v, %v", second, err)
	}
}

// testGoOpenAI uses the chat API of each test channel with the community's Go client.
func testGoOpenAI(t *testing.T, base string) {
	config := community.DefaultConfig(acmeToken)
	config.BaseURL = base + "/v1"
	client := community.NewClientWithConfig(config)
	for _, v := range testChannels() {
		t.Run(v.Name, func(t *testing.T) {
			request := community.ChatCompletionRequest{Model: v.Model,
				Messages: []community.ChatCompletionMessage{{Role: "user", Content: greeting}}}
			got, err := client.CreateChatCompletion(story.Context(t), request)
			if err != nil || got.Choices[0].Message.Content != v.answer() || got.Usage.TotalTokens == 0 {
				t.Errorf("got %+v, %v", got, err)
			}
			if text, calls := amountOf(t, client, request); text != v.answer() || len(calls) > 0 {
				t.Errorf("streamed %q, %v", text, calls)
			}
			if v.kind == "echo" {
				return
			}
			request.Messages[0].Content = forecast
			request.Tools = []community.Tool{{Type: "function", Function: &community.FunctionDefinition{
				Name: "weather",
				Parameters: jsonschema.Definition{Type: jsonschema.Object,
					Properties: map[string]jsonschema.Definition{"city": {Type: jsonschema.String}},
					Required:   []string{"city"}},
			}}}
			text, calls := amountOf(t, client, request)
			if len(calls) != 1 || calls[0].Function.Name != "weather" ||
				calls[0].Function.Arguments != `{"city":"Paris"}` {
				t.Fatalf("streamed %q, %v", text, calls)
			}
			request.Messages = append(request.Messages,
				community.ChatCompletionMessage{Role: "assistant", Content: text, ToolCalls: calls},
				community.ChatCompletionMessage{Role: "tool", ToolCallID: calls[0].ID, Content: "18 degrees"})
			if got, err := client.CreateChatCompletion(story.Context(t), request); err != nil ||
				got.Choices[0].Message.Content != forecastText {
				t.Errorf("after the tool result: got %+v, %v", got, err)
			}
		})
	}
}

// amountOf returns the text and the tool calls of a stream, joined from its chunks.
func amountOf(t *testing.T, client *community.Client,
	request community.ChatCompletionRequest) (text string, calls []community.ToolCall) {
	t.Helper()
	stream, err := client.CreateChatCompletionStream(story.Context(t), request)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close() //nolint:errcheck // read up to its end
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, calls
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
			for _, call := range choice.Delta.ToolCalls {
				if *call.Index == len(calls) {
					calls = append(calls, call)
					continue
				}
				calls[*call.Index].Function.Arguments += call.Function.Arguments
			}
		}
	}
}
