package conversation_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestUnsupportedField_UsesTheNameInTheClientsDialect(t *testing.T) {
	for form, want := range map[conversation.ClientDialect]string{conversation.ClientChat: "response_format",
		conversation.ClientResponses: "text.format", conversation.ClientMessages: "output_config.format"} {
		r := conversation.Request{Client: form}
		if p := r.UnsupportedField(conversation.FieldFormat); p.Param != want ||
			p.Kind != problem.UnsupportedParameter {
			t.Errorf("%v at %q, want %q", p.Kind, p.Param, want)
		}
	}
	r := conversation.Request{Untranslatable: []string{"logit_bias"}}
	if p := problem.From(r.CheckTranslatable()); p.Param != "logit_bias" {
		t.Errorf("%v", p)
	}
}

func TestWithSystemPrompt_PutsThePromptFirstInACopy(t *testing.T) {
	sent := &conversation.Request{Model: "m", Messages: make([]conversation.Message, 1, 8)}
	sent.Messages[0] = conversation.Message{Role: conversation.RoleUser}
	got := sent.WithSystemPrompt("Be brief.")
	if len(got.Messages) != 2 || got.Messages[0].Role != conversation.RoleSystem || got.Messages[0].Parts[0].Text !=
		"Be brief." || got.Messages[1].Role != conversation.RoleUser || got.Model != "m" {
		t.Errorf("%+v", got)
	}
	if len(sent.Messages) != 1 || sent.Messages[0].Role != conversation.RoleUser {
		t.Errorf("the request was changed: %+v", sent)
	}
	if sent.WithSystemPrompt("") != sent {
		t.Error("WithSystemPrompt(\"\") returns a copy")
	}
}
