// Package echo implements a provider and its upstream in the process itself, without a network. It answers a chat
// completion with the text of the last user message and counts a word as a token. Demos, tests and benchmarks use it:
// the answers are predictable, cost nothing and need no credential.
//
// Provider validates channels of the type echo and builds requests with the URL scheme "echo". Transport is the
// http.RoundTripper that the relay registers for that scheme; it validates requests and streams answers as OpenAI does.
package echo
