package model_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/openai/model"
)

func TestFit_LeavesOutWhatTheModelRefuses(t *testing.T) {
	for name, want := range map[string]struct {
		effort, temperature string
		ignored             []string
		stops               bool
	}{
		"gpt-4o":              {"", "0.5", []string{"reasoning_effort"}, true},
		"gpt-4.1-mini":        {"", "0.5", []string{"reasoning_effort"}, true},
		"gpt-5-chat-latest":   {"", "0.5", []string{"reasoning_effort"}, true},
		"o3-mini":             {"high", "", []string{"temperature", "top_p"}, false},
		"openai/gpt-5-mini":   {"high", "", []string{"temperature", "top_p"}, false},
		"gpt-5.2":             {"xhigh", "", []string{"temperature", "top_p"}, false},
		"gpt-oss-120b":        {"xhigh", "0.5", nil, true},
		"Qwen/Qwen3-32B":      {"xhigh", "0.5", nil, true},
		"olmo-3":              {"xhigh", "0.5", nil, true},
		"our-deployment":      {"xhigh", "0.5", nil, true},
		"deepseek/o1-distill": {"high", "", []string{"temperature", "top_p"}, false},
	} {
		r := &conversation.Request{Temperature: "0.5", TopP: "0.9",
			Reasoning: conversation.Reasoning{Effort: "xhigh", Summary: "auto"}}
		got, ignored := model.Fit(r, name)
		if got.Reasoning.Effort != want.effort || got.Temperature.String() != want.temperature ||
			!slices.Equal(ignored, want.ignored) || model.TakesStop(name) != want.stops {
			t.Errorf("%s: got %+v, ignored %v, stops %t, want %+v", name, got, ignored, model.TakesStop(name), want)
		}
		if r.Temperature != "0.5" || r.Reasoning.Effort != "xhigh" {
			t.Errorf("%s: the request was changed", name)
		}
	}
	for name, want := range map[string]string{"o3": "low", "gpt-5": "minimal", "gpt-5.1": "none", "gpt-4o": ""} {
		got, ignored := model.Fit(&conversation.Request{Temperature: "1.0",
			Reasoning: conversation.Reasoning{Effort: "none"}}, name)
		if got.Reasoning.Effort != want || ignored != nil {
			t.Errorf("%s: got %q, ignored %v, want %q", name, got.Reasoning.Effort, ignored, want)
		}
	}
}

func TestFit_IgnoresSamplingOtherThanTheDefault(t *testing.T) {
	for number, ignored := range map[json.Number]bool{"": false, "1": false, "1.00": false, "1e0": false, "0": true,
		"10": true, "0.1": true} {
		got, fields := model.Fit(&conversation.Request{Temperature: number}, "gpt-5")
		if got.Temperature != "" || (len(fields) > 0) != ignored {
			t.Errorf("temperature %q: got %q and ignored %v, want it ignored: %v", number, got.Temperature, fields,
				ignored)
		}
	}
}
