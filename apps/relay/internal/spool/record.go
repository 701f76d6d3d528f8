package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// A record is the byte recordFormat and then protobuf fields. Fields are only
// ever added, with numbers of their own: readers skip those they do not know.
const recordFormat = 0xE1

// Numbers of the fields. The fields of one table have consecutive numbers
// from its base in the table's order, so tables grow at their ends only.
const (
	idBase    protowire.Number = 1  // ids: 16 bytes each
	textBase  protowire.Number = 16 // texts: strings
	countBase protowire.Number = 32 // counts: varints
)

const (
	fieldStream protowire.Number = 64 + iota
	fieldEstimated
	fieldStatus
	fieldCreated // fixed64, nanoseconds since 1970
	fieldAttempt // repeated message
	fieldLeased  // repeated id
)

const (
	attemptChannel protowire.Number = 1 + iota
	attemptStatus
	attemptError
	attemptElapsed
	attemptKey
	attemptReason
	attemptDialect
)

// ErrRecord is the error of bytes that are not a record of this format.
var ErrRecord = errors.New("spool: not a usage record")

func ids(e *usage.Event) [9]*uuid.UUID {
	return [...]*uuid.UUID{
		&e.ID, &e.TenantID, &e.UserID, &e.TokenID, &e.GroupID,
		&e.ChannelID, &e.RelayID, &e.PriceID, &e.RuleID,
	}
}

func texts(e *usage.Event) [5]*string {
	return [...]*string{&e.Model, &e.UpstreamModel, &e.Dialect, (*string)(&e.Outcome), &e.Error}
}

func counts(e *usage.Event) [11]*int64 {
	u := &e.Usage
	return [...]*int64{
		&u.Input, &u.CachedInput, &u.CacheWrite, &u.AudioInput, &u.Output, &u.Reasoning, &u.AudioOutput,
		(*int64)(&e.Cost), (*int64)(&e.Quota), (*int64)(&e.Latency), (*int64)(&e.FirstByte),
	}
}

// AppendEvent appends the record of e to dst. Zero fields take no room.
// CreatedAt must lie between the years 1678 and 2262; its zone is not kept.
func AppendEvent(dst []byte, e *usage.Event) []byte {
	dst = append(dst, recordFormat)
	for i, id := range ids(e) {
		if *id != uuid.Nil {
			dst = appendID(dst, idBase+protowire.Number(i), *id)
		}
	}
	for i, text := range texts(e) {
		dst = appendText(dst, textBase+protowire.Number(i), *text)
	}
	for i, count := range counts(e) {
		dst = appendInt(dst, countBase+protowire.Number(i), *count)
	}
	dst = appendInt(dst, fieldStream, int64(protowire.EncodeBool(e.Stream)))
	dst = appendInt(dst, fieldEstimated, int64(protowire.EncodeBool(e.Estimated)))
	dst = appendInt(dst, fieldStatus, int64(e.Status))
	if !e.CreatedAt.IsZero() {
		dst = protowire.AppendTag(dst, fieldCreated, protowire.Fixed64Type)
		dst = protowire.AppendFixed64(dst, uint64(e.CreatedAt.UnixNano()))
	}
	for i := range e.Attempts {
		dst = appendAttempt(dst, &e.Attempts[i])
	}
	for _, id := range e.Leased {
		dst = appendID(dst, fieldLeased, id)
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

func appendAttempt(dst []byte, a *usage.Attempt) []byte {
	dst = protowire.AppendTag(dst, fieldAttempt, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(attemptSize(a)))
	if a.ChannelID != uuid.Nil {
		dst = appendID(dst, attemptChannel, a.ChannelID)
	}
	dst = appendInt(dst, attemptStatus, int64(a.Status))
	dst = appendText(dst, attemptError, a.Error)
	dst = appendInt(dst, attemptElapsed, int64(a.Elapsed))
	dst = appendText(dst, attemptKey, a.Credential)
	dst = appendText(dst, attemptReason, a.Reason)
	return appendText(dst, attemptDialect, a.Dialect)
}

func attemptSize(a *usage.Attempt) int {
	const tag = 1 // every number of an attempt's fields is below 16
	size := 0
	if a.ChannelID != uuid.Nil {
		size += tag + protowire.SizeBytes(len(a.ChannelID))
	}
	for _, text := range [...]string{a.Error, a.Credential, a.Reason, a.Dialect} {
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

// ParseEvent reads one record. CreatedAt is in UTC, empty lists are nil, and
// nothing of the event refers to b. Bytes that are no record, or one of a
// format this program does not know, are an ErrRecord.
func ParseEvent(b []byte) (usage.Event, error) {
	var e usage.Event
	err := parseEvent(b, &e)
	return e, err
}

func parseEvent(b []byte, e *usage.Event) error {
	if len(b) == 0 || b[0] != recordFormat {
		return fmt.Errorf("%w: unknown format", ErrRecord)
	}
	into := eventFields{event: e, ids: ids(e), texts: texts(e), counts: counts(e)}
	return eachField(b[1:], into.set)
}

// field is one protobuf field: number holds varints and fixed integers, bytes
// the rest.
type field struct {
	id     protowire.Number
	number uint64
	bytes  []byte
}

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

type eventFields struct {
	event  *usage.Event
	ids    [9]*uuid.UUID
	texts  [5]*string
	counts [11]*int64
}

func (t *eventFields) set(f field) error {
	switch i := int(f.id); {
	case f.id >= fieldStream:
		return setOther(t.event, f)
	case f.id >= countBase && i-int(countBase) < len(t.counts):
		*t.counts[i-int(countBase)] = int64(f.number)
	case f.id >= textBase && i-int(textBase) < len(t.texts):
		*t.texts[i-int(textBase)] = t.text(f.bytes)
	case f.id >= idBase && i-int(idBase) < len(t.ids):
		return setID(t.ids[i-int(idBase)], f)
	}
	return nil
}

// text returns b as a string, without a copy for the words that nearly every
// record repeats.
func (t *eventFields) text(b []byte) string {
	switch string(b) {
	case "chat":
		return "chat"
	case "responses":
		return "responses"
	case string(usage.Success):
		return string(usage.Success)
	case t.event.Model:
		return t.event.Model
	}
	return string(b)
}

func setID(id *uuid.UUID, f field) error {
	if len(f.bytes) != len(id) {
		return fmt.Errorf("%w: field %d: an id of %d bytes", ErrRecord, f.id, len(f.bytes))
	}
	copy(id[:], f.bytes)
	return nil
}

func setOther(e *usage.Event, f field) error {
	switch f.id {
	case fieldStream:
		e.Stream = protowire.DecodeBool(f.number)
	case fieldEstimated:
		e.Estimated = protowire.DecodeBool(f.number)
	case fieldStatus:
		e.Status = int(int64(f.number))
	case fieldCreated:
		e.CreatedAt = time.Unix(0, int64(f.number)).UTC()
	case fieldAttempt:
		e.Attempts = append(e.Attempts, usage.Attempt{})
		return parseAttempt(f.bytes, &e.Attempts[len(e.Attempts)-1])
	case fieldLeased:
		e.Leased = append(e.Leased, uuid.Nil)
		return setID(&e.Leased[len(e.Leased)-1], f)
	}
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
		}
		return nil
	})
}

// A frame is a record on its way to the disk: the payload's length and its
// CRC-32C, four bytes each, low byte first, and the payload.
const (
	frameHeader = 8
	maxRecord   = 1 << 20
)

func appendFrame(dst []byte, e *usage.Event) []byte {
	start := len(dst)
	dst = AppendEvent(append(dst, make([]byte, frameHeader)...), e)
	payload := dst[start+frameHeader:]
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(dst[start+4:], checksum(payload))
	return dst
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// frameState is what a frame looks like from outside.
type frameState uint8

const (
	whole frameState = iota // its checksum is right
	bad                     // its checksum is wrong; its length may be right
	cut                     // it ends beyond the data
	lost                    // its length cannot be
)

// frameAt looks at the frame data begins with. size is set for whole and bad.
func frameAt(data []byte) (payload []byte, size int, state frameState) {
	if len(data) < frameHeader {
		return nil, 0, cut
	}
	length := int(binary.LittleEndian.Uint32(data))
	switch {
	case length == 0 || length > maxRecord:
		return nil, 0, lost
	case frameHeader+length > len(data):
		return nil, 0, cut
	}
	payload = data[frameHeader : frameHeader+length]
	if checksum(payload) != binary.LittleEndian.Uint32(data[4:]) {
		return nil, frameHeader + length, bad
	}
	return payload, frameHeader + length, whole
}
