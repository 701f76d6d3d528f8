package spool

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// randomEvent returns an event in which each field is set with a probability of one half.
func randomEvent(r *rand.Rand) usage.Event {
	var e usage.Event
	fill(r, reflect.ValueOf(&e).Elem())
	e.CreatedAt = time.Unix(0, r.Int64()).UTC()
	return e
}

// fill sets v, and the fields or elements in it, to random values.
func fill(r *rand.Rand, v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() || r.IntN(2) == 0 && v.Kind() != reflect.Struct {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(r.Uint32() & 0xff))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.String:
		v.SetString([]string{"success", "chat", "gpt-4o-mini", "ä\x00\xff", "partial"}[r.IntN(5)])
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("fill does not support the type " + v.Type().String())
	}
}

// sampleEvent returns a typical event with a new id.
func sampleEvent() usage.Event {
	id := uuid.Must(uuid.NewV7())
	return usage.Event{
		Log: usage.Log{
			ID: id, CreatedAt: time.Unix(1_790_000_000, 123456789).UTC(),
			TenantID: uuid.New(), UserID: uuid.New(), TokenID: uuid.New(), GroupID: uuid.New(),
			ChannelID: uuid.New(), RelayID: uuid.New(), PriceID: uuid.New(), RuleID: uuid.New(),
			Model: "gpt-4o-mini", UpstreamModel: "gpt-4o-mini-2024-07-18", Dialect: "chat", Stream: true,
			Outcome: usage.Success, Status: 200,
			Usage: usage.Usage{Input: 1200, CachedInput: 1024, Output: 340},
			Cost:  money.Amount(123_456), Quota: money.Amount(123_456),
			Attempts: []usage.Attempt{{ChannelID: uuid.New(), Status: 200, Elapsed: 300 * time.Millisecond}},
			Latency:  2 * time.Second, FirstByte: 310 * time.Millisecond,
		},
		Leased: []uuid.UUID{uuid.New()},
	}
}

func TestParseEvent_ReturnsEveryFieldThatAppendEventWrote(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		want := randomEvent(r)
		got, err := ParseEvent(AppendEvent(nil, &want))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	}
}

func TestAppendEvent_WritesOnlyTheFormatByteForAZeroEvent(t *testing.T) {
	record := AppendEvent(nil, &usage.Event{})
	if len(record) != 1 {
		t.Errorf("record: got % x, want one byte", record)
	}
	got, err := ParseEvent(record)
	if err != nil || !reflect.DeepEqual(got, usage.Event{}) {
		t.Errorf("ParseEvent: got %+v and error %v, want the zero event", got, err)
	}
}

func TestParseEvent_SkipsUnknownFields(t *testing.T) {
	want := sampleEvent()
	record := AppendEvent(nil, &want)
	for _, number := range []protowire.Number{15, 31, 63, 99, 5000} {
		record = protowire.AppendTag(record, number, protowire.BytesType)
		record = protowire.AppendString(record, "later")
		record = protowire.AppendTag(record, number, protowire.Fixed32Type)
		record = protowire.AppendFixed32(record, 7)
		record = protowire.AppendTag(record, number, protowire.VarintType)
		record = protowire.AppendVarint(record, 7)
	}
	got, err := ParseEvent(record)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v and error %v, want %+v", got, err, want)
	}
}

func TestParseEvent_RefusesMalformedRecords(t *testing.T) {
	event := sampleEvent()
	good := AppendEvent(nil, &event)
	for name, record := range map[string][]byte{
		"an empty record":                 {},
		"another format":                  append([]byte{recordFormat + 1}, good[1:]...),
		"a truncated field":               good[:len(good)-3],
		"an id with 3 bytes":              {recordFormat, 1<<3 | 2, 3, 1, 2, 3},
		"an id with the type of a number": {recordFormat, 1 << 3, 7},
		"a truncated tag":                 {recordFormat, 0x80},
		"a field with number 0":           {recordFormat, 0, 1},
		"an attempt with a malformed id": protowire.AppendBytes(protowire.AppendTag([]byte{recordFormat}, 68,
			protowire.BytesType), []byte{1<<3 | 2, 1, 1}),
	} {
		if _, err := ParseEvent(record); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: got %v, want ErrRecord", name, err)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	event := sampleEvent()
	f.Add(AppendEvent(nil, &event))
	f.Add([]byte{recordFormat})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := ParseEvent(b)
		if err != nil {
			return
		}
		again, err := ParseEvent(AppendEvent(nil, &e))
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%+v became %+v after a second round trip, error %v", e, again, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	event := sampleEvent()
	f.Add(appendFrame(appendFrame(nil, &event), &event), uint(0))
	f.Fuzz(func(t *testing.T, data []byte, more uint) {
		remaining := len(data) + int(more%100)
		d := decode(data, remaining, decoded{}, 3)
		if d.size > remaining {
			t.Errorf("decoded %d bytes of %d", d.size, remaining)
		}
		if remaining == len(data) && d.size < len(data) && len(d.events) < 3 {
			t.Errorf("stopped after %d bytes of %d with fewer than 3 events", d.size, len(data))
		}
	})
}

func BenchmarkAppendEvent(b *testing.B) {
	event := sampleEvent()
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		buffer = AppendEvent(buffer[:0], &event)
	}
	b.ReportMetric(float64(len(buffer)), "B/record")
}

func BenchmarkParseEvent(b *testing.B) {
	event := sampleEvent()
	record := AppendEvent(nil, &event)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseEvent(record); err != nil {
			b.Fatal(err)
		}
	}
}
