package openai_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// scanMessage scans a messages request with extra members.
func scanMessage(t *testing.T, members string) *openai.Request {
	t.Helper()
	r, err := openai.ScanRequest([]byte(`{"model":"m","max_tokens":100,"messages":[]`+members+`}`), catalog.Messages)
	if err != nil {
		t.Fatalf("%s: %v", members, err)
	}
	return r
}

func TestScanRequest_ReadsTheFieldsOfAMessage(t *testing.T) {
	r := scanMessage(t,
		`,"stream":true,"tools":[{"name":"f"}],"metadata":{"user_id":"ann"},"output_config":{"format":{"type":"json_schema"}},"system":[{"type":"image","source":{"type":"url"}},{"type":"document"}]`)
	if !r.Stream || !r.Tools || !r.Structured || r.OutputCap != 100 || r.Media != 2 || r.EndUser() != "ann" ||
		string(r.CacheKey()) != `"ann"` || len(r.Charges) > 0 {
		t.Errorf("got %+v", r)
	}
}

func TestScanRequest_ReadsTheTriggerOfACompaction(t *testing.T) {
	for edits, want := range map[string]int64{
		`[{"type":"compact_20260112"}]`: 150_000,
		`[{"type":"clear_tool_uses_20250919"},{"type":"compact_20260112","trigger":{"value":60000}}]`: 60_000,
		`[{"type":"compact_20260112"},{"type":"compact_20260112","trigger":{"value":70000}}]`:         70_000,
		`[{"type":"compact_20260112","trigger":{"value":0}}]`:                                         1,
		`[{"type":"compact_20260112","trigger":{"value":"many"}}]`:                                    150_000,
		`[{"type":"clear_thinking_20251015"}]`:                                                        0,
		`7`:                                                                                           0,
	} {
		if got := scanMessage(t, `,"context_management":{"edits":`+edits+`}`).CompactsFrom; got != want {
			t.Errorf("%s: got %d, want %d", edits, got, want)
		}
	}
}

// In OutputCap, 0 means that there is no cap.
func TestScanRequest_ReadsACapOfZeroAsTheSmallestOne(t *testing.T) {
	r, err := openai.ScanRequest([]byte(`{"model":"m","max_tokens":0,"messages":[]}`), catalog.Messages)
	if err != nil || r.OutputCap != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestScanRequest_RequiresTheFieldsOfAMessage(t *testing.T) {
	for body, param := range map[string]string{
		`{"model":"m","messages":[]}`:                               "max_tokens",
		`{"model":"m","messages":[],"max_tokens":null}`:             "max_tokens",
		`{"model":"m","max_tokens":1}`:                              "messages",
		`{"max_tokens":1,"messages":[]}`:                            "model",
		`{"model":"m","messages":"a","max_tokens":1}`:               "messages",
		`{"model":"m","messages":[],"MAX_TOKENS":1}`:                "MAX_TOKENS",
		`{"model":"m","messages":[],"max_tokens":1,"Speed":"fast"}`: "Speed",
	} {
		if _, err := openai.ScanRequest([]byte(body), catalog.Messages); problem.From(err).Param != param {
			t.Errorf("%s: got %v, want a problem at %s", body, err, param)
		}
	}
	if _, err := openai.ScanOperation([]byte(`{"model":"m","messages":[]}`), catalog.Messages); err != nil {
		t.Errorf("to count tokens: %v", err)
	}
	if _, err := openai.ScanOperation([]byte(`{"model":"m"}`), catalog.Messages); problem.From(err).Param !=
		"messages" {
		t.Errorf("to count tokens without messages: %v", err)
	}
}

func TestScanRequest_FindsWhatAnthropicChargesFor(t *testing.T) {
	for members, want := range map[string][]string{
		`,"service_tier":"auto"`: nil,
		`,"speed":"fast"`:        {"service_tier at speed"},
		`,"speed":"standard"`:    nil,
		`,"speed":"ultra"`:       {"service_tier at speed"},
		`,"tools":[{"type":"web_search_20260209","name":"web_search","max_uses":3},{"type":"code_execution_20260120","name":"code_execution"}]`: {"web_search at tools[0].type"},
		`,"tools":[{"type":"web_fetch_20260209","name":"web_fetch"},{"type":"code_execution_20260120","name":"code_execution"}]`:                nil,
		`,"tools":[{"type":"web_fetch_20250910","name":"web_fetch"},{"type":"code_execution_20250825","name":"code_execution"}]`:                {"code_interpreter at tools[1].type"},
		`,"inference_geo":"us"`:                                    {"other_tool at inference_geo"},
		`,"inference_geo":"global"`:                                nil,
		`,"cache_control":{"type":"ephemeral"}`:                    nil,
		`,"cache_control":{"type":"ephemeral","ttl":"1h"}`:         {"cache_write_1h at cache_control.ttl"},
		`,"system":[{"type":"text","cache_control":{"ttl":"1h"}}]`: {"cache_write_1h at system[0].cache_control.ttl"},
		`,"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3},{"type":"bash_20250124","name":"bash"},{"name":"own"},{"type":"web_fetch_20250910"}]`: {"web_search at tools[0].type"},
		`,"tools":[{"type":"code_execution_20250825","name":"code_execution"},{"type":"new_20270101"}]`:                                                                  {"code_interpreter at tools[0].type", "other_tool at tools[1].type"},
	} {
		r := scanMessage(t, members)
		var got []string
		for _, c := range r.Charges {
			got = append(got, c.Kind.String()+" at "+c.Field)
			if c.Field == "tools[0].type" && c.Kind.String() == "web_search" && c.Calls != 3 {
				t.Errorf("%s: %d calls", members, c.Calls)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", members, got, want)
		}
	}
}

func TestAdapt_PutsThePromptBeforeTheSystemPromptOfAMessage(t *testing.T) {
	for members, want := range map[string]string{
		``:                              `,"system":"Be \"kind\"."`,
		`,"system":null`:                `,"system":"Be \"kind\"."`,
		`,"system":"Own"`:               `,"system":"Be \"kind\".\n\nOwn"`,
		`,"system":[]`:                  `,"system":[{"type":"text","text":"Be \"kind\"."}]`,
		`,"system":[ {"type":"text"} ]`: `,"system":[{"type":"text","text":"Be \"kind\"."}, {"type":"text"} ]`,
	} {
		settings := prompt(`Be "kind".`)
		body, err := scanMessage(t, members).Adapt("u", &settings)
		if got, want := string(body.Bytes()), `{"model":"u","max_tokens":100,"messages":[]`+want+`}`; err != nil ||
			got != want {
			t.Errorf("%s: got %s, %v, want %s", members, got, err, want)
		}
	}
}

func TestHasOwnThinking_IsTrueForBlocksThatAnthropicMade(t *testing.T) {
	for block, want := range map[string]bool{
		`{"type":"thinking","thinking":"a","signature":"abc"}`:              true,
		`{"type":"redacted_thinking","data":"abc"}`:                         true,
		`{"type":"thinking","thinking":"a","signature":"tollgate:x"}`:       false,
		`{"type":"thinking","thinking":"a","signature":""}`:                 false,
		`{"type":"redacted_thinking","data":"tollgate:x"}`:                  false,
		`{"type":"text","text":"signature"}`:                                false,
		`{"type":"tool_use","input":{"signature":"abc","type":"thinking"}}`: false,
	} {
		r, err :=
			openai.ScanRequest(
				[]byte(
					`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[`+block+`]}]}`), catalog.Messages)
		if err != nil || r.HasOwnThinking() != want {
			t.Errorf("%s: got %v, %v", block, !want, err)
		}
	}
}

func TestWithoutForeignThinking_TurnsThinkingOffBehindCallsThatLoseTheirs(t *testing.T) {
	const (
		budget   = `"thinking":{"type":"enabled","budget_tokens":2000}`
		adaptive = `"thinking":{"type":"adaptive"}`
		off      = `"thinking":{"type":"disabled"}`
		foreign  = `{"type":"thinking","thinking":"hm","signature":"tollgate:x"},`
		own      = `{"type":"thinking","thinking":"hm","signature":"abc"},`
		call     = `{"type":"tool_use","id":"a","name":"f","input":{}}`
		result   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}`
		clears   = `,"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}`
		next     = `,{"role":"assistant","content":"done"},{"role":"user","content":"go on"}`
	)
	for name, c := range map[string]struct{ members, blocks, after, want, ignored string }{
		"the thinking of a call":      {budget, foreign, result, off, "thinking"},
		"also where it was edited":    {budget + clears, foreign, result, off, "context_management,thinking"},
		"no budget":                   {adaptive, foreign, result, adaptive, ""},
		"thinking of its own":         {budget, foreign + own, result, budget, ""},
		"a call of an earlier answer": {budget, foreign, result + next, budget, ""},
	} {
		request := func(members, blocks string) string {
			return `{"model":"m","max_tokens":9000,` + members +
				`,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[` + blocks + call + `]},` +
				c.after + `]}`
		}
		r, err := openai.ScanRequest([]byte(request(c.members, c.blocks)), catalog.Messages)
		if err != nil {
			t.Fatal(err)
		}
		got, ignored, err := r.WithoutForeignThinking()
		want := request(c.want, strings.TrimPrefix(c.blocks, foreign))
		if err != nil || string(got.Body()) != want || strings.Join(ignored, ",") != c.ignored {
			t.Errorf("%s: got %s, ignored %v, %v, want %s and %s", name, got.Body(), ignored, err, want, c.ignored)
		}
	}
}

func TestWithoutOptionalTools_OmitsThoseThatAnthropicRuns(t *testing.T) {
	const tools = `,"tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"own"}]`
	for choice, want := range map[string]bool{``: true, `,"tool_choice":{"type":"auto"}`: true,
		`,"tool_choice":{"type":"any"}`: false, `,"tool_choice":{"type":"tool","name":"web_search"}`: false} {
		without, paths := scanMessage(t, tools+choice).WithoutOptionalTools()
		if (len(paths) == 1) != want || want && string(without.Forward("m").Bytes()) !=
			`{"model":"m","max_tokens":100,"messages":[],"tools":[{"name":"own"}]`+choice+`}` {
			t.Errorf("%s: got %v and %s", choice, paths, without.Forward("m").Bytes())
		}
	}
}
