package metering

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/field"
)

// copyEncoder writes usage logs in the binary format of COPY (PostgreSQL manual, COPY, "Binary Format").
// pgx's own encoder allocates a value for each column of each row, and this runs on the machines that serve
// requests.
type copyEncoder struct{ buf []byte }

// epoch is the origin of the timestamps of Postgres, in microseconds since 1970.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// booleans has the encoded columns of both values, with their length.
var booleans = map[bool]string{false: "\x00\x00\x00\x01\x00", true: "\x00\x00\x00\x01\x01"}

// averageRow is about the size of an encoded row in bytes, for the first allocation.
const averageRow = 850

// encodeLogs returns the input of a COPY of all usage.Columns, in their order.
func encodeLogs(batch []*usage.Event) (*bytes.Reader, error) {
	e := copyEncoder{buf: make([]byte, 0, averageRow*(len(batch)+1))}
	e.buf = append(e.buf, "PGCOPY\n\xff\r\n\x00"...)
	e.int32(0) // flags
	e.int32(0) // length of the header's extension
	for _, event := range batch {
		e.int16(int16(len(usage.Columns)))
		for i := range usage.Columns {
			if err := e.column(&usage.Columns[i], &event.Log); err != nil {
				return nil, err
			}
		}
	}
	e.int16(-1)
	return bytes.NewReader(e.buf), nil
}

// copyStatement returns the COPY statement whose input encodeLogs returns.
func copyStatement(table string) string {
	return "COPY " + table + " (" + logColumns + ") FROM STDIN BINARY"
}

// column writes one column of a log by the type of the field.
func (e *copyEncoder) column(c *usage.Column, l *usage.Log) error {
	switch v := c.Field(l).(type) {
	case *uuid.UUID:
		if c.Nullable && *v == uuid.Nil {
			e.int32(-1)
			return nil
		}
		e.uuid(*v)
	case *string:
		if c.Nullable && *v == "" {
			e.int32(-1)
			return nil
		}
		e.text(field.Clean(*v))
	case *usage.Tags:
		if *v == "" {
			e.int32(-1)
			return nil
		}
		e.text(string(*v))
	case *int64:
		if c.Nullable && *v == 0 {
			e.int32(-1)
			return nil
		}
		e.int8(*v)
	case *int:
		e.int4(int32(*v))
	case *money.Amount:
		if c.Nullable && *v == 0 {
			e.int32(-1)
			return nil
		}
		e.int8(int64(*v))
	case **money.Amount:
		if *v == nil {
			e.int32(-1)
			return nil
		}
		e.int8(int64(**v))
	case *time.Duration:
		e.int8(v.Microseconds())
	case *bool:
		e.buf = append(e.buf, booleans[*v]...)
	case *time.Time:
		e.int8(field.Micros(*v).UnixMicro() - epoch)
	case *[]usage.Attempt:
		attempts, err := json.Marshal(storableAttempts(*v))
		if err != nil {
			return err
		}
		e.bytes(attempts)
	default:
		return fmt.Errorf("column %s: cannot encode a field of type %T for COPY", c.Name, v)
	}
	return nil
}

func (e *copyEncoder) int16(n int16) {
	e.buf = binary.BigEndian.AppendUint16(e.buf, uint16(n))
}

func (e *copyEncoder) int32(n int32) {
	e.buf = binary.BigEndian.AppendUint32(e.buf, uint32(n))
}

// The following methods write a column: its length and its bytes. The length -1 stands for NULL.

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

func (e *copyEncoder) text(s string) {
	e.int32(int32(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *copyEncoder) bytes(b []byte) {
	e.int32(int32(len(b)))
	e.buf = append(e.buf, b...)
}
