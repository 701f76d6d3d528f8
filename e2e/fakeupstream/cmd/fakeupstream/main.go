// Command fakeupstream serves the scriptable upstream (-addr) and optionally the minimal one for benchmarks
// (-fast) until SIGINT or SIGTERM. See package e2e/fakeupstream.
package main

import (
	"context"
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
	addr := flag.String("addr", "127.0.0.1:9090", "address of the scriptable upstream; its API is under /v1")
	fast := flag.String("fast", "", "address of the minimal upstream for benchmarks; empty: not served")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *fast); err != nil {
		fmt.Fprintln(os.Stderr, "fakeupstream:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, fast string) error {
	failed := make(chan error, 2)
	if fast != "" {
		l, err := net.Listen("tcp", fast)
		if err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // the process ends
		go func() { failed <- fakeupstream.NewFast().Serve(l) }()
	}
	server := fakeupstream.New().Serve()
	server.Addr = addr
	defer server.Close() //nolint:errcheck // the process ends
	go func() { failed <- server.ListenAndServe() }()
	fmt.Println("fakeupstream: listening on", addr, fast)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	}
}
