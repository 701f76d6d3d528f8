// Package e2e tests the complete Tollgate: its programs as separate processes on real Postgres and Redis, the
// official SDKs as clients, and a scriptable upstream. Each file tests one subject.
//
// Tests that only call the APIs share one testbed (sharedTestbed); tests that kill or stop something start
// their own (ownTestbed, testbedWith). With -short all tests that run programs are skipped.
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

	"github.com/tollgate/tollgate/e2e/contract"
	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/hostile"
	"github.com/tollgate/tollgate/e2e/pages"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

func TestMain(m *testing.M) {
	if code, ok := pages.Inside(); ok {
		os.Exit(code)
	}
	if code, ok := hostile.Inside(); ok {
		os.Exit(code)
	}
	code := m.Run()
	if err := suite.close(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// suite holds the built programs, and the testbed for tests that only call the APIs.
var suite sharedParts

type sharedParts struct {
	building sync.Once
	kit      *stack.Kit
	kitErr   error
	checker  *contract.Checker // of the traffic of all testbeds

	starting  sync.Once
	common    *testbed
	commonErr error
	troubled  bool // a test on the shared testbed failed
}

// build returns the built programs. The first call builds them.
func (s *sharedParts) build(t *testing.T) *stack.Kit {
	t.Helper()
	story.NeedsPrograms(t)
	s.building.Do(func() {
		if s.checker, s.kitErr = openChecker(); s.kitErr == nil {
			s.kit, s.kitErr = stack.Build(context.Background(), "./e2e/pastlogs", "./e2e/fakeupstream/cmd/fakeupstream", "./e2e/contract/cmd/tap")
		}
	})
	if s.kitErr != nil {
		t.Fatal(s.kitErr)
	}
	return s.kit
}

// openChecker returns a checker for the relay's OpenAPI document.
func openChecker() (*contract.Checker, error) {
	document, err := contract.Open()
	if err != nil {
		return nil, err
	}
	return document.Checker()
}

// front opens a tap in front of a relay. All traffic through it is checked against the OpenAPI document.
func (s *sharedParts) front(target string) (addr string, end func(), err error) {
	tap, err := s.checker.Tap(target)
	if err != nil {
		return "", nil, err
	}
	return tap.Addr(), tap.Close, nil
}

// during makes differences between traffic and the document name the test.
func (s *sharedParts) during(t *testing.T) {
	t.Helper()
	t.Cleanup(s.checker.During(t.Name()))
}

// close ends the shared testbed and removes the programs. It prints the testbed's logs if a test on it failed.
// It returns an error if traffic of the tests differs from the OpenAPI document.
func (s *sharedParts) close() error {
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
	if s.checker != nil {
		errs = append(errs, s.checker.Close())
		fmt.Fprintln(os.Stderr, s.checker.Summary())
	}
	return errors.Join(errs...)
}

// testbed is a stack in front of a scriptable upstream.
type testbed struct {
	*stack.Stack
	upstream *fakeupstream.Upstream
	server   *httptest.Server
}

func (w *testbed) close() error {
	err := w.Stack.Close()
	w.server.CloseClientConnections()
	w.server.Close()
	return err
}

// sharedTestbed returns the testbed that tests share. A test must restore every setting that it changes.
func sharedTestbed(t *testing.T) *testbed {
	t.Helper()
	kit := suite.build(t)
	suite.starting.Do(func() { suite.common, suite.commonErr = startTestbed(kit, stack.Options{}) })
	if suite.commonErr != nil {
		story.Missing(t, suite.commonErr)
		t.Fatal(suite.commonErr)
	}
	suite.during(t)
	t.Cleanup(func() { suite.troubled = suite.troubled || t.Failed() })
	return suite.common
}

// ownTestbed returns a testbed that ends with the test. Its programs get the additional variables env.
func ownTestbed(t *testing.T, env map[string]string) *testbed {
	t.Helper()
	return testbedWith(t, stack.Options{Env: env})
}

// testbedWith returns a testbed with these options that ends with the test.
func testbedWith(t *testing.T, o stack.Options) *testbed {
	t.Helper()
	w, err := startTestbed(suite.build(t), o)
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
	suite.during(t)
	return w
}

// startTestbed starts a testbed with timeouts short enough for tests.
func startTestbed(kit *stack.Kit, o stack.Options) (*testbed, error) {
	w := &testbed{upstream: fakeupstream.New()}
	w.server = httptest.NewServer(w.upstream)
	all := map[string]string{
		"UPSTREAM_URL":                         w.server.URL + "/v1",
		"TOLLGATE_KEEPALIVE_INTERVAL":          "1s",
		"TOLLGATE_UPSTREAM_IDLE_TIMEOUT":       "4s",
		"TOLLGATE_UPSTREAM_FIRST_BYTE_TIMEOUT": "6s",
		"TOLLGATE_BODY_READ_TIMEOUT":           "3s",
	}
	maps.Copy(all, o.Env)
	o.Env, o.Front = all, suite.front
	if o.Manifest == "" {
		o.Manifest = manifest()
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

// join joins lines, with a line break after each.
func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
