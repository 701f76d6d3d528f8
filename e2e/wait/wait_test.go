package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/e2e/wait"
)

func TestUntil_ReturnsWhenTheConditionHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		err := wait.Until(t.Context(), func(context.Context) error {
			if asked++; asked < 3 {
				return errors.New("not yet")
			}
			return nil
		})
		if err != nil || asked != 3 {
			t.Errorf("got %v after %d calls, want nil after 3", err, asked)
		}
	})
}

func TestUntil_ReturnsTheCauseAndTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause, last := errors.New("the program ended"), errors.New("not ready")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		err := wait.Until(ctx, func(context.Context) error { return last })
		if !errors.Is(err, cause) || !errors.Is(err, last) {
			t.Errorf("got %v, want the cause and the last error", err)
		}
	})
}

func TestFor_ReturnsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		wait.For(t.Context(), time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		wait.For(ctx, time.Hour)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("For took %v, want 1m0s", took)
		}
	})
}
