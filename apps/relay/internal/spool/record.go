package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// A record is one encoded event: the byte recordFormat, then protobuf fields. usage.Columns gives the number of
// each field of a Log. New fields get new numbers, and numbers are never reused: a reader skips the numbers
// that it doesn't know, so an older relay can read the spool of a newer one.
const recordFormat = 0xE1

// fieldLeased is the number of Event.Leased, which is not part of the Log: a repeated account id.
const fieldLeased protowire.Number = 69

// Field numbers in the message of an attempt.
const (
	attemptChannel protowire.Number = 1 + iota
	attemptStatus
	attemptError
	attemptElapsed
	attemptKey
	attemptReason
	attemptDialect
	attemptUsage // a record with the fields of the usage alone
	attemptSupplierCost
	attemptCostID
	attemptMessage
)

// ErrRecord means that the bytes are not a record of a format that this program knows.
var ErrRecord = errors.New("spool: not a usage record")

// columns holds usage.Columns in the order of their numbers, in which records are written.
var columns = slices.SortedFunc(slices.Values(usage.Columns), func(a, b usage.Column) int {
	return a.Number - b.Number
})

// fields holds the Field function of each column at the index of its number; nil if no column has that number.
var fields = func() []func(*usage.Log) any {
	fields := make([]func(*usage.Log) any, columns[len(columns)-1].Number+1)
	for _, column := range columns {
		fields[column.Number] = column.Field
	}
	return fields
}()

// AppendEvent appends the record of e to dst and returns the extended slice. Zero fields are left out.
// CreatedAt must lie between the years 1678 and 2262; its time zone is lost.
func AppendEvent(dst []byte, e *usage.Event) []byte {
	dst = append(dst, recordFormat)
	for i := range columns {
		dst = appendField(dst, protowire.Number(columns[i].Number), columns[i].Field(&e.Log))
	}
	for _, id := range e.Leased {
		dst = appendID(dst, fieldLeased, id)
	}
	return dst
}

// appendField appends the value to which a usage.Column points, by its type: ids and texts as bytes, numbers as
// varints, times as nanoseconds since 1970 UTC in fixed64, attempts as repeated messages. Amounts are
// nano-dollars, durations are nanoseconds.
func appendField(dst []byte, number protowire.Number, value any) []byte {
	switch v := value.(type) {
	case *uuid.UUID:
		if *v != uuid.Nil {
			dst = appendID(dst, number, *v)
		}
	case *string:
		dst = appendText(dst, number, *v)
	case *usage.Tags:
		dst = appendText(dst, number, string(*v))
	case *int64:
		dst = appendInt(dst, number, *v)
	case *int:
		dst = appendInt(dst, number, int64(*v))
	case *money.Amount:
		dst = appendInt(dst, number, int64(*v))
	case **money.Amount:
		if *v != nil { // an amount of 0 is written: it differs from an unknown one
			dst = protowire.AppendTag(dst, number, protowire.VarintType)
			dst = protowire.AppendVarint(dst, uint64(**v))
		}
	case *time.Duration:
		dst = appendInt(dst, number, int64(*v))
	case *bool:
		dst = appendInt(dst, number, int64(protowire.EncodeBool(*v)))
	case *time.Time:
		if !v.IsZero() {
			dst = protowire.AppendTag(dst, number, protowire.Fixed64Type)
			dst = protowire.AppendFixed64(dst, uint64(v.UnixNano()))
		}
	case *[]usage.Attempt:
		for i := range *v {
			dst = appendAttempt(dst, number, &(*v)[i])
		}
	}
	return dst
}

func appendID(dst []byte, number protowire.Number, id uuid.UUID) []byte {
	dst = protowire.AppendTag(dst, number, protowire.BytesType)
	return protowire.AppendBytes(dst, id[:])
}

func appendText(dst []byte, number protowire.Number, text string) []byte {
	if text == "" {
		return dst
	}
	dst = protowire.AppendTag(dst, number, protowire.BytesType)
	return protowire.AppendString(dst, text)
}

func appendInt(dst []byte, number protowire.Number, n int64) []byte {
	if n == 0 {
		return dst
	}
	dst = protowire.AppendTag(dst, number, protowire.VarintType)
	return protowire.AppendVarint(dst, uint64(n))
}

func appendAttempt(dst []byte, number protowire.Number, a *usage.Attempt) []byte {
	dst = protowire.AppendTag(dst, number, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(attemptSize(a)))
	if a.ChannelID != uuid.Nil {
		dst = appendID(dst, attemptChannel, a.ChannelID)
	}
	dst = appendInt(dst, attemptStatus, int64(a.Status))
	dst = appendText(dst, attemptError, a.Error)
	dst = appendInt(dst, attemptElapsed, int64(a.Elapsed))
	dst = appendText(dst, attemptKey, a.Credential)
	dst = appendText(dst, attemptReason, a.Reason)
	dst = appendText(dst, attemptDialect, a.Dialect)
	dst = appendText(dst, attemptUsage, usageRecord(a))
	dst = appendField(dst, attemptSupplierCost, &a.SupplierCost)
	dst = appendField(dst, attemptCostID, &a.CostID)
	return appendText(dst, attemptMessage, a.Message)
}

// usageRecord returns the usage of a failed attempt as a record that has no other fields, "" for none. Few attempts
// have one.
func usageRecord(a *usage.Attempt) string {
	if a.Usage == nil {
		return ""
	}
	return string(AppendEvent(nil, &usage.Event{Log: usage.Log{Usage: *a.Usage}}))
}

// attemptSize returns the encoded size of a in bytes. A message starts with its length, so the size must be
// known before the fields are written. attemptSize must count exactly the fields that appendAttempt writes.
func attemptSize(a *usage.Attempt) int {
	const tag = 1 // field numbers below 16 take one byte
	size := 0
	for _, id := range [...]uuid.UUID{a.ChannelID, a.CostID} {
		if id != uuid.Nil {
			size += tag + protowire.SizeBytes(len(id))
		}
	}
	if a.SupplierCost != nil {
		size += tag + protowire.SizeVarint(uint64(*a.SupplierCost))
	}
	for _, text := range [...]string{a.Error, a.Credential, a.Reason, a.Dialect, usageRecord(a), a.Message} {
		if text != "" {
			size += tag + protowire.SizeBytes(len(text))
		}
	}
	for _, n := range [...]int64{int64(a.Status), int64(a.Elapsed)} {
		if n != 0 {
			size += tag + protowire.SizeVarint(uint64(n))
		}
	}
	return size
}

// ParseEvent decodes one record. CreatedAt is in UTC, empty lists are nil, and the event shares no memory with
// b. The error wraps ErrRecord if b is malformed or has a format that this program doesn't know.
func ParseEvent(b []byte) (usage.Event, error) {
	var e usage.Event
	err := parseEvent(b, &e)
	return e, err
}

func parseEvent(b []byte, e *usage.Event) error {
	if len(b) == 0 || b[0] != recordFormat {
		return fmt.Errorf("%w: unknown format", ErrRecord)
	}
	return eachField(b[1:], func(f field) error { return setEventField(e, f) })
}

// field is one decoded protobuf field. number holds the value of a varint or a fixed integer, bytes the value
// of any other type and refers to the input.
type field struct {
	id     protowire.Number
	number uint64
	bytes  []byte
}

// eachField calls set with each field of a record or message, in order, and stops at the first error.
func eachField(b []byte, set func(field) error) error {
	for len(b) > 0 {
		id, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("%w: %w", ErrRecord, protowire.ParseError(n))
		}
		b = b[n:]
		f := field{id: id}
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(id, kind, b)
		}
		if n < 0 {
			return fmt.Errorf("%w: field %d: %w", ErrRecord, id, protowire.ParseError(n))
		}
		b = b[n:]
		if err := set(f); err != nil {
			return err
		}
	}
	return nil
}

// setEventField assigns one field of the event.
func setEventField(e *usage.Event, f field) error {
	switch {
	case f.id == fieldLeased:
		e.Leased = append(e.Leased, uuid.Nil)
		return setID(&e.Leased[len(e.Leased)-1], f)
	case int(f.id) >= len(fields) || fields[f.id] == nil:
		return nil // a later version wrote the field
	}
	switch v := fields[f.id](&e.Log).(type) {
	case *uuid.UUID:
		return setID(v, f)
	case *string:
		*v = textOf(e, f.bytes)
	case *usage.Tags:
		*v = usage.Tags(f.bytes)
	case *int64:
		*v = int64(f.number)
	case *int:
		*v = int(int64(f.number))
	case *money.Amount:
		*v = money.Amount(f.number)
	case **money.Amount:
		amount := money.Amount(f.number)
		*v = &amount
	case *time.Duration:
		*v = time.Duration(f.number)
	case *bool:
		*v = protowire.DecodeBool(f.number)
	case *time.Time:
		*v = time.Unix(0, int64(f.number)).UTC()
	case *[]usage.Attempt:
		*v = append(*v, usage.Attempt{})
		return parseAttempt(f.bytes, &(*v)[len(*v)-1])
	}
	return nil
}

// textOf returns b as a string. It avoids an allocation for values that nearly every record repeats, for
// example the upstream's model id if it equals the public one.
func textOf(e *usage.Event, b []byte) string {
	switch string(b) {
	case "chat":
		return "chat"
	case "responses":
		return "responses"
	case "messages":
		return "messages"
	case "embeddings":
		return "embeddings"
	case string(usage.Success):
		return string(usage.Success)
	case e.Model:
		return e.Model
	}
	return string(b)
}

func setID(id *uuid.UUID, f field) error {
	if len(f.bytes) != len(id) {
		return fmt.Errorf("%w: field %d: id has %d bytes, want 16", ErrRecord, f.id, len(f.bytes))
	}
	copy(id[:], f.bytes)
	return nil
}

func parseAttempt(b []byte, a *usage.Attempt) error {
	return eachField(b, func(f field) error {
		switch f.id {
		case attemptChannel:
			return setID(&a.ChannelID, f)
		case attemptStatus:
			a.Status = int(int64(f.number))
		case attemptError:
			a.Error = string(f.bytes)
		case attemptElapsed:
			a.Elapsed = time.Duration(f.number)
		case attemptKey:
			a.Credential = string(f.bytes)
		case attemptReason:
			a.Reason = string(f.bytes)
		case attemptDialect:
			a.Dialect = string(f.bytes)
		case attemptUsage:
			return parseAttemptUsage(f.bytes, a)
		case attemptSupplierCost:
			amount := money.Amount(f.number)
			a.SupplierCost = &amount
		case attemptCostID:
			return setID(&a.CostID, f)
		case attemptMessage:
			a.Message = string(f.bytes)
		}
		return nil
	})
}

// parseAttemptUsage decodes the record of usageRecord. It ignores the attempts of a malformed record, so it does not
// call itself.
func parseAttemptUsage(b []byte, a *usage.Attempt) error {
	if len(b) == 0 || b[0] != recordFormat {
		return fmt.Errorf("%w: usage of an attempt", ErrRecord)
	}
	var e usage.Event
	err := eachField(b[1:], func(f field) error {
		if int(f.id) < len(fields) && fields[f.id] != nil {
			if _, ok := fields[f.id](&e.Log).(*[]usage.Attempt); ok {
				return nil
			}
		}
		return setEventField(&e, f)
	})
	a.Usage = &e.Usage
	return err
}

// A frame is a record as it is on disk: the length of the payload and its CRC-32C, four bytes each in
// little-endian order, then the payload, which is the record.
const (
	frameHeader = 8
	maxRecord   = 1 << 20
)

// appendFrame appends the frame of e to dst and returns the extended slice.
func appendFrame(dst []byte, e *usage.Event) []byte {
	start := len(dst)
	dst = AppendEvent(append(dst, make([]byte, frameHeader)...), e)
	payload := dst[start+frameHeader:]
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(dst[start+4:], checksum(payload))
	return dst
}

// checksum returns the CRC-32C (Castagnoli) of b.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// frameState is the result of checking the frame at a place of a segment.
type frameState uint8

const (
	intact     frameState = iota // the checksum matches
	corrupt                      // the checksum doesn't match; the length may still be right
	truncated                    // the frame extends beyond the data
	unreadable                   // the length is impossible, so the end of the frame is unknown
)

// frameAt checks the frame at the beginning of data. payload is set for intact only, size for intact and
// corrupt.
func frameAt(data []byte) (payload []byte, size int, state frameState) {
	if len(data) < frameHeader {
		return nil, 0, truncated
	}
	length := int(binary.LittleEndian.Uint32(data))
	switch {
	case length == 0 || length > maxRecord:
		return nil, 0, unreadable
	case frameHeader+length > len(data):
		return nil, 0, truncated
	}
	payload = data[frameHeader : frameHeader+length]
	if checksum(payload) != binary.LittleEndian.Uint32(data[4:]) {
		return nil, frameHeader + length, corrupt
	}
	return payload, frameHeader + length, intact
}
