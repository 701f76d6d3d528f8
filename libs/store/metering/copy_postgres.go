package metering

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// copyEncoder writes usage logs in the binary format of COPY (PostgreSQL
// manual, COPY, "Binary Format"). Doing it by hand saves a value on the heap
// for each column of each row, on the machine that serves requests.
type copyEncoder struct{ buf []byte }

// epoch is what Postgres counts timestamps from, in microseconds.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// booleans are whole columns, length and all.
var booleans = map[bool]string{false: "\x00\x00\x00\x01\x00", true: "\x00\x00\x00\x01\x01"}

const averageRow = 600 // bytes

// encodeLogs returns the whole input of a COPY of logColumns.
func encodeLogs(batch []*usage.Event) (*bytes.Reader, error) {
	e := copyEncoder{buf: make([]byte, 0, averageRow*(len(batch)+1))}
	e.buf = append(e.buf, "PGCOPY\n\xff\r\n\x00"...)
	e.int32(0) // flags
	e.int32(0) // length of the header's extension
	for _, event := range batch {
		row := logRowOf(&event.Log)
		if err := e.row(&row); err != nil {
			return nil, err
		}
	}
	e.int16(-1)
	return bytes.NewReader(e.buf), nil
}

func copyStatement(table string) string {
	return "COPY " + table + " (" + strings.Join(logColumns, ", ") + ") FROM STDIN BINARY"
}

// row writes the fields in the order of logColumns.
func (e *copyEncoder) row(r *logRow) error {
	attempts, err := json.Marshal(r.Attempts)
	if err != nil {
		return err
	}
	e.int16(int16(len(logColumns)))
	e.uuid(r.ID)
	e.int8(r.CreatedAt.UnixMicro() - epoch)
	for _, id := range [...]uuid.UUID{r.TenantID, r.UserID, r.TokenID} {
		e.uuid(id)
	}
	for _, id := range [...]uuid.UUID{r.GroupID, r.ChannelID, r.RelayID, r.PriceID, r.RuleID} {
		e.uuidOrNull(id)
	}
	for _, n := range [...]int64{
		int64(r.Quota), int64(r.Cost), r.Input, r.CachedInput, r.CacheWrite, r.AudioInput,
		r.Output, r.Reasoning, r.AudioOutput, r.LatencyUS, r.FirstByteUS,
	} {
		e.int8(n)
	}
	e.int4(int32(r.Status))
	for _, set := range [...]bool{r.Stream, r.Estimated} {
		e.buf = append(e.buf, booleans[set]...)
	}
	for _, text := range [...]string{string(r.Outcome), r.Model, r.UpstreamModel, r.Dialect, r.Error} {
		e.text(text)
	}
	e.bytes(attempts)
	return nil
}

func (e *copyEncoder) int16(n int16) {
	e.buf = binary.BigEndian.AppendUint16(e.buf, uint16(n))
}

func (e *copyEncoder) int32(n int32) {
	e.buf = binary.BigEndian.AppendUint32(e.buf, uint32(n))
}

// The columns, each with its length before it; -1 stands for NULL.

func (e *copyEncoder) int4(n int32) {
	e.int32(4)
	e.int32(n)
}

func (e *copyEncoder) int8(n int64) {
	e.int32(8)
	e.buf = binary.BigEndian.AppendUint64(e.buf, uint64(n))
}

func (e *copyEncoder) uuid(id uuid.UUID) {
	e.int32(int32(len(id)))
	e.buf = append(e.buf, id[:]...)
}

func (e *copyEncoder) uuidOrNull(id uuid.UUID) {
	if id == uuid.Nil {
		e.int32(-1)
		return
	}
	e.uuid(id)
}

func (e *copyEncoder) text(s string) {
	e.int32(int32(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *copyEncoder) bytes(b []byte) {
	e.int32(int32(len(b)))
	e.buf = append(e.buf, b...)
}
