package shipped

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := props.close(); err != nil {
		fmt.Fprintln(os.Stderr, "shipped:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// props are what the stories share: the images, and one stack for those that
// only call its APIs.
var props shared

type shared struct {
	building sync.Once
	kit      *Kit
	kitErr   error

	starting  sync.Once
	common    *Stack
	commonErr error
	troubled  bool // a story on the common stack failed
}

func (s *shared) images(t *testing.T) *Kit {
	t.Helper()
	s.building.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // all is compiled, the first time
		defer cancel()
		s.kit, s.kitErr = Build(ctx)
	})
	if s.kitErr != nil {
		missing(t, s.kitErr)
		t.Fatal(s.kitErr)
	}
	return s.kit
}

func (s *shared) close() error {
	var errs []error
	if s.common != nil {
		if s.troubled {
			fmt.Fprintln(os.Stderr, s.common.Logs(30))
		}
		errs = append(errs, s.common.Close())
	}
	if s.kit != nil {
		errs = append(errs, s.kit.Close())
	}
	return errors.Join(errs...)
}

// commonStack returns the stack that stories share. They must leave it as they
// found it.
func commonStack(t *testing.T) *Stack {
	t.Helper()
	kit := props.images(t)
	props.starting.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		props.common, props.commonErr = kit.Start(ctx, Options{Catalogue: catalogue()})
	})
	if props.commonErr != nil {
		t.Fatal(props.commonErr)
	}
	t.Cleanup(func() { props.troubled = props.troubled || t.Failed() })
	return props.common
}

// missing skips the test where err says that the machine lacks something, or
// fails it where the run requires everything.
func missing(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, stack.ErrMissing) {
		return
	}
	if os.Getenv("TEST_REQUIRE") == "all" {
		t.Fatalf("TEST_REQUIRE=all, and this is left out: %v", err)
	}
	t.Skip(err)
}

func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// timeToRecord is how long the way from relay to database may take.
const timeToRecord = 15 * time.Second
