package openai_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// asked returns the charges of a request with the members, as "kind at field".
func asked(t *testing.T, dialect catalog.Dialect, members string) []string {
	t.Helper()
	body := `{"model":"m","messages":[{"role":"user","content":"hi"}],` + members + `}`
	if dialect == catalog.Responses {
		body = `{"model":"m","input":"hi",` + members + `}`
	}
	r, err := openai.ScanRequest([]byte(body), dialect)
	if err != nil {
		t.Fatalf("%s: %v", members, err)
	}
	var all []string
	for _, c := range r.Charges {
		all = append(all, c.Kind.String()+" at "+c.Field)
		if want, _, _ := strings.Cut(strings.SplitN(c.Field, "[", 2)[0], "."); c.Top != want {
			t.Errorf("%s: top-level member %q, want %q", c.Field, c.Top, want)
		}
	}
	return all
}

func TestScanRequest_FindsWhatProvidersChargeFor(t *testing.T) {
	const chat, responses = catalog.Chat, catalog.Responses
	for members, want := range map[string]struct {
		dialect catalog.Dialect
		charges []string
	}{
		`"service_tier":"priority"`:                       {chat, []string{"service_tier at service_tier"}},
		`"service_tier":"Flex"`:                           {responses, []string{"service_tier at service_tier"}},
		`"service_tier":"auto"`:                           {chat, nil},
		`"service_tier":"default"`:                        {responses, nil},
		`"service_tier":"standard_only"`:                  {chat, nil},
		`"service_tier":null`:                             {chat, nil},
		`"service_tier":"\u0070riority"`:                  {chat, []string{"service_tier at service_tier"}},
		`"service_tier":7`:                                {chat, []string{"service_tier at service_tier"}},
		`"modalities":["text","audio"]`:                   {chat, []string{"audio_output at modalities[1]"}},
		`"modalities":["IMAGE","text"]`:                   {chat, []string{"image_output at modalities[0]"}},
		`"modalities":["text"]`:                           {chat, nil},
		`"web_search_options":{}`:                         {chat, []string{"web_search at web_search_options"}},
		`"web_search_options":null`:                       {chat, nil},
		`"search_parameters":{"mode":"on"}`:               {chat, []string{"web_search at search_parameters"}},
		`"search_parameters":{"mode":"off"}`:              {chat, nil},
		`"search_parameters":{}`:                          {chat, []string{"web_search at search_parameters"}},
		`"search_parameters":{"mode":"off","mode":"on"}`:  {chat, []string{"web_search at search_parameters"}},
		`"search_parameters":{"mode":"off","Mode":"off"}`: {chat, []string{"web_search at search_parameters"}},
		`"tools":[{"type":"x_search"}]`:                   {responses, []string{"web_search at tools[0].type"}},
		`"tools":[{"google_search":{}},{"url_context":{}},{"code_execution":{}}]`: {chat,
			[]string{"other_tool at tools[0]", "other_tool at tools[1]", "code_interpreter at tools[2]"}},
		`"tools":[{"googleSearch":{}},{"url\u0043ontext":{}},{"googleSearchRetrieval":{}},{"google_maps":{}}]`: {chat,
			[]string{"other_tool at tools[0]", "other_tool at tools[1]", "other_tool at tools[2]",
				"other_tool at tools[3]"}},
		`"tools":[{"type":"function","function":{"name":"f"},"codeExecution":{}}]`: {chat,
			[]string{"code_interpreter at tools[0]"}},
		`"tools":[{"type":"web_search","web_search":{"enable":true}}]`: {chat,
			[]string{"web_search at tools[0].type"}},
		`"tools":[{"google_search":null}]`: {chat, nil},
		`"tools":[{"function":{"name":"google_search","parameters":{"properties":{"url_context":{}}}}}]`: {chat,
			nil},
		`"tools":[{"name":"code_execution","input_schema":{"properties":{"google_search":{"type":"string"}}}}]`: {chat,
			nil},
		`"plugins":[{"id":"web"}]`: {chat, []string{"other_tool at plugins"}},
		`"plugins":[ ]`:            {chat, nil},
		`"prompt":{"id":"pmpt_1"}`: {responses, []string{"other_tool at prompt"}},
		`"enable_search":true`:     {chat, []string{"web_search at enable_search"}},
		`"enable_search":false`:    {chat, nil},
		`"models":["a/b","c/d"]`:   {chat, []string{"other_tool at models"}},
		`"models":[]`:              {chat, nil},
		`"compound_custom":{"tools":{"enabled_tools":["web_search"]}}`: {chat,
			[]string{"other_tool at compound_custom"}},
		`"tools":[{"type":"code_interpreter","container":{"type":"auto","memory_limit":"64g"}}]`: {responses,
			[]string{"other_tool at tools[0].container.memory_limit", "code_interpreter at tools[0].type"}},
		`"tools":[{"type":"code_interpreter","container":{"type":"auto","memory_limit":"1g"}}]`: {responses,
			[]string{"code_interpreter at tools[0].type"}},
		`"tools":[{"type":"code_interpreter","container":{"type":"auto","memory_limit":null}}]`: {responses,
			[]string{"code_interpreter at tools[0].type"}},
		`"tools":[{"type":"shell","environment":{"type":"container_auto","memory_limit":"4g"}}]`: {responses,
			[]string{"other_tool at tools[0].environment.memory_limit", "code_interpreter at tools[0].type"}},
		`"tools":[]`: {chat, nil},
		`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"type":{"type":"string"}}}}}]`: {chat, nil},
		`"tools":[{"type":"function","name":"web_search"}]`:                                                                            {responses, nil},
		`"tools":[{"type":"web_search"},{"type":"function","name":"f"}]`:                                                               {responses, []string{"web_search at tools[0].type"}},
		`"tools":[{"type":"function","name":"f"},{"name":"x","type":"web_search_preview_2025_03_11"}]`:                                 {responses, []string{"web_search at tools[1].type"}},
		`"tools":[{"type":"file_search","vector_store_ids":["v"]}]`:                                                                    {responses, []string{"file_search at tools[0].type"}},
		`"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]`:                                                            {responses, []string{"code_interpreter at tools[0].type"}},
		`"tools":[{"type":"image_generation"}]`:                                                                                        {responses, []string{"image_generation at tools[0].type"}},
		`"tools":[{"type":"shell","environment":{"type":"local"}}]`:                                                                    {responses, nil},
		`"tools":[{"type":"shell"}]`:                                                                                                   {responses, []string{"code_interpreter at tools[0].type"}},
		`"tools":[{"type":"mcp","server_label":"x"},{"type":"computer_use_preview"}]`:                                                  {responses, nil},
		`"tools":[{"type":"namespace","name":"n","tools":[{"type":"web_search"}]}]`:                                                    {responses, []string{"web_search at tools[0].tools[0].type"}},
		`"tools":[{"type":"teleport"}]`:                                                                                                {responses, []string{"other_tool at tools[0].type"}},
		`"tools":[{"ty\u0070e":"web_sear\u0063h"}]`:                                                                                    {responses, []string{"web_search at tools[0].type"}},
		`"tools":[{"Type":"web_search"}]`:                                                                                              {responses, []string{"web_search at tools[0].type"}},
		`"tools":[{"type":"function","type":"web_search","name":"f"}]`:                                                                 {responses, []string{"web_search at tools[0].type"}},
		`"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3}]`:                                                    {chat, []string{"web_search at tools[0].type"}},
		`"tools":[{"type":"function","function":{"name":"f"},"cache_control":{"type":"ephemeral","ttl":"1h"}}]`:                        {chat, []string{"cache_write_1h at tools[0].cache_control.ttl"}},
		`"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"cache_control":{"ttl":"1h"}}}}}]`:             {chat, nil},
		`"cache_control":{"type":"ephemeral","ttl":"1h"}`:                                                                              {chat, []string{"cache_write_1h at cache_control.ttl"}},
		`"cache_control":{"type":"ephemeral","ttl":"5m"}`:                                                                              {chat, nil},
		`"cache_control":{"type":"ephemeral","ttl":null}`:                                                                              {chat, nil},
		`"cache_control":{"type":"ephemeral"}`:                                                                                         {chat, nil},
		`"metadata":{"ttl":"1h","type":"web_search"}`:                                                                                  {chat, nil},
		`"prompt_cache_options":{"mode":"implicit","ttl":"12h"}`:                                                                       {responses, []string{"other_tool at prompt_cache_options.ttl"}},
		`"prompt_cache_options":{"ttl":"30m"}`:                                                                                         {responses, nil},
		`"x":[{"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}}]`:                                                            {chat, []string{"other_tool at x[0].prompt_cache_breakpoint.ttl"}},
		`"service_tier":"fast"`:                                                                                                        {responses, []string{"service_tier at service_tier"}},
		`"serviceTier":"flex"`:                                                                                                         {chat, []string{"service_tier at serviceTier"}},
		`"speed":"fast"`:                                                                                                               {chat, []string{"service_tier at speed"}},
		`"speed":1.5`:                                                                                                                  {chat, nil},
		`"inference_geo":"us"`:                                                                                                         {chat, []string{"other_tool at inference_geo"}},
		`"modalities":"audio"`:                                                                                                         {chat, []string{"audio_output at modalities"}},
		`"responseModalities":["IMAGE"]`:                                                                                               {chat, []string{"image_output at responseModalities[0]"}},
		`"webSearchOptions":{}`:                                                                                                        {chat, []string{"web_search at webSearchOptions"}},
		`"web_search":{"enable":true}`:                                                                                                 {chat, []string{"web_search at web_search"}},
		`"web_search":false`:                                                                                                           {chat, nil},
		`"enable_code_interpreter":true`:                                                                                               {chat, []string{"code_interpreter at enable_code_interpreter"}},
		`"fallbacks":[{"model":"x"}]`:                                                                                                  {chat, []string{"other_tool at fallbacks"}},
		`"connectors":[{"id":"web-search"}]`:                                                                                           {chat, []string{"other_tool at connectors"}},
		`"preset":"cheap"`:                                                                                                             {chat, []string{"other_tool at preset"}},
		`"preset":""`:                                                                                                                  {chat, nil},
		`"provider":{"order":["x"],"data_collection":"deny"}`:                                                                          {chat, []string{"other_tool at provider.order"}},
		`"provider":{"data_collection":"deny","order":[]}`:                                                                             {chat, nil},
		`"extra_body":{"google":{"tools":[{"googleSearch":{}}],"serviceTier":"priority"}}`:                                             {chat, []string{"other_tool at extra_body.google.tools[0]", "service_tier at extra_body.google.serviceTier"}},
		`"extra_body":{"google":{"thinking_config":{"include_thoughts":true}}}`:                                                        {chat, nil},
		`"google":{"tools":[{"type":"web_search"}]}`:                                                                                   {chat, []string{"web_search at google.tools[0].type"}},
		`"tools":{"type":"web_search"}`:                                                                                                {chat, []string{"web_search at tools.type"}},
		`"tools":[{"retrieval":{}},{"parallelAiSearch":{}}]`:                                                                           {chat, []string{"other_tool at tools[0]", "other_tool at tools[1]"}},
		`"tools":[{"type":"collections_search"}]`:                                                                                      {responses, []string{"file_search at tools[0].type"}},
		`"tools":[{"type":"mcp_toolset"},{"type":"programmatic_tool_calling"}]`:                                                        {responses, nil},
		`"tools":[{"type":"web_search_2025_08_26"},{"type":"code_execution"}]`:                                                         {responses, []string{"web_search at tools[0].type", "code_interpreter at tools[1].type"}},
	} {
		if got := asked(t, want.dialect, members); !slices.Equal(got, want.charges) {
			t.Errorf("%s: got %q, want %q", members, got, want.charges)
		}
	}
}

func TestScanRequest_FindsLifetimesInMessages(t *testing.T) {
	body :=
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]},` +
			`{"role":"user","content":[{"type":"text","text":"ttl","cache_control":{"type":"ephemeral","ttl":"5m"}},{"type":"text","text":"1h","cache_control":{"t\u0074l":"1\u0068"}}]}]}`
	r, err := openai.ScanRequest([]byte(body), catalog.Chat)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Charges {
		got = append(got, c.Field)
		if c.Kind != charge.CacheWrite1h {
			t.Errorf("%s: got kind %s", c.Field, c.Kind)
		}
	}
	if want := []string{"messages[0].content[0].cache_control.ttl",
		"messages[1].content[1].cache_control.ttl"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScanRequest_FindsToolsThatTheInputAdds(t *testing.T) {
	for input, want := range map[string][]string{
		`[{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f"},{"type":"code_interpreter"}]}]`:                              {"input[0].tools[1].type"},
		`[{"role":"user","content":"hi"},{"type":"tool_search_output","execution":"client","tools":[{"type":"namespace","tools":[{"type":"web_search"}]}]}]`: {"input[1].tools[0].tools[0].type"},
		`[{"type":"additional_tools","tools":[{"type":"function","name":"f"}]}]`:                                                                             nil,
		`[{"type":"function_call_output","output":"{\"tools\":[{\"type\":\"web_search\"}]}"},{"type":"web_search_call","action":{"type":"search"}}]`:         nil,
		`"tools"`: nil,
	} {
		r, err := openai.ScanRequest([]byte(`{"model":"m","input":`+input+`}`), catalog.Responses)
		if err != nil {
			t.Fatalf("%s: %v", input, err)
		}
		var got []string
		for _, c := range r.Charges {
			got = append(got, c.Field)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", input, got, want)
		}
	}
}

func TestScanRequest_LosesNoChargeOfMany(t *testing.T) {
	tools := strings.Repeat(`{"type":"web_search","max_uses":2},`, 100)
	body := `{"model":"m","messages":[],"tools":[` + tools +
		`{"type":"image_generation"}],"cache_control":{"ttl":"1h"}}`
	r, err := openai.ScanRequest([]byte(body), catalog.Chat)
	if err != nil {
		t.Fatal(err)
	}
	var kinds charge.Kinds
	var searches int64
	for _, c := range r.Charges {
		kinds = kinds.With(c.Kind)
		if c.Kind == charge.WebSearch {
			searches += c.Calls
		}
	}
	want := charge.Kinds(0).With(charge.WebSearch).With(charge.ImageGeneration).With(charge.CacheWrite1h)
	if kinds != want || searches != 200 || len(r.Charges) > 70 {
		t.Errorf("got %d charges of the kinds %b with %d searches, want the kinds %b and 200 searches", len(r.Charges),
			kinds, searches, want)
	}
}

func TestScanRequest_ReadsTheLimitsOfTools(t *testing.T) {
	r, err :=
		openai.ScanRequest(
			[]byte(
				`{"model":"m","input":"x","max_tool_calls":5,"tools":[{"type":"web_search","max_uses":3}],"service_tier":"flex"}`), catalog.Responses)
	if err != nil || r.MaxToolCalls != 5 || len(r.Charges) != 2 || r.ServiceTier != "flex" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if i := slices.IndexFunc(r.Charges, func(c charge.Charge) bool { return c.Kind == charge.WebSearch }); i < 0 ||
		r.Charges[i].Calls != 3 {
		t.Errorf("got %+v", r.Charges)
	}
	many := `{"model":"m","input":"x","tools":[` + strings.Repeat(`{"type":"web_search"},`, 500) +
		`{"type":"function"}]}`
	if r, err = openai.ScanRequest([]byte(many), catalog.Responses); err != nil || len(r.Charges) != 64 {
		t.Errorf("500 tools: got %d charges, %v, want 64", len(r.Charges), err)
	}
}

// FuzzCharges checks that the search for charges never panics, and that a plain request has none.
func FuzzCharges(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[],"tools":[{"type":"web_search"}],"cache_control":{"ttl":"1h"}}`))
	f.Add(
		[]byte(
			`{"model":"m","messages":[{"content":[{"cache_control":{"ttl":[]}}]}],"modalities":[1,null,"audio"],"service_tier":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := openai.ScanRequest(body, catalog.Chat)
		if err != nil {
			return
		}
		for _, c := range r.Charges {
			if c.Field == "" || c.Top == "" {
				t.Fatalf("%s: a charge without a field: %+v", body, c)
			}
		}
		if len(r.Charges) > 80 {
			t.Fatalf("%s: %d charges", body, len(r.Charges))
		}
	})
}
