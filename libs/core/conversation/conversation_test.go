package conversation_test

import (
	"reflect"
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestAnAnswerIsWhatItsEventsAmountTo(t *testing.T) {
	answer := conversation.Answer{
		ID: "a", Model: "m", Finish: conversation.Calls, Usage: &usage.Usage{Input: 3, Output: 4},
		Items: []conversation.Item{
			{Type: conversation.ThoughtItem, Text: "hm", Seal: "sealed"},
			{Type: conversation.TextItem, Text: "hello"},
			{Type: conversation.CallItem, CallID: "c1", Name: "f", Text: `{"a":1}`},
			{Type: conversation.CallItem, CallID: "c2", Name: "g", Custom: true, Text: "free"},
		},
	}
	var g conversation.Gather
	for _, e := range answer.Events() {
		g.Add(e)
	}
	if !reflect.DeepEqual(g.Answer, answer) || g.Fault != nil {
		t.Errorf("%+v, want %+v", g.Answer, answer)
	}
}

func TestItemsMayOverlap(t *testing.T) {
	var g conversation.Gather
	for _, e := range []conversation.Event{
		{Type: conversation.ItemBegin, Index: 4, Item: conversation.Item{Type: conversation.CallItem, CallID: "a"}},
		{Type: conversation.ItemBegin, Index: 2, Item: conversation.Item{Type: conversation.CallItem, CallID: "b"}},
		{Type: conversation.ItemDelta, Index: 4, Item: conversation.Item{Text: "1"}},
		{Type: conversation.ItemDelta, Index: 2, Item: conversation.Item{Text: "2"}},
		{Type: conversation.ItemDelta, Index: 9, Item: conversation.Item{Text: "nobody's"}},
		{Type: conversation.ItemDelta, Index: 4, Item: conversation.Item{Text: "3"}},
	} {
		g.Add(e)
	}
	if items := g.Answer.Items; len(items) != 2 || items[0].Text != "13" || items[1].Text != "2" {
		t.Errorf("%+v", items)
	}
}

func TestARefusalNamesTheFieldAsItsClientKnowsIt(t *testing.T) {
	for form, want := range map[conversation.Form]string{conversation.Chat: "response_format", conversation.Responses: "text.format"} {
		r := conversation.Request{Form: form}
		if p := r.Refuse(conversation.FormatField); p.Param != want || p.Kind != problem.UnsupportedParameter {
			t.Errorf("%v at %q, want %q", p.Kind, p.Param, want)
		}
	}
	r := conversation.Request{Beyond: []string{"logit_bias"}}
	if p := problem.From(r.CheckBeyond()); p.Param != "logit_bias" {
		t.Errorf("%v", p)
	}
}

func TestInstructedPutsThePromptFirst(t *testing.T) {
	sent := &conversation.Request{Model: "m", Messages: make([]conversation.Message, 1, 8)}
	sent.Messages[0] = conversation.Message{Role: conversation.User}
	got := sent.Instructed("Be brief.")
	if len(got.Messages) != 2 || got.Messages[0].Role != conversation.System || got.Messages[0].Parts[0].Text != "Be brief." || got.Messages[1].Role != conversation.User || got.Model != "m" {
		t.Errorf("%+v", got)
	}
	if len(sent.Messages) != 1 || sent.Messages[0].Role != conversation.User {
		t.Errorf("the request was changed: %+v", sent)
	}
	if sent.Instructed("") != sent {
		t.Error("no prompt makes a copy")
	}
}
