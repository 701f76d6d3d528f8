package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// What every server bounds, unless its options say otherwise.
const (
	headerTimeout  = 10 * time.Second
	readTimeout    = time.Minute
	writeTimeout   = 2 * time.Minute
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	maxConns       = 4096
)

// Unbounded is the WriteTimeout of a server whose handlers bound each of their
// writes themselves.
const Unbounded time.Duration = -1

// ServerOptions describes a Server.
type ServerOptions struct {
	Name string // for logs: "relay", "console", "ops"
	Addr string // host:port; port 0 picks a free one
	// Listener is served in place of Addr. The server closes it, also where it is
	// stopped before Start. nil: Start listens on Addr.
	Listener net.Listener
	Handler  http.Handler
	Log      *slog.Logger
	// HeaderTimeout bounds the reading of a request's header; 0: 10 s.
	HeaderTimeout time.Duration
	// ReadTimeout bounds the reading of a request, its body included, and not the
	// answer; 0: a minute. Handlers may set another deadline.
	ReadTimeout time.Duration
	// WriteTimeout bounds an answer from the end of the request's header on; 0: two
	// minutes. Handlers may set another deadline, such as one for each write.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection is kept between two requests; 0: two
	// minutes.
	IdleTimeout time.Duration
	// MaxConns is how many connections are open at once; 0: 4096. Those beyond wait
	// until others end.
	MaxConns int
	// Requests is the parent of every request's context: ending it ends them
	// all. nil: they end with their connections alone.
	Requests context.Context
}

// Server serves HTTP between Start and Stop. Its methods are safe for
// concurrent use.
type Server struct {
	options ServerOptions
	http    *http.Server
	fresh   fresh

	mu       sync.Mutex
	listener net.Listener
	stopped  bool
	ended    chan struct{} // closed when the accept loop is over
}

// NewServer returns a server that does not listen yet.
func NewServer(o ServerOptions) *Server {
	s := &Server{
		options: o,
		fresh:   fresh{conns: map[net.Conn]struct{}{}},
		ended:   make(chan struct{}),
		http: &http.Server{
			Handler:           o.Handler,
			ReadHeaderTimeout: cmp.Or(o.HeaderTimeout, headerTimeout),
			ReadTimeout:       cmp.Or(o.ReadTimeout, readTimeout),
			WriteTimeout:      max(0, cmp.Or(o.WriteTimeout, writeTimeout)),
			IdleTimeout:       cmp.Or(o.IdleTimeout, idleTimeout),
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
			ConnContext:       withConn,
		},
	}
	s.http.ConnState = s.fresh.watch
	return s
}

// Start listens and serves in the background. ctx bounds the start only; its
// values are those of every request's context.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.listener != nil {
		return fmt.Errorf("%s: the server was started or stopped before", s.options.Name)
	}
	listener, err := s.listen(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", s.options.Name, err)
	}
	s.listener = listener
	requests := s.options.Requests
	if requests == nil {
		requests = context.WithoutCancel(ctx)
	}
	s.http.BaseContext = func(net.Listener) context.Context { return requests }
	go s.serve(listener)
	s.options.Log.InfoContext(ctx, "listening", "server", s.options.Name, "address", listener.Addr().String())
	return nil
}

func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	if s.options.Listener != nil {
		return s.options.Listener, nil
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", s.options.Addr)
}

func (s *Server) serve(listener net.Listener) {
	defer close(s.ended)
	if err := s.http.Serve(gatheringListener{netutil.LimitListener(listener, cmp.Or(s.options.MaxConns, maxConns))}); !errors.Is(err, http.ErrServerClosed) {
		s.options.Log.Error("server ended", "server", s.options.Name, "error", err)
	}
}

// Addr returns the address it listens on, nil before Start.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Stop accepts no more connections, waits until the requests in flight are
// answered and, where ctx ends first, cuts those that are left and returns
// ctx's error. It may be called twice, or before Start.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	started := s.listener != nil
	s.mu.Unlock()
	if !started {
		if s.options.Listener != nil {
			_ = s.options.Listener.Close() // nothing was accepted, so nothing is lost
		}
		return nil
	}
	s.http.RegisterOnShutdown(s.fresh.close)
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: requests were cut: %w", s.options.Name, err), s.http.Close())
	}
	<-s.ended
	return err
}
