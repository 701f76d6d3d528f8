package consoletest

import (
	"log/slog"
	"net/http"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/service/logtest"
	"github.com/tollgate/tollgate/libs/service/otlptest"
)

// Watched is a stack whose log and spans are recorded.
type Watched struct {
	*Stack
	Lines     *logtest.Journal
	Collector *otlptest.Collector
	Flush     func() // stops the console, so that each request has its line and its span, and sends the spans
}

// Watch restarts the stack's console with a recorded log and traces.
func (s *Stack) Watch() *Watched {
	s.Helper()
	w := &Watched{Stack: s, Lines: &logtest.Journal{}, Collector: otlptest.New(s)}
	traces, err := service.NewTracing(config.Config{Program: config.Console, OTLPURL: w.Collector.URL, TraceRatio: 1},
		slog.New(slog.DiscardHandler))
	s.Must(err)
	w.Flush = func() {
		s.Close()
		traces.Close()
	}
	s.Cleanup(traces.Close)
	s.Logger, s.tracer, s.Config.AccessLog = w.Lines.Log(), traces.Tracer(), config.AllRequests
	s.Serve()
	return w
}

// GetTraced sends a GET with a traceparent header, as a caller with its own trace does.
func (c *Client) GetTraced(path, traceparent string) Reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), http.MethodGet, c.URL+path, http.NoBody)
	c.Must(err)
	request.Header.Set("Traceparent", traceparent)
	return c.Send(request)
}
