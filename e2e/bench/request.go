package main

import (
	"fmt"
	"strings"
)

// requestFor returns a request of the tenant whose calls are measured, see requestBy.
func requestFor(model string, size int, stream bool) []byte {
	return requestBy(token, model, size, stream)
}

// requestBy returns a complete chat completion request with a body of about size bytes, in the format of the
// official SDKs, with many short messages.
func requestBy(token, model string, size int, stream bool) []byte {
	var body strings.Builder
	fmt.Fprintf(&body,
		`{"model":%q,"temperature":0.7,"stream":%t,"messages":[{"role":"system","content":"You are helpful."}`, model,
		stream)
	const text = `What is the answer to the great question of life, the universe and everything? \"Think\" step by step.\nThen say why it is so. `
	for turn := 0; body.Len() < size-200; turn++ {
		role := []string{"user", "assistant"}[turn%2]
		content := strings.Repeat(text, min(8, max(1, (size-200-body.Len())/len(text))))
		fmt.Fprintf(&body, `,{"role":%q,"content":"%s"}`, role, content)
	}
	body.WriteString(`,{"role":"user","content":"Continue."}]}`)
	return post("/v1/chat/completions", token, body.String())
}

// question is the text of the requests below, as it is in JSON.
const question = `What is the answer to the great question of life, the universe and everything? \"Think\" step by step.\n`

// responseFor returns a complete request to create a response, with a body of about size bytes.
func responseFor(model string, size int) []byte {
	body := fmt.Sprintf(
		`{"model":%q,"temperature":0.7,"instructions":"You are helpful.","input":[{"role":"user","content":"%s"}]}`,
		model, strings.Repeat(question, max(1, (size-120)/len(question))))
	return post("/v1/responses", token, body)
}

// messageFor returns a complete request to create a message, with a body of about size bytes.
func messageFor(model string, size int) []byte {
	body := fmt.Sprintf(
		`{"model":%q,"max_tokens":1024,"system":"You are helpful.","messages":[{"role":"user","content":"%s"}]}`,
		model, strings.Repeat(question, max(1, (size-120)/len(question))))
	return post("/v1/messages", token, body)
}

// post returns a complete request with the headers of the official SDKs.
func post(path, token, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\n"+
		"Accept: application/json\r\nUser-Agent: OpenAI/Go 3.95.0\r\nX-Stainless-Lang: "+
		"go\r\nX-Stainless-Retry-Count: 0\r\nContent-Length: %d\r\n\r\n%s",
		path, token, len(body), body)
}
