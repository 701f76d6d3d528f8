// Command fakeupstream serves the scriptable upstream (-addr) and optionally the minimal one for benchmarks
// (-fast, and with TLS -fast-tls) until SIGINT or SIGTERM. See package e2e/fakeupstream.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

func main() {
	var o options
	flag.StringVar(&o.addr, "addr", "127.0.0.1:9090", "address of the scriptable upstream; its API is under /v1")
	flag.StringVar(&o.fast, "fast", "", "address of the minimal upstream for benchmarks; empty: not served")
	flag.StringVar(&o.fastTLS, "fast-tls", "",
		"address of the minimal upstream with TLS and HTTP/1.1; empty: not served")
	flag.StringVar(&o.cert, "cert", "", "PEM file with the certificate and the private key for -fast-tls")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "fakeupstream:", err)
		os.Exit(1)
	}
}

// options holds the flags.
type options struct{ addr, fast, fastTLS, cert string }

func run(ctx context.Context, o options) error {
	failures := make(chan error, 3)
	minimal := fakeupstream.NewFast()
	if o.fast != "" {
		l, err := net.Listen("tcp", o.fast)
		if err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // the process ends
		go func() { failures <- minimal.Serve(l) }()
	}
	if o.fastTLS != "" {
		l, err := listenTLS(o.fastTLS, o.cert)
		if err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // the process ends
		go func() { failures <- minimal.Serve(l) }()
	}
	server := fakeupstream.New().Serve()
	server.Addr = o.addr
	defer server.Close() //nolint:errcheck // the process ends
	go func() { failures <- server.ListenAndServe() }()
	fmt.Println("fakeupstream: listening on", o.addr, o.fast, o.fastTLS)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failures:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	}
}

// listenTLS listens with the certificate and the key in the file. It offers HTTP/1.1 only.
func listenTLS(addr, file string) (net.Listener, error) {
	pair, err := tls.LoadX509KeyPair(file, file)
	if err != nil {
		return nil, err
	}
	return tls.Listen("tcp", addr, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"},
		MinVersion: tls.VersionTLS12})
}
