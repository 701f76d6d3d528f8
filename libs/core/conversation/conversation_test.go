package conversation_test

import (
	"reflect"
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestAnAnswerIsWhatItsEventsAmountTo(t *testing.T) {
	answer := conversation.Response{
		ID: "a", Model: "m", FinishReason: conversation.FinishToolCalls, Usage: &usage.Usage{Input: 3, Output: 4},
		Items: []conversation.Item{
			{Type: conversation.ItemReasoning, Text: "hm", Signature: "sealed"},
			{Type: conversation.ItemText, Text: "hello"},
			{Type: conversation.ItemToolCall, CallID: "c1", Name: "f", Text: `{"a":1}`},
			{Type: conversation.ItemToolCall, CallID: "c2", Name: "g", Custom: true, Text: "free"},
		},
	}
	var g conversation.Accumulator
	for _, e := range answer.Events() {
		g.Add(e)
	}
	if !reflect.DeepEqual(g.Response, answer) || g.Error != nil {
		t.Errorf("%+v, want %+v", g.Response, answer)
	}
}

func TestItemsMayOverlap(t *testing.T) {
	var g conversation.Accumulator
	for _, e := range []conversation.Event{
		{Type: conversation.EventItemBegin, Index: 4, Item: conversation.Item{Type: conversation.ItemToolCall, CallID: "a"}},
		{Type: conversation.EventItemBegin, Index: 2, Item: conversation.Item{Type: conversation.ItemToolCall, CallID: "b"}},
		{Type: conversation.EventItemDelta, Index: 4, Item: conversation.Item{Text: "1"}},
		{Type: conversation.EventItemDelta, Index: 2, Item: conversation.Item{Text: "2"}},
		{Type: conversation.EventItemDelta, Index: 9, Item: conversation.Item{Text: "nobody's"}},
		{Type: conversation.EventItemDelta, Index: 4, Item: conversation.Item{Text: "3"}},
	} {
		g.Add(e)
	}
	if items := g.Response.Items; len(items) != 2 || items[0].Text != "13" || items[1].Text != "2" {
		t.Errorf("%+v", items)
	}
}

func TestARefusalNamesTheFieldAsItsClientKnowsIt(t *testing.T) {
	for form, want := range map[conversation.ClientDialect]string{conversation.ClientChat: "response_format", conversation.ClientResponses: "text.format"} {
		r := conversation.Request{Client: form}
		if p := r.UnsupportedField(conversation.FieldFormat); p.Param != want || p.Kind != problem.UnsupportedParameter {
			t.Errorf("%v at %q, want %q", p.Kind, p.Param, want)
		}
	}
	r := conversation.Request{Untranslatable: []string{"logit_bias"}}
	if p := problem.From(r.CheckTranslatable()); p.Param != "logit_bias" {
		t.Errorf("%v", p)
	}
}

func TestInstructedPutsThePromptFirst(t *testing.T) {
	sent := &conversation.Request{Model: "m", Messages: make([]conversation.Message, 1, 8)}
	sent.Messages[0] = conversation.Message{Role: conversation.RoleUser}
	got := sent.WithSystemPrompt("Be brief.")
	if len(got.Messages) != 2 || got.Messages[0].Role != conversation.RoleSystem || got.Messages[0].Parts[0].Text != "Be brief." || got.Messages[1].Role != conversation.RoleUser || got.Model != "m" {
		t.Errorf("%+v", got)
	}
	if len(sent.Messages) != 1 || sent.Messages[0].Role != conversation.RoleUser {
		t.Errorf("the request was changed: %+v", sent)
	}
	if sent.WithSystemPrompt("") != sent {
		t.Error("no prompt makes a copy")
	}
}
