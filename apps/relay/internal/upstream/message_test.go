package upstream_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
)

// The usage log of a call has what a failed upstream said, for operators: without the credentials of the channel, cut,
// and as text that every database can store.
func TestAttempts_HaveWhatTheUpstreamSaid(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"an error": {relaytest.Status(500,
			`{"error":{"message":"no capacity for sk-first-channel-key\u0000 today","type":"server_error"}}`),
			"no capacity for [redacted]  today"},
		"a detail":   {relaytest.Status(503, `{"detail":"the model is loading"}`), "the model is loading"},
		"no message": {relaytest.Status(500, `<html>`), ""},
		"a long one": {relaytest.Status(429, `{"error":{"message":"`+strings.Repeat("é", 400)+`"}}`),
			strings.Repeat("é", 150)},
		"no connection": {relaytest.Aborts(), "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.ServeFirst(c.answer)
			log := h.Log(h.Post(relaytest.Token, relaytest.ChatBody("cheap", "")))
			if len(log.Attempts) < 2 || !strings.Contains(log.Attempts[0].Message, c.want) ||
				c.want == "" && log.Attempts[0].Message != "" {
				t.Errorf("got the attempts %+v, want the message %q", log.Attempts, c.want)
			}
			if last := log.Attempts[len(log.Attempts)-1]; last.Message != "" {
				t.Errorf("the attempt that succeeded has the message %q", last.Message)
			}
		})
	}
}
