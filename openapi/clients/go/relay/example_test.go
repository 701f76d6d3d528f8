package relay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/tollgate/tollgate/openapi/clients/go/relay"
)

// answer starts a relay that answers every request with the body. The examples use it in place of a real
// relay, whose URL and token a program reads from its configuration.
func answer(status int, contentType, body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
}

// A result has one field for each status. The usage says how much quota the
// request deducted, in USD.
func ExampleNew() {
	server := answer(http.StatusOK, "application/json",
		`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"echo-1",
		"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"quota":"0.000003"}}`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.CreateChatCompletion(context.Background(), nil, relay.ChatCompletionRequest{
		Model:    "echo-1",
		Messages: []relay.ChatMessage{relay.UserMessage("Hello")},
	})
	switch {
	case err != nil:
		fmt.Println(err)
	case result.JSON200 != nil:
		fmt.Println(*result.JSON200.Choices[0].Message.Content, *result.JSON200.Usage.Quota)
	default:
		fmt.Println(result.Status(), string(result.Body))
	}
	// Output: Hello 0.000003
}

// The parts of a request are typed: images, tools, structured output and reasoning need no JSON by hand.
func ExampleUserParts() {
	server := answer(http.StatusOK, "application/json",
		`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"echo-1",
		"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[
			{"id":"call_1","type":"function","function":{"name":"look_up","arguments":"{\"name\":\"Lisbon\"}"}}]},"finish_reason":"tool_calls"}]}`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	effort := "low"
	name := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
	result, err := client.CreateChatCompletion(context.Background(), nil, relay.ChatCompletionRequest{
		Model: "echo-1",
		Messages: []relay.ChatMessage{
			relay.SystemMessage("Name the city in the picture."),
			relay.UserParts(relay.TextPart("Which city is this?"), relay.ImagePart("https://example.com/city.png")),
		},
		Tools:           &[]relay.ChatTool{relay.FunctionTool(relay.ChatFunction{Name: "look_up", Parameters: &name})},
		ResponseFormat:  relay.JSONFormat("city", name),
		ReasoningEffort: &effort,
	})
	if err != nil || result.JSON200 == nil {
		fmt.Println(err)
		return
	}
	for _, call := range *result.JSON200.Choices[0].Message.ToolCalls {
		function, err := call.AsChatFunctionCall()
		fmt.Println(function.Function.Name, function.Function.Arguments, err)
	}
	// Output: look_up {"name":"Lisbon"} <nil>
}

// StreamChat yields the chunks of a stream as they arrive.
func ExampleClient_StreamChat() {
	server := answer(http.StatusOK, "text/event-stream",
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"echo-1","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"echo-1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}

data: [DONE]

`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	request := relay.ChatCompletionRequest{Model: "echo-1", Messages: []relay.ChatMessage{relay.UserMessage("Hello")}}
	for chunk, err := range client.StreamChat(context.Background(), request) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != nil {
				fmt.Print(*choice.Delta.Content)
			}
		}
	}
	fmt.Println()
	// Output: Hello
}

// An image, a tool, structured output and reasoning in one request. The output is typed too.
func ExampleResponseItems() {
	server := answer(http.StatusOK, "application/json",
		`{"id":"resp_1","object":"response","created_at":1,"model":"echo-1","output":[
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"A city by a river."}]},
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"look_up","arguments":"{\"name\":\"Lisbon\"}"}]}`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	effort, summary := "low", "auto"
	name := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
	question := relay.ResponseMessage("user", relay.InputText("Which city is this?"),
		relay.InputImage("https://example.com/city.png"))
	request := relay.ResponseRequest{
		Model: "echo-1",
		Input: relay.ResponseItems(question),
		Tools: &[]relay.ResponseTool{relay.ResponseFunction(relay.ResponseFunctionTool{Name: "look_up",
			Parameters: &name})},
		Text:      relay.ResponseJSON("city", name),
		Reasoning: &relay.ResponseReasoning{Effort: &effort, Summary: &summary},
	}
	result, err := client.CreateResponse(context.Background(), nil, request)
	if err != nil || result.JSON200 == nil {
		fmt.Println(err)
		return
	}
	next := []relay.ResponseInputItem{question}
	for _, item := range result.JSON200.Output {
		next = append(next, relay.ResponseInputItem(item)) // the next request repeats what the model generated
		value, _ := item.ValueByDiscriminator()            // nil for an item of a type that this client does not know
		switch value := value.(type) {
		case relay.ResponseReasoningItem:
			fmt.Println(value.Summary[0].Text)
		case relay.ResponseFunctionCall:
			fmt.Println(value.Name, value.Arguments)
			next = append(next, relay.ResponseFunctionResult(value.CallId, "545,000 inhabitants"))
		}
	}
	request.Input = relay.ResponseItems(next...)
	fmt.Println(len(next), "items for the next request")
	// Output:
	// A city by a river.
	// look_up {"name":"Lisbon"}
	// 4 items for the next request
}

// StreamResponse yields the events of a stream as they arrive.
func ExampleClient_StreamResponse() {
	server := answer(http.StatusOK, "text/event-stream",
		`data: {"type":"response.output_text.delta","sequence_number":0,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hel"}

data: {"type":"response.output_text.delta","sequence_number":1,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"lo"}

data: {"type":"response.completed","sequence_number":2,"response":{"id":"resp_1","object":"response","created_at":1,"model":"echo-1","output":[],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}

`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range client.StreamResponse(context.Background(),
		relay.ResponseRequest{Model: "echo-1", Input: relay.ResponseText("Hello")}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		value, _ := event.ValueByDiscriminator() // nil for an event of a type that this client does not know
		switch value := value.(type) {
		case relay.ResponseTextDeltaEvent:
			fmt.Print(value.Delta)
		case relay.ResponseStateEvent:
			fmt.Println("", value.Response.Usage.TotalTokens, "tokens")
		}
	}
	// Output: Hello 2 tokens
}

// A *Refusal is the relay's own error. Its code says what the client can do.
func ExampleRefusal() {
	server := answer(http.StatusTooManyRequests, "application/json",
		`{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, err := range client.StreamChat(context.Background(), relay.ChatCompletionRequest{Model: "echo-1"}) {
		var refusal *relay.Refusal
		if errors.As(err, &refusal) {
			fmt.Println(refusal.Status, *refusal.Code)
		}
	}
	// Output: 429 insufficient_quota
}
