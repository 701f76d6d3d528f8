package export

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/spreadsheet"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// TestPart_WritesTheDocumentedColumns compares whole files with one row: programs of users read them, so
// neither names, order nor forms may change.
func TestPart_WritesTheDocumentedColumns(t *testing.T) {
	t.Parallel()
	user, token, channel := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	log := usage.Log{
		ID: uuid.UUID{4}, CreatedAt: time.Date(2026, 3, 1, 13, 30, 0, 120_000, time.FixedZone("CET", 3600)),
		TenantID: uuid.UUID{5}, UserID: user, TokenID: token, ChannelID: channel, GroupID: uuid.UUID{6},
		Model: "=a<b>", UpstreamModel: "hidden", Dialect: "chat", Stream: true,
		Outcome: usage.Partial, Status: 200, Error: "client_gone", Estimated: true,
		Usage: usage.Usage{Input: 1, CachedInput: 2, CacheWrite: 3, AudioInput: 4, Output: 5, Reasoning: 6,
			AudioOutput: 7, Details: usage.Details{CacheWrite1h: 2, ImageInput: 1, ImageOutput: 4, ServiceTier: "flex",
				Tools: usage.Tools{WebSearchCalls: 8, FileSearchCalls: 9, CodeInterpreterSessions: 10,
					ImageGenerationInput: 11, ImageGenerationImageInput: 12, ImageGenerationOutput: 13}}},
		Cost: 1_500_000_000, Quota: 1, Latency: 1999 * time.Microsecond, FirstByte: time.Millisecond,
		Attempts: []usage.Attempt{{Error: "hidden"}}, SupplierCost: new(money.Amount), CostID: uuid.UUID{7},
		EndUser: "-user", IgnoredFields: "web_search", Tags: `{"team":"<a>"}`,
	}
	member := tenant.ScopeOf(tenant.User{ID: user, TenantID: log.TenantID, Role: tenant.Owner})
	known := names{
		"user_id":    {names: map[uuid.UUID]string{user: "a@example.com"}},
		"token_id":   {names: map[uuid.UUID]string{token: `"t" & co`}},
		"channel_id": {names: map[uuid.UUID]string{channel: "-main"}},
	}
	for format, want := range map[job.ExportFormat]string{
		job.CSV: spreadsheet.Begin +
			"id,created_at,tenant_id,user_email,token_name,model,channel,endpoint,stream,outcome,status,error," +
			"input_tokens,cached_input_tokens,cache_write_tokens,audio_input_tokens,output_tokens,reasoning_tokens,audio_output_tokens," +
			"estimated,cost,quota,latency_ms,first_byte_ms,cache_write_1h_tokens,image_input_tokens,image_output_tokens,service_tier,web_search_calls,file_search_calls,code_interpreter_sessions,image_generation_input_tokens,image_generation_image_input_tokens,image_generation_output_tokens,end_user,tags,ignored_fields\r\n" +
			"04000000-0000-0000-0000-000000000000,2026-03-01T12:30:00.00012Z,05000000-0000-0000-0000-000000000000,a@example.com,\"\"\"t\"\" & co\"," +
			"'=a<b>,'-main,chat,true,partial,200,client_gone,1,2,3,4,5,6,7,true,1.5,0.000000001,1,1,2,1,4,flex,8,9,10,11,12,13,'-user,\"{\"\"team\"\":\"\"<a>\"\"}\",web_search\r\n",
		job.NDJSON: `{"id":"04000000-0000-0000-0000-000000000000","created_at":"2026-03-01T12:30:00.00012Z","tenant_id":"05000000-0000-0000-0000-000000000000",` +
			`"user_email":"a@example.com","token_name":"\"t\" & co","model":"=a<b>","channel":"-main","endpoint":"chat","stream":true,"outcome":"partial","status":200,` +
			`"error":"client_gone","input_tokens":1,"cached_input_tokens":2,"cache_write_tokens":3,"audio_input_tokens":4,"output_tokens":5,"reasoning_tokens":6,` +
			`"audio_output_tokens":7,"estimated":true,"cost":"1.5","quota":"0.000000001","latency_ms":1,"first_byte_ms":1,"cache_write_1h_tokens":2,"image_input_tokens":1,"image_output_tokens":4,"service_tier":"flex","web_search_calls":8,"file_search_calls":9,"code_interpreter_sessions":10,"image_generation_input_tokens":11,"image_generation_image_input_tokens":12,"image_generation_output_tokens":13,"end_user":"-user","tags":{"team":"<a>"},"ignored_fields":"web_search"}` + "\n",
	} {
		p := newPart(format, columnsFor(member))
		p.begin()
		if err := p.write(&log, known); err != nil {
			t.Fatal(err)
		}
		data, size, err := p.close()
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		file, err := io.ReadAll(unpacked)
		if err != nil || string(file) != want || size != int64(len(want)) {
			t.Errorf("%s: %v, %d bytes\ngot  %s\nwant %s", format, err, size, file, want)
		}
	}
}

// Only the files of operators have the supplier's costs, after the columns of all files.
func TestColumnsFor_AddsColumnsForOperators(t *testing.T) {
	t.Parallel()
	for _, role := range []tenant.Role{tenant.Owner, tenant.Admin, tenant.Member} {
		for _, column := range columnsFor(
			tenant.ScopeOf(tenant.User{ID: uuid.UUID{1}, TenantID: uuid.UUID{2}, Role: role})) {
			if column.Operator || strings.Contains(column.Export, "supplier") {
				t.Errorf("the files of a tenant's %s have the column %s", role, column.Export)
			}
		}
	}
	operator := columnsFor(tenant.ScopeOf(tenant.User{ID: uuid.UUID{1}, Role: tenant.Operator}))
	names := operator.header()
	if last := names[len(names)-3:]; !slices.Equal(last, []string{"supplier_cost", "cost_id", "reported_cost"}) {
		t.Errorf("the files of operators end with %q", last)
	}
	amount := money.Amount(1_500_000_000)
	for want, log := range map[string]usage.Log{
		`"supplier_cost":"1.5","cost_id":"07000000-0000-0000-0000-000000000000","reported_cost":"0.000000027"}`: {SupplierCost: &amount, CostID: uuid.UUID{7}, Usage: usage.Usage{Details: usage.Details{ReportedCost: 27}}},
		`"supplier_cost":null,"cost_id":"00000000-0000-0000-0000-000000000000","reported_cost":"0"}`:            {},
	} {
		p := newPart(job.NDJSON, operator)
		if err := p.write(&log, nil); err != nil {
			t.Fatal(err)
		}
		data, _, _ := p.close()
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if file, err := io.ReadAll(unpacked); err != nil || !strings.HasSuffix(string(file), want+"\n") {
			t.Errorf("got %s, %v, want the end %s", file, err, want)
		}
	}
}
