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
	server := answer(http.StatusOK, "application/json", `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"echo-1",
		"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"quota":"0.000003"}}`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.CreateChatCompletionWithResponse(context.Background(), nil, relay.ChatCompletionRequest{
		Model:    "echo-1",
		Messages: []relay.ChatMessage{{Role: "user", Content: "Hello"}},
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

// StreamChat yields the chunks of a stream as they arrive.
func ExampleClientWithResponses_StreamChat() {
	server := answer(http.StatusOK, "text/event-stream", `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"echo-1","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}

data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"echo-1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}

data: [DONE]

`)
	defer server.Close()

	client, err := relay.New(server.URL, "sk-tg-...")
	if err != nil {
		fmt.Println(err)
		return
	}
	request := relay.ChatCompletionRequest{Model: "echo-1", Messages: []relay.ChatMessage{{Role: "user", Content: "Hello"}}}
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
