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

// randomEvent fills every field of the event, each with even odds.
func randomEvent(r *rand.Rand) usage.Event {
	var e usage.Event
	fill(r, reflect.ValueOf(&e).Elem())
	e.CreatedAt = time.Unix(0, r.Int64()).UTC()
	return e
}

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
		panic("a field of a new kind: " + v.Type().String())
	}
}

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

func TestRecordKeepsEveryField(t *testing.T) {
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

func TestRecordOfTheZeroEventIsItsFormatByte(t *testing.T) {
	record := AppendEvent(nil, &usage.Event{})
	if len(record) != 1 {
		t.Errorf("% x", record)
	}
	got, err := ParseEvent(record)
	if err != nil || !reflect.DeepEqual(got, usage.Event{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordSkipsFieldsOfLaterVersions(t *testing.T) {
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
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordRefuses(t *testing.T) {
	event := sampleEvent()
	good := AppendEvent(nil, &event)
	for name, record := range map[string][]byte{
		"nothing":                  {},
		"another format":           append([]byte{recordFormat + 1}, good[1:]...),
		"a cut field":              good[:len(good)-3],
		"an id of 3 bytes":         {recordFormat, 1<<3 | 2, 3, 1, 2, 3},
		"an id that is a number":   {recordFormat, 1 << 3, 7},
		"a cut tag":                {recordFormat, 0x80},
		"a field with number 0":    {recordFormat, 0, 1},
		"an attempt with a bad id": protowire.AppendBytes(protowire.AppendTag([]byte{recordFormat}, 68, protowire.BytesType), []byte{1<<3 | 2, 1, 1}),
	} {
		if _, err := ParseEvent(record); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %v", name, err)
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
			t.Errorf("%+v is read back as %+v, %v", e, again, err)
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
			t.Errorf("took %d of %d bytes", d.size, remaining)
		}
		if remaining == len(data) && d.size < len(data) && len(d.events) < 3 {
			t.Errorf("stopped at %d of %d bytes", d.size, len(data))
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
