package messages

import "testing"

func TestGeneration_ReadsFamilyAndVersionOffTheID(t *testing.T) {
	for id, want := range map[string]struct {
		family  string
		version int
	}{
		"claude-opus-4-6":                              {"opus", 46},
		"claude-sonnet-4-5-20250929":                   {"sonnet", 45},
		"claude-opus-4-20250514":                       {"opus", 40},
		"claude-3-7-sonnet-20250219":                   {"sonnet", 37},
		"claude-3-haiku-20240307":                      {"haiku", 30},
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": {"sonnet", 45},
		"anthropic.claude-opus-4-6-v1":                 {"opus", 46},
		"claude-haiku-4-5@20251001":                    {"haiku", 45},
		"anthropic/claude-opus-4.8":                    {"opus", 48},
		"claude-sonnet-5":                              {"sonnet", 50},
		"claude-fable-5-1":                             {"fable", 51},
		"claude-mythos-preview":                        {"mythos", newest},
		"Claude-Opus-Latest":                           {"opus", newest},
		"kimi-k2":                                      {"", 0},
		"claude":                                       {"", 0},
	} {
		if family, version := generation(id); family != want.family || version != want.version {
			t.Errorf("%s: got %s %d, want %s %d", id, family, version, want.family, want.version)
		}
	}
}

func TestModelOf_ReturnsTheParametersOfEachGeneration(t *testing.T) {
	for id, want := range map[string]model{
		"claude-haiku-4-5": {offType: "disabled", aboveHigh: "xhigh", sampling: true, forceable: true,
			prefill: true, singleSampling: true},
		"claude-opus-4-0": {offType: "disabled", aboveHigh: "xhigh", sampling: true, forceable: true, prefill: true},
		"claude-sonnet-4-6": {adaptive: true, offType: "disabled", aboveHigh: "max", sampling: true,
			forceable: true, singleSampling: true},
		"claude-opus-4-7": {adaptive: true, offType: "disabled", aboveHigh: "xhigh", forceable: true},
		"claude-opus-4-8": {adaptive: true, offType: "disabled", aboveHigh: "xhigh", forceable: true,
			forcedThinks: true},
		"claude-sonnet-5": {adaptive: true, thinksByDefault: true, offType: "disabled", aboveHigh: "xhigh",
			forceable: true, forcedThinks: true},
		"claude-opus-5": {adaptive: true, thinksByDefault: true, offType: "disabled", aboveHigh: "xhigh",
			forceable: true, forcedThinks: true},
		"claude-haiku-5-5": {adaptive: true, thinksByDefault: true, offType: "disabled", aboveHigh: "xhigh",
			forceable: true, forcedThinks: true},
		"claude-sonnet-5-5": {adaptive: true, thinksByDefault: true, offType: "between_tools", aboveHigh: "xhigh",
			forcedThinks: true},
		"claude-opus-5-5": {adaptive: true, thinksByDefault: true, aboveHigh: "xhigh", forcedThinks: true},
		"claude-fable-5": {adaptive: true, thinksByDefault: true, aboveHigh: "xhigh", forceable: true,
			forcedThinks: true},
		"claude-fable-5-1":      {adaptive: true, thinksByDefault: true, aboveHigh: "xhigh", forcedThinks: true},
		"claude-mythos-preview": {adaptive: true, thinksByDefault: true, aboveHigh: "xhigh", forcedThinks: true},
		"glm-5":                 {offType: "disabled", sampling: true, forceable: true, prefill: true},
	} {
		if got := modelOf(id); got != want {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
}

func TestFit_LeavesAQuarterOfTheLimit(t *testing.T) {
	for _, c := range []struct{ budget, limit, want int64 }{
		{8192, 16_384, 8192},
		{16_384, 16_384, 12_288},
		{8192, 4000, 3000},
		{8192, 1100, 1024},
		{1024, 1025, 1024},
		{1024, 1024, 0},
		{8192, 1, 0},
	} {
		if got := fitBudget(c.budget, c.limit); got != c.want {
			t.Errorf("fit(%d, %d) = %d, want %d", c.budget, c.limit, got, c.want)
		}
	}
}
