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
	"net"
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
	"github.com/tollgate/tollgate/libs/porttest"
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
			s.kit, s.kitErr = stack.Build(context.Background(), "./e2e/pastlogs", "./e2e/fakeupstream/cmd/fakeupstream",
				"./e2e/contract/cmd/tap")
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
	upstream *upstream
}

func (w *testbed) close() error { return errors.Join(w.Stack.Close(), w.upstream.close()) }

// upstream is a fake upstream in a process of its own, so that a load on the tests does not make it slow.
type upstream struct {
	fakeupstream.Client
	process *stack.Process
	port    *porttest.Port
	dir     string
}

// startUpstream starts a fake upstream and waits until it accepts connections.
func startUpstream(ctx context.Context, kit *stack.Kit) (*upstream, error) {
	dir, err := os.MkdirTemp("", "tollgate-upstream-")
	if err != nil {
		return nil, err
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	u := &upstream{
		Client:  fakeupstream.Client{URL: "http://" + port.Addr()},
		process: stack.NewProcess("fakeupstream", dir, kit.Bin("fakeupstream"), "-addr", port.Addr()),
		port:    port, dir: dir,
	}
	if err := u.process.Launch(); err != nil {
		return nil, errors.Join(err, u.close())
	}
	err = u.process.Await(ctx, func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", port.Addr())
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		return nil, errors.Join(err, u.close())
	}
	return u, nil
}

func (u *upstream) close() error {
	u.process.Kill()
	return errors.Join(u.port.Release(), os.RemoveAll(u.dir))
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

// startTestbed starts a testbed. Its timeouts are long, so that no test fails because the machine is slow; a test of a
// timeout has a testbed of its own. A comment of the relay in a stream disturbs no test, so the interval of comments is
// short.
func startTestbed(kit *stack.Kit, o stack.Options) (*testbed, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	upstream, err := startUpstream(ctx, kit)
	if err != nil {
		return nil, err
	}
	all := map[string]string{
		"UPSTREAM_URL":                         upstream.URL + "/v1",
		"TOLLGATE_KEEPALIVE_INTERVAL":          "1s",
		"TOLLGATE_UPSTREAM_IDLE_TIMEOUT":       "30s",
		"TOLLGATE_UPSTREAM_FIRST_BYTE_TIMEOUT": "30s",
		"TOLLGATE_BODY_READ_TIMEOUT":           "30s",
	}
	maps.Copy(all, o.Env)
	o.Env, o.Front = all, suite.front
	if o.Manifest == "" {
		o.Manifest = manifest()
	}
	w := &testbed{upstream: upstream}
	if w.Stack, err = kit.Start(ctx, o); err != nil {
		return nil, errors.Join(err, upstream.close())
	}
	return w, nil
}

// join joins lines, with a line break after each.
func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
