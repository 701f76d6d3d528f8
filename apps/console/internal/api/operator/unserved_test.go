package operator_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// unserved returns the reason for which the model has no healthy channel, "" if it has one.
func unserved(s *consoletest.Stack, model string) string {
	health := s.As(s.Operator).Get("/api/operator/health").Want(s.T, http.StatusOK)
	for _, item := range consoletest.Items(s.T, consoletest.At(s.T, health, "models_without_channel")) {
		if consoletest.Text(s.T, item, "model") == model {
			return consoletest.Text(s.T, item, "reason")
		}
	}
	return ""
}

func TestHealth_NamesModelsWithoutAHealthyChannel(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, path := s.As(s.Operator), "/api/operator/channels/"+s.Channel.ID.String()
	expect := func(when, want string) {
		t.Helper()
		if got := unserved(s, "gpt-4o-mini"); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	probe := func(word string) {
		s.Must(s.Store.Catalog.RecordProbe(t.Context(), consoletest.System, catalogdb.Probe{
			Credential: catalogdb.Credential{ChannelID: s.Channel.ID, Fingerprint: fingerprint(s)},
			Error:      word, ProbedAt: time.Now(),
		}))
	}
	expect("a channel that no probe has checked", "")
	probe("timeout")
	expect("a channel whose only credential failed its last probe", "failing")
	probe("")
	expect("a channel whose credential works again", "")
	disableCredential(s)
	expect("a channel whose only credential is disabled", "failing")

	second := operator.Post("/api/operator/channels", map[string]any{"name": "second", "type": "echo",
		"dialects": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "mini"}}).Want(t, http.StatusCreated)
	expect("another channel without credentials", "")
	disabled := map[string]any{"status": "disabled"}
	operator.Patch("/api/operator/channels/"+consoletest.Text(t, second, "id"), disabled).Want(t, http.StatusOK)
	expect("the other channel is disabled", "failing")
	operator.Patch(path, disabled).Want(t, http.StatusOK)
	expect("both channels are disabled", "disabled")

	bare := map[string]any{"id": "bare", "owned_by": "x", "free": true}
	operator.Post("/api/operator/models", bare).Want(t, http.StatusCreated)
	if got := unserved(s, "bare"); got != "no_channel" {
		t.Errorf("a model without a channel: got %q", got)
	}
	operator.Patch("/api/operator/models/bare", disabled).Want(t, http.StatusOK)
	if got := unserved(s, "bare"); got != "" {
		t.Errorf("a disabled model: got %q", got)
	}
}
