package telemetry

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/web"
)

// maxFields is the upper bound of the fields in a line; it sizes the array on the stack.
const maxFields = 29

// writeLog writes the request's line to the log.
func (w *Reporter) writeLog(ctx context.Context, r *Request, end *verdict, duration time.Duration) {
	level := slog.LevelInfo
	if end.failed {
		level = web.LevelOf(end.kind)
	}
	// The attributes are gathered in an array on the stack and passed to the handler directly, because every
	// request comes through here.
	handler := w.Log.Handler()
	if !handler.Enabled(ctx, level) {
		return
	}
	var room [maxFields]slog.Attr
	fields := append(room[:0],
		slog.String("request_id", r.ID.String()),
		slog.String("endpoint", r.Endpoint.String()),
		slog.Int("status", r.Status),
		slog.String("outcome", string(end.outcome)),
		slog.Float64("duration_ms", milliseconds(duration)),
	)
	if end.failed {
		fields = append(fields, slog.String("error_domain", end.domain()), slog.String("error_type", end.word()))
	}
	fields = r.callerFields(fields)
	fields = r.callFields(fields)
	if r.span != nil {
		fields = append(fields, slog.String("trace_id", r.span.SpanContext().TraceID().String()))
	}
	record := slog.NewRecord(w.Now(), level, "request", 0)
	record.AddAttrs(fields...)
	_ = handler.Handle(ctx, record) // a log that cannot be written cannot report that
}

// callerFields adds the ids of the caller.
func (r *Request) callerFields(fields []slog.Attr) []slog.Attr {
	if r.Caller == nil {
		return fields
	}
	return append(fields,
		slog.String("tenant_id", r.Caller.Tenant.ID.String()),
		slog.String("user_id", r.Caller.User.ID.String()),
		slog.String("token_id", r.Caller.Token.ID.String()),
	)
}

// callFields adds the model, the channel and the result of the call.
func (r *Request) callFields(fields []slog.Attr) []slog.Attr {
	if r.Model != "" {
		fields = append(fields, slog.String("model", r.Model))
	}
	if r.Channel != nil {
		fields = append(fields, slog.String("channel", r.Channel.Name))
	}
	if r.Replayed != uuid.Nil {
		fields = append(fields, slog.String("replay_of", r.Replayed.String()))
	}
	log := r.Log
	if log == nil {
		return fields
	}
	fields = append(fields, slog.Bool("stream", log.Stream), slog.Int("attempts", len(log.Attempts)))
	if failureText := failures(log.Attempts); failureText != "" {
		fields = append(fields, slog.String("failed_attempts", failureText))
	}
	// A failed call has no usage, unless the upstream reported some with its failure.
	if log.Outcome == usage.Success || log.Outcome == usage.Partial || log.Usage.Total() > 0 {
		fields = append(fields,
			slog.Float64("first_byte_ms", milliseconds(log.FirstByte)),
			slog.Int64("input_tokens", log.Usage.InputTotal()),
			slog.Int64("output_tokens", log.Usage.OutputTotal()),
			slog.String("quota_usd", log.Quota.String()),
		)
	}
	if log.Estimated {
		fields = append(fields, slog.Bool("estimated", true))
	}
	return fields
}

// failures returns the words of the failed attempts in order, separated by commas.
func failures(attempts []usage.Attempt) string {
	var words []string
	for i := range attempts {
		if word := attempts[i].Error; word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, ",")
}

// milliseconds returns d in milliseconds, with microseconds as the fraction.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
