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
	fmt.Fprintf(&body, `{"model":%q,"temperature":0.7,"stream":%t,"messages":[{"role":"system","content":"You are helpful."}`, model, stream)
	const text = `What is the answer to the great question of life, the universe and everything? \"Think\" step by step.\nThen say why it is so. `
	for turn := 0; body.Len() < size-200; turn++ {
		role := []string{"user", "assistant"}[turn%2]
		content := strings.Repeat(text, min(8, max(1, (size-200-body.Len())/len(text))))
		fmt.Fprintf(&body, `,{"role":%q,"content":"%s"}`, role, content)
	}
	body.WriteString(`,{"role":"user","content":"Continue."}]}`)
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json\r\nUser-Agent: OpenAI/Go 3.95.0\r\nX-Stainless-Lang: go\r\nX-Stainless-Retry-Count: 0\r\nContent-Length: %d\r\n\r\n%s",
		token, body.Len(), body.String())
}
