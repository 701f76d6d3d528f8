package completion_test

import (
	"reflect"
	"testing"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestAccumulator_RestoresResponseFromItsEvents(t *testing.T) {
	response := completion.Response{
		ID: "a", Model: "m", FinishReason: completion.FinishToolCalls, Usage: &usage.Usage{Input: 3, Output: 4},
		Items: []completion.Item{
			{Type: completion.ItemReasoning, Text: "hm", Signature: "sealed"},
			{Type: completion.ItemText, Text: "hello",
				Citations: []completion.Citation{{URL: "https://x.example", End: 5}}},
			{Type: completion.ItemToolCall, CallID: "c1", Name: "f", Text: `{"a":1}`},
			{Type: completion.ItemToolCall, CallID: "c2", Name: "g", Custom: true, Text: "free"},
			{Type: completion.ItemPicture, MediaType: "image/png", Text: "iVBO"},
		},
	}
	var a completion.Accumulator
	for _, e := range response.Events() {
		a.Add(e)
	}
	if !reflect.DeepEqual(a.Response, response) || a.Error != nil {
		t.Errorf("%+v, want %+v", a.Response, response)
	}
}

func TestAccumulator_AcceptsInterleavedItems(t *testing.T) {
	var a completion.Accumulator
	for _, e := range []completion.Event{
		{Type: completion.EventItemBegin, Index: 4, Item: completion.Item{Type: completion.ItemToolCall, CallID: "a"}},
		{Type: completion.EventItemBegin, Index: 2, Item: completion.Item{Type: completion.ItemToolCall, CallID: "b"}},
		{Type: completion.EventItemDelta, Index: 4, Item: completion.Item{Text: "1"}},
		{Type: completion.EventItemDelta, Index: 2, Item: completion.Item{Text: "2"}},
		{Type: completion.EventItemDelta, Index: 9, Item: completion.Item{Text: "no such item"}},
		{Type: completion.EventItemDelta, Index: 4, Item: completion.Item{Text: "3"}},
	} {
		a.Add(e)
	}
	if items := a.Response.Items; len(items) != 2 || items[0].Text != "13" || items[1].Text != "2" {
		t.Errorf("%+v", items)
	}
}
