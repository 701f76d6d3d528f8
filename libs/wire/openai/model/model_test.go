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
		"gpt-5.1":             {"high", "", []string{"temperature", "top_p"}, false},
		"gpt-5.1-codex-max":   {"xhigh", "", []string{"temperature", "top_p"}, false},
		"gpt-5.2":             {"xhigh", "", []string{"temperature", "top_p"}, false},
		"gpt-5.6-2026-06-30":  {"xhigh", "", []string{"temperature", "top_p"}, false},
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

func TestFit_KnowsWhichModelsReasonByDefault(t *testing.T) {
	for name, want := range map[string]string{
		"gpt-4o": "0.5", "o3": "", "gpt-5": "", "gpt-5.1": "0.5", "gpt-5.2": "0.5", "gpt-5.4-mini": "0.5",
		"gpt-5.5": "", "openai/gpt-5.6": "", "gpt-6": "", "qwen3-32b": "0.5",
	} {
		r := &conversation.Request{Temperature: "0.5"}
		if got, ignored := model.Fit(r, name); got.Temperature.String() != want || (len(ignored) > 0) != (want == "") {
			t.Errorf("%s: got %q, ignored %v, want %q", name, got.Temperature, ignored, want)
		}
	}
	r := &conversation.Request{Temperature: "0.5", Reasoning: conversation.Reasoning{Effort: "none"}}
	if got, ignored := model.Fit(r, "gpt-5.6"); got.Temperature != "0.5" || got.Reasoning.Effort != "none" ||
		ignored != nil {
		t.Errorf("the effort none: got %+v, ignored %v", got, ignored)
	}
}

func TestFitChat_LeavesOutWhatChatCompletionsRefuse(t *testing.T) {
	no, tools := false, []conversation.Tool{{Name: "f", Path: "tools[0]"}}
	for name, row := range map[string]struct {
		model, effort string
		tools         []conversation.Tool
		want          string // the effort
		ignored       []string
	}{
		"an effort and tools":           {"gpt-5.4", "high", tools, "none", []string{"reasoning_effort"}},
		"no effort and tools":           {"gpt-5.6-terra", "", tools, "none", nil},
		"the effort none and tools":     {"gpt-5.2", "none", tools, "none", nil},
		"an effort alone":               {"gpt-5.6", "high", nil, "high", nil},
		"a model before":                {"gpt-5.1", "high", tools, "high", nil},
		"a model long before":           {"gpt-5", "high", tools, "high", nil},
		"a model that does not reason":  {"gpt-5.2-chat-latest", "", tools, "", nil},
		"a model without none":          {"gpt-5.3-codex", "high", tools, "high", nil},
		"another one without none":      {"gpt-5.5-pro", "", tools, "", nil},
		"a model behind a gateway":      {"openai/gpt-5.6", "high", tools, "high", nil},
		"another family":                {"qwen3-32b", "high", tools, "high", nil},
		"parallel calls, the o-series":  {"o4-mini", "high", tools, "high", []string{"parallel_tool_calls"}},
		"parallel calls, without tools": {"o4-mini", "high", nil, "high", nil},
	} {
		r := &conversation.Request{Tools: row.tools, ParallelCalls: &no,
			Reasoning: conversation.Reasoning{Effort: row.effort}}
		got, ignored := model.FitChat(r, row.model)
		if got.Reasoning.Effort != row.want || !slices.Equal(ignored, row.ignored) ||
			(got.ParallelCalls == nil) != (row.model == "o4-mini") {
			t.Errorf("%s: got %+v, ignored %v, want %q and %v", name, got, ignored, row.want, row.ignored)
		}
		if r.Reasoning.Effort != row.effort || r.ParallelCalls == nil {
			t.Errorf("%s: the request was changed", name)
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
