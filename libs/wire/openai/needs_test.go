package openai

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

func TestScanRequest_ReadsTheFeaturesThatRoutingNeeds(t *testing.T) {
	for _, row := range []struct {
		fields     string
		tools      bool
		structured bool
		key        string
	}{
		{``, false, false, ""},
		{`,"tools":[]`, false, false, ""},
		{`,"tools":[ ]`, false, false, ""},
		{`,"tools":null`, false, false, ""},
		{`,"tools":[{"type":"function"}]`, true, false, ""},
		{`,"functions":[{"name":"f"}]`, true, false, ""},
		{`,"tools":[],"functions":[{"name":"f"}]`, true, false, ""},
		{`,"functions":[{"name":"f"}],"tools":[]`, true, false, ""},
		{`,"response_format":null`, false, false, ""},
		{`,"response_format":{}`, false, false, ""},
		{`,"response_format":{"type":"text"}`, false, false, ""},
		{`,"response_format":{ "type" : "json_object" }`, false, true, ""},
		{`,"response_format":{"json_schema":{"type":"text"},"type":"json_schema"}`, false, true, ""},
		{`,"response_format":{"type":7}`, false, false, ""},
		{`,"text":{"format":{"type":"json_schema"}}`, false, true, ""},
		{`,"text":{"format":{"type":"text"},"verbosity":"low"}`, false, false, ""},
		{`,"text":"json_schema"`, false, false, ""},
		{`,"prompt_cache_key":"k"`, false, false, `"k"`},
		{`,"prompt_cache_key":""`, false, false, ""},
		{`,"prompt_cache_key":null`, false, false, ""},
		{`,"user":"u"`, false, false, ""},
	} {
		r, err := ScanRequest([]byte(`{"model":"m","input":"hi"`+row.fields+`}`), catalog.Responses)
		if err != nil {
			t.Errorf("ScanRequest with %s: %v", row.fields, err)
			continue
		}
		if r.Tools != row.tools || r.Structured != row.structured || string(r.CacheKey()) != row.key {
			t.Errorf("%s: got tools %v, structured %v, key %s; want %v, %v, %s", row.fields, r.Tools, r.Structured,
				r.CacheKey(), row.tools, row.structured, row.key)
		}
	}
}

// The fields that only routing needs cost no allocation.
func TestScanRequest_AllocatesNothingForRoutingFields(t *testing.T) {
	plain := []byte(`{"model":"m","messages":[],"seed":1,"user":"u","top_p":1}`)
	full := []byte(
		`{"model":"m","messages":[],"tools":[{}],"response_format":{"type":"json_schema"},"prompt_cache_key":"k"}`)
	allocated := func(body []byte) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = ScanRequest(body, catalog.Chat) })
	}
	if a, b := allocated(plain), allocated(full); b > a {
		t.Errorf("got %v allocations, want %v as without these fields", b, a)
	}
}
