package shipped

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
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
	story.NeedsPrograms(t)
	s.building.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // all is compiled, the first time
		defer cancel()
		s.kit, s.kitErr = Build(ctx)
	})
	if s.kitErr != nil {
		story.Missing(t, s.kitErr)
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
