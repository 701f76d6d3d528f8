package shipped

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/hostile"
	"github.com/tollgate/tollgate/e2e/story"
)

func TestMain(m *testing.M) {
	if code, ok := hostile.Inside(); ok {
		os.Exit(code)
	}
	code := m.Run()
	if err := suite.close(); err != nil {
		fmt.Fprintln(os.Stderr, "shipped:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// suite holds the images, and the stack for tests that only call the APIs.
var suite sharedParts

type sharedParts struct {
	building sync.Once
	kit      *Kit
	kitErr   error

	starting  sync.Once
	common    *Stack
	commonErr error
	troubled  bool // a test on the sharedParts stack failed
}

// images returns the kit. The first call builds the images.
func (s *sharedParts) images(t *testing.T) *Kit {
	t.Helper()
	story.NeedsPrograms(t)
	s.building.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // the first run compiles everything
		defer cancel()
		s.kit, s.kitErr = Build(ctx)
	})
	if s.kitErr != nil {
		story.Missing(t, s.kitErr)
		t.Fatal(s.kitErr)
	}
	return s.kit
}

func (s *sharedParts) close() error {
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

// sharedStack returns the stack that tests share. A test must restore every setting that it changes.
func sharedStack(t *testing.T) *Stack {
	t.Helper()
	kit := suite.images(t)
	suite.starting.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		suite.common, suite.commonErr = kit.Start(ctx, Options{Manifest: manifest})
	})
	if suite.commonErr != nil {
		t.Fatal(suite.commonErr)
	}
	t.Cleanup(func() { suite.troubled = suite.troubled || t.Failed() })
	return suite.common
}
