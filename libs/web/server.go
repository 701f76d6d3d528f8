package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/pires/go-proxyproto"
)

// The defaults of ServerOptions, and the bound of header bytes, which has no option.
const (
	headerTimeout  = 10 * time.Second
	readTimeout    = time.Minute
	writeTimeout   = 2 * time.Minute
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10
	maxConns       = 4096
)

// Unbounded is the WriteTimeout for servers whose responses may take any time. They have EachWrite instead.
const Unbounded time.Duration = -1

// ServerOptions are the options of a Server. Name, Handler, Log, and one of Addr and Listener are required.
type ServerOptions struct {
	Name string // in logs and errors: "relay", "console", "ops"
	Addr string // host:port; port 0 picks a free port
	// Listener is used in place of Addr. The server closes it, even if it is stopped before Start.
	Listener net.Listener
	Handler  http.Handler
	Log      *slog.Logger
	// HeaderTimeout limits the time for reading the header of a request. The default is 10 s.
	HeaderTimeout time.Duration
	// ReadTimeout limits the time for reading a request including its body, but not for writing the response. The
	// default is a minute. Handlers may set another deadline.
	ReadTimeout time.Duration
	// WriteTimeout limits the time from the end of a request's header to the end of the response. The default is two
	// minutes. Handlers may set another deadline, for example one for each write.
	WriteTimeout time.Duration
	// EachWrite limits the time in which a client must take 256 KiB of a response, or less if less is written: a write
	// fails after this time, or at most twice as long. A deadline of a handler replaces it. The default is no limit.
	EachWrite time.Duration
	// IdleTimeout limits the time for which a connection is kept open between two requests. The default is two
	// minutes.
	IdleTimeout time.Duration
	// Proxies are the networks of proxies that send headers of the PROXY protocol, with the address of the client. A
	// header from another network is not read, and its connection fails. A proxy may leave the header out.
	Proxies []netip.Prefix
	// MaxConns is the largest number of open connections. The default is 4096. If there are more, those are closed
	// that have waited for a request for the longest time; while none waits for one, further connections wait.
	MaxConns int
	// Requests is the parent of the contexts of all requests; canceling it cancels them all. The default is a context
	// that never ends.
	Requests context.Context
}

// Server serves HTTP between Start and Stop. Its methods are safe for concurrent use. It implements service.Service.
type Server struct {
	options ServerOptions
	http    *http.Server
	heads   heads
	conns   *conns

	mu       sync.Mutex
	listener net.Listener
	stopped  bool
	ended    chan struct{} // closed when serve returns
}

// NewServer returns a server that does not listen yet.
func NewServer(o ServerOptions) *Server {
	s := &Server{
		options: o,
		heads:   heads{limit: headMemory},
		conns:   newConns(cmp.Or(o.MaxConns, maxConns)),
		ended:   make(chan struct{}),
		http: &http.Server{
			Handler:           closeAfterChunks(o.Handler),
			ReadHeaderTimeout: cmp.Or(o.HeaderTimeout, headerTimeout),
			ReadTimeout:       cmp.Or(o.ReadTimeout, readTimeout),
			WriteTimeout:      max(0, cmp.Or(o.WriteTimeout, writeTimeout)),
			IdleTimeout:       cmp.Or(o.IdleTimeout, idleTimeout),
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
			ConnContext:       withConn,
		},
	}
	s.http.ConnState = func(conn net.Conn, state http.ConnState) {
		s.heads.watch(conn, state)
		s.conns.watch(conn, state)
	}
	return s
}

// closeAfterChunks closes the connection after a request with a Transfer-Encoding. net/http drops a Content-Length next
// to it, so no handler sees one, and would keep the connection. A proxy that goes by the length could then take bytes
// for a part of the body that are the next request here. RFC 9112, section 6.3, demands the close.
func closeAfterChunks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header()["Connection"] = []string{"close"}
		}
		next.ServeHTTP(w, r)
	})
}

// Start listens and serves in the background. ctx limits only the start. If Requests is nil, the contexts of requests
// have the values of ctx. Start returns an error if the server was started or stopped before.
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

// serve accepts connections until the server is stopped. It logs any other end, because nothing else would notice it.
func (s *Server) serve(listener net.Listener) {
	defer close(s.ended)
	if len(s.options.Proxies) > 0 {
		listener = &proxyproto.Listener{Listener: listener, ConnPolicy: s.policy,
			ReadHeaderTimeout: s.http.ReadHeaderTimeout}
	}
	gathering := gatheringListener{Listener: listener, heads: &s.heads, conns: s.conns, each: s.options.EachWrite}
	if err := s.http.Serve(gathering); !errors.Is(err, http.ErrServerClosed) {
		s.options.Log.Error("server failed", "server", s.options.Name, "error", err)
	}
}

// policy reports whether a connection may begin with a header of the PROXY protocol.
func (s *Server) policy(conn proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
	peer, err := netip.ParseAddrPort(conn.Upstream.String())
	if err == nil && contains(s.options.Proxies, peer.Addr().Unmap().WithZone("")) {
		return proxyproto.USE, nil
	}
	return proxyproto.SKIP, nil
}

// Addr returns the address on which the server listens, nil before Start.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Stop accepts no more connections and waits until the requests in flight are answered. If ctx ends first, it closes
// the remaining connections and returns an error that wraps ctx's. It may be called twice, or before Start.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	hasStarted := s.listener != nil
	s.mu.Unlock()
	if !hasStarted {
		if s.options.Listener != nil {
			_ = s.options.Listener.Close() // no connection was accepted
		}
		return nil
	}
	s.http.RegisterOnShutdown(s.conns.stop)
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: requests were aborted: %w", s.options.Name, err), s.http.Close())
	}
	<-s.ended // when Stop returns, no goroutine of the server is left
	return err
}
