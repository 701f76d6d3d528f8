// Package e2e tells stories about the whole of Tollgate: its own programs as
// separate processes on real Postgres and Redis, the official SDKs as clients,
// and a scriptable upstream. One file is one story.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/tools/fakeupstream"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := stage.close(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// stage is what the stories share: the built programs, and one world for those
// that only call its APIs.
var stage props

type props struct {
	building sync.Once
	kit      *stack.Kit
	kitErr   error

	starting sync.Once
	common   *world
	troubled bool // a story in the common world failed
}

func (s *props) build(t *testing.T) *stack.Kit {
	t.Helper()
	s.building.Do(func() { s.kit, s.kitErr = stack.Build(context.Background()) })
	if s.kitErr != nil {
		t.Fatal(s.kitErr)
	}
	return s.kit
}

func (s *props) close() error {
	var errs []error
	if s.common != nil {
		if s.troubled {
			fmt.Fprintln(os.Stderr, s.common.Logs(30))
		}
		errs = append(errs, s.common.close())
	}
	if s.kit != nil {
		errs = append(errs, s.kit.Close())
	}
	return errors.Join(errs...)
}

// world is a stack in front of a scriptable upstream.
type world struct {
	*stack.Stack
	upstream *fakeupstream.Upstream
	server   *httptest.Server
}

func (w *world) close() error {
	err := w.Stack.Close()
	w.server.CloseClientConnections()
	w.server.Close()
	return err
}

// commonWorld returns the world that stories share. They must leave it as they
// found it.
func commonWorld(t *testing.T) *world {
	t.Helper()
	stage.starting.Do(func() { stage.common = startWorld(t, nil) })
	if stage.common == nil {
		t.Skip("the common world did not start, as said above")
	}
	t.Cleanup(func() { stage.troubled = stage.troubled || t.Failed() })
	return stage.common
}

// ownWorld returns a world that ends with the test, whose programs have the
// environment env besides.
func ownWorld(t *testing.T, env map[string]string) *world {
	t.Helper()
	w := startWorld(t, env)
	t.Cleanup(func() {
		report(t, w.Stack)
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func startWorld(t *testing.T, env map[string]string) *world {
	t.Helper()
	kit := stage.build(t)
	w := &world{upstream: fakeupstream.New()}
	w.server = httptest.NewServer(w.upstream)
	all := map[string]string{"UPSTREAM_URL": w.server.URL + "/v1", "TOLLGATE_KEEPALIVE_INTERVAL": "1s", "TOLLGATE_UPSTREAM_IDLE_TIMEOUT": "4s", "TOLLGATE_UPSTREAM_FIRST_BYTE_TIMEOUT": "6s", "TOLLGATE_BODY_READ_TIMEOUT": "3s"}
	for name, value := range env {
		all[name] = value
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var err error
	if w.Stack, err = kit.Start(ctx, stack.Options{Catalogue: catalogue(), Env: all}); err != nil {
		w.server.Close()
		missing(t, err)
		t.Fatal(err)
	}
	return w
}

// missing skips the test where err says that the machine lacks a program, or
// fails it where the run requires everything.
func missing(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, stack.ErrMissing) {
		return
	}
	if os.Getenv("TEST_REQUIRE") == "all" {
		t.Fatalf("TEST_REQUIRE=all, and this is left out: %v", err)
	}
	t.Skipf("LEFT OUT: %v", err)
}

// report logs what the programs said of a story that failed.
func report(t *testing.T, s *stack.Stack) {
	if t.Failed() {
		t.Log("\n" + s.Logs(12))
	}
}

func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
