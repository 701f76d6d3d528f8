// Package e2e tells stories about the whole of Tollgate: its own programs as
// separate processes on real Postgres and Redis, the official SDKs as clients,
// and a scriptable upstream. One file is one story.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/pages"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

func TestMain(m *testing.M) {
	if code, ok := pages.Inside(); ok {
		os.Exit(code)
	}
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

	starting  sync.Once
	common    *world
	commonErr error
	troubled  bool // a story in the common world failed
}

func (s *props) build(t *testing.T) *stack.Kit {
	t.Helper()
	story.NeedsPrograms(t)
	s.building.Do(func() { s.kit, s.kitErr = stack.Build(context.Background(), "./e2e/pastlogs") })
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
	kit := stage.build(t)
	stage.starting.Do(func() { stage.common, stage.commonErr = newWorld(kit, stack.Options{}) })
	if stage.commonErr != nil {
		story.Missing(t, stage.commonErr)
		t.Fatal(stage.commonErr)
	}
	t.Cleanup(func() { stage.troubled = stage.troubled || t.Failed() })
	return stage.common
}

// ownWorld returns a world that ends with the test, whose programs have the
// environment env besides.
func ownWorld(t *testing.T, env map[string]string) *world {
	t.Helper()
	return worldOf(t, stack.Options{Env: env})
}

// worldOf returns a world of several relays or workers that ends with the test.
func worldOf(t *testing.T, o stack.Options) *world {
	t.Helper()
	w, err := newWorld(stage.build(t), o)
	if err != nil {
		story.Missing(t, err)
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("\n" + w.Logs(12))
		}
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// newWorld starts a world with limits of time short enough for tests.
func newWorld(kit *stack.Kit, o stack.Options) (*world, error) {
	w := &world{upstream: fakeupstream.New()}
	w.server = httptest.NewServer(w.upstream)
	all := map[string]string{
		"UPSTREAM_URL":                         w.server.URL + "/v1",
		"TOLLGATE_KEEPALIVE_INTERVAL":          "1s",
		"TOLLGATE_UPSTREAM_IDLE_TIMEOUT":       "4s",
		"TOLLGATE_UPSTREAM_FIRST_BYTE_TIMEOUT": "6s",
		"TOLLGATE_BODY_READ_TIMEOUT":           "3s",
	}
	maps.Copy(all, o.Env)
	o.Env = all
	if o.Catalogue == "" {
		o.Catalogue = catalogue()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var err error
	if w.Stack, err = kit.Start(ctx, o); err != nil {
		w.server.Close()
		return nil, err
	}
	return w, nil
}

func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
