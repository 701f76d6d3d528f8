package bucket

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// encoded returns the lines of the logs, compressed and not.
func encoded(t *testing.T, logs ...usage.Log) (compressed, lines []byte) {
	t.Helper()
	e := newEncoder()
	for i := range logs {
		if err := e.add(&logs[i]); err != nil {
			t.Fatal(err)
		}
	}
	compressed, err := e.close()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	lines, err = io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return compressed, lines
}

func TestEncoder_WritesTheDocumentedFields(t *testing.T) {
	t.Parallel()
	cost := 2 * money.USD
	log := usage.Log{
		ID: uuid.UUID{15: 1}, CreatedAt: time.Date(2026, 11, 28, 1, 2, 3, 400_000_000, time.FixedZone("x", 3600)),
		TenantID: uuid.UUID{15: 2}, UserID: uuid.UUID{15: 3},
		TokenID: uuid.UUID{15: 4}, ChannelID: uuid.UUID{15: 5}, Model: "<m>", Dialect: "chat", Outcome: usage.Success,
		Status: 200, EndUser: "e", Tags: `{"a":"b"}`,
		Usage: usage.Usage{Input: 7, Output: 9}, Cost: 1_500_000, Quota: 1_500_001, SupplierCost: &cost,
		Latency: 1500 * time.Millisecond, FirstByte: time.Second,
	}
	// Programs of others read these fields: none may change or end. New ones come at the end.
	const rest = `,"stream":false,"outcome":"success","status":200,"error":"","input_tokens":7,"cached_input_tokens":0,"cache_write_tokens":0,"audio_input_tokens":0,"output_tokens":9,"reasoning_tokens":0,"audio_output_tokens":0,"estimated":false`
	const counts = `,"cache_write_1h_tokens":0,"image_input_tokens":0,"image_output_tokens":0,"service_tier":"","web_search_calls":0,"file_search_calls":0,"code_interpreter_sessions":0,"image_generation_input_tokens":0,"image_generation_image_input_tokens":0,"image_generation_output_tokens":0`
	want :=
		`{"id":"00000000-0000-0000-0000-000000000001","created_at":"2026-11-28T00:02:03.400000Z","tenant_id":"00000000-0000-0000-0000-000000000002","user_id":"00000000-0000-0000-0000-000000000003","token_id":"00000000-0000-0000-0000-000000000004","model":"<m>","channel_id":"00000000-0000-0000-0000-000000000005","endpoint":"chat"` +
			rest +
			`,"cost":"0.0015","cost_nano_usd":1500000,"quota":"0.001500001","quota_nano_usd":1500001,"latency_ms":1500,"first_byte_ms":1000` + counts +
			`,"end_user":"e","tags":{"a":"b"},"supplier_cost":"2","supplier_cost_nano_usd":2000000000,"cost_id":null,"reported_cost":"0","reported_cost_nano_usd":0,"ignored_fields":""}
{"id":"00000000-0000-0000-0000-000000000006","created_at":"0001-01-01T00:00:00.000000Z","tenant_id":null,"user_id":null,"token_id":null,"model":"","channel_id":null,"endpoint":""` +
			`,"stream":false,"outcome":"","status":0,"error":"","input_tokens":0,"cached_input_tokens":0,"cache_write_tokens":0,"audio_input_tokens":0,"output_tokens":0,"reasoning_tokens":0,"audio_output_tokens":0,"estimated":false` +
			`,"cost":"0","cost_nano_usd":0,"quota":"0","quota_nano_usd":0,"latency_ms":0,"first_byte_ms":0` + counts +
			`,"end_user":"","tags":{},"supplier_cost":null,"supplier_cost_nano_usd":null,"cost_id":null,"reported_cost":"0","reported_cost_nano_usd":0,"ignored_fields":""}
`
	compressed, got := encoded(t, log, usage.Log{ID: uuid.UUID{15: 6}})
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again, _ := encoded(t, log, usage.Log{ID: uuid.UUID{15: 6}}); !bytes.Equal(again, compressed) {
		t.Error("the same logs gave other bytes")
	}
}
