package routing_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
)

func lacks(n byte, features ...catalog.Feature) *catalog.Channel {
	c := channel(n, 0, 1)
	c.Settings.Lacks = features
	return c
}

func TestRefuse_NamesTheFeatureThatNoChannelHas(t *testing.T) {
	all := routing.Needs{Stream: true, Tools: true, Vision: true, StructuredOutput: true}
	for _, row := range []struct {
		rule     string
		dialect  catalog.Dialect
		needs    routing.Needs
		channels []*catalog.Channel
		param    string // "" if the call is not refused for a missing feature
	}{
		{"tools", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.ToolCalling)}, "tools"},
		{"streams", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Streaming)}, "stream"},
		{"images in a chat", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Vision)}, "messages"},
		{"images in a response", catalog.Responses, all, []*catalog.Channel{lacks(1, catalog.Vision)}, "input"},
		{"a schema in a chat", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.StructuredOutput)}, "response_format"},
		{"a schema in a response", catalog.Responses, all, []*catalog.Channel{lacks(1, catalog.StructuredOutput)}, "text.format"},
		{"each channel lacks a different feature", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Vision), lacks(2, catalog.ToolCalling)}, "messages"},
		{"the call needs no feature", catalog.Chat, routing.Needs{}, []*catalog.Channel{lacks(1, catalog.Vision, catalog.ToolCalling, catalog.Streaming)}, ""},
		{"another channel has the feature", catalog.Chat, all, []*catalog.Channel{lacks(1, catalog.Vision), lacks(2)}, ""},
	} {
		plan, usable := routing.Plan(routing.Query{Channels: row.channels, Dialect: row.dialect, Needs: row.needs, Pick: seeded(1)})
		if (usable == 0) != (row.param != "") {
			t.Errorf("%s: %d usable", row.rule, usable)
		}
		if row.param == "" {
			continue
		}
		if refusal := routing.Refuse(plan, row.dialect); refusal.Kind != problem.UnsupportedParameter || refusal.Param != row.param {
			t.Errorf("%s: %v at %q, want %q", row.rule, refusal, refusal.Param, row.param)
		}
	}
}

func TestRefuse_IsNoChannelIfCredentialsAreMissing(t *testing.T) {
	channels := []*catalog.Channel{lacks(1, catalog.Vision), lacks(2)}
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: []routing.Condition{{}, {State: routing.NoCredentialLeft}},
		Dialect: catalog.Chat, Needs: routing.Needs{Vision: true}, Pick: seeded(1),
	})
	if refusal := routing.Refuse(plan, catalog.Chat); usable != 0 || refusal.Kind != problem.NoChannel {
		t.Errorf("%d usable, %v", usable, refusal)
	}
	if refusal := routing.Refuse(nil, catalog.Chat); refusal.Kind != problem.NoChannel {
		t.Errorf("without channels: %v", refusal)
	}
}
