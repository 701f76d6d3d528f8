package service

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"
)

func TestRequestLines_EqualThoseOfTheJSONHandler(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 80_900_000, time.FixedZone("", 3600))
	for name, attributes := range map[string][]slog.Attr{
		"no attribute": nil,
		"a request": {
			slog.String("request_id", "0199-ab"), slog.Int("status", 200), slog.Float64("duration_ms", 12.345),
			slog.Bool("stream", true), slog.Int64("input_tokens", -7),
			slog.String("empty", ""), slog.Float64("zero", 0), slog.Float64("whole", 3), slog.String("html", "<a>&"),
		},
		"a text with a quote":   {slog.String("model", `a"b`)},
		"a text with a slash":   {slog.String("model", `a\b`)},
		"a text with a newline": {slog.String("model", "a\nb")},
		"a text in Chinese":     {slog.String("model", "模型"), slog.Int("status", 200)},
		"invalid UTF-8":         {slog.String("model", "a\xffb")},
		"a key with a quote":    {slog.Int(`a"b`, 1)},
		"no key":                {slog.Int("", 1)},
		"an empty attribute":    {{}},
		"large numbers": {slog.Float64("a", 1e21), slog.Float64("b", 1e-7), slog.Float64("c", -1e20),
			slog.Int64("d", math.MinInt64)},
		"not a number": {slog.Float64("a", math.NaN())},
		"infinity":     {slog.Float64("a", math.Inf(-1))},
		"other kinds": {slog.Duration("a", time.Second), slog.Time("b", at), slog.Any("c", errors.New("d")),
			slog.Uint64("e", 1)},
		"a group": {slog.Group("a", slog.Int("b", 1))},
	} {
		for _, when := range []time.Time{at, at.UTC(), {}} {
			for _, level := range []slog.Level{slog.LevelInfo, slog.LevelWarn, slog.LevelError + 1} {
				record := slog.NewRecord(when, level, "request", 0)
				record.AddAttrs(attributes...)
				var got, want bytes.Buffer
				err := newRequestLines(&got, nil, "relay").Handle(t.Context(), record)
				wanted := slog.NewJSONHandler(&want, nil).WithAttrs([]slog.Attr{slog.String("program", "relay")}).
					Handle(t.Context(), record)
				if got.String() != want.String() || (err == nil) != (wanted == nil) {
					t.Errorf("%s: got %q and %v, want %q and %v", name, &got, err, &want, wanted)
				}
			}
		}
	}
}
