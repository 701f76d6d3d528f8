package export

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
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
		Usage: usage.Usage{Input: 1, CachedInput: 2, CacheWrite: 3, AudioInput: 4, Output: 5, Reasoning: 6, AudioOutput: 7, Details: usage.Details{CacheWrite1h: 2, ImageInput: 1, ImageOutput: 4}},
		Cost:  1_500_000_000, Quota: 1, Latency: 1999 * time.Microsecond, FirstByte: time.Millisecond,
		Attempts: []usage.Attempt{{Error: "hidden"}},
	}
	known := names{
		"user_id": {known: map[uuid.UUID]string{user: "a@example.com"}}, "token_id": {known: map[uuid.UUID]string{token: `"t" & co`}},
		"channel_id": {known: map[uuid.UUID]string{channel: "-main"}},
	}
	for format, want := range map[job.ExportFormat]string{
		job.CSV: "id,created_at,tenant_id,user_email,token_name,model,channel,endpoint,stream,outcome,status,error," +
			"input_tokens,cached_input_tokens,cache_write_tokens,audio_input_tokens,output_tokens,reasoning_tokens,audio_output_tokens," +
			"estimated,cost,quota,latency_ms,first_byte_ms,cache_write_1h_tokens,image_input_tokens,image_output_tokens\r\n" +
			"04000000-0000-0000-0000-000000000000,2026-03-01T12:30:00.00012Z,05000000-0000-0000-0000-000000000000,a@example.com,\"\"\"t\"\" & co\"," +
			"'=a<b>,'-main,chat,true,partial,200,client_gone,1,2,3,4,5,6,7,true,1.5,0.000000001,1,1,2,1,4\r\n",
		job.NDJSON: `{"id":"04000000-0000-0000-0000-000000000000","created_at":"2026-03-01T12:30:00.00012Z","tenant_id":"05000000-0000-0000-0000-000000000000",` +
			`"user_email":"a@example.com","token_name":"\"t\" & co","model":"=a<b>","channel":"-main","endpoint":"chat","stream":true,"outcome":"partial","status":200,` +
			`"error":"client_gone","input_tokens":1,"cached_input_tokens":2,"cache_write_tokens":3,"audio_input_tokens":4,"output_tokens":5,"reasoning_tokens":6,` +
			`"audio_output_tokens":7,"estimated":true,"cost":"1.5","quota":"0.000000001","latency_ms":1,"first_byte_ms":1,"cache_write_1h_tokens":2,"image_input_tokens":1,"image_output_tokens":4}` + "\n",
	} {
		p := newPart(format)
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
