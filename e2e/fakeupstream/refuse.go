package fakeupstream

import (
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/libs/provider/rulestest"
)

// refuse answers a request that breaks a rule of its provider with the provider's error. It reports whether it has
// answered.
func (u *Upstream) refuse(w http.ResponseWriter, r *http.Request, body []byte) bool {
	refusal := rulestest.Check(providerOf(r.URL.Path), rulestest.Request{URL: r.URL, Header: r.Header, Body: body})
	if refusal == nil {
		return false
	}
	w.Header().Set("X-Fakeupstream-Rule", refusal.Rule)
	writeJSON(w, refusal.Status, refusal.Body)
	return true
}

// providerOf returns the provider whose endpoint has the path.
func providerOf(path string) rulestest.Provider {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return rulestest.Anthropic
	case strings.Contains(path, "/publishers/google/"):
		return rulestest.VertexAI
	case strings.Contains(path, "/models/"):
		return rulestest.AIStudio
	case strings.Contains(path, "/deployments/"):
		return rulestest.Azure
	}
	return rulestest.OpenAI
}
