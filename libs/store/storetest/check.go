package storetest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Need returns a function that returns value, or fails the test at once if err is not nil: Need(f())(t) is
// the value of f.
func Need[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// OK fails the test at once if err is not nil.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refuses checks that err is a problem of the kind at the field.
func Refuses(t testing.TB, err error, kind problem.Kind, param string) {
	t.Helper()
	if !problem.Is(err, kind) || problem.From(err).Param != param {
		t.Errorf("got %v, want %s at %q", err, kind, param)
	}
}

// Equal checks that got is want.
func Equal[T comparable](t testing.TB, label string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", label, got, want)
	}
}

// ErrorOf returns the error of a call: ErrorOf(f()).
func ErrorOf[T any](_ T, err error) error { return err }

// RaceUntil calls do in 8 goroutines and returns how many calls succeeded. All others must return an error that is
// full.
func RaceUntil(t *testing.T, full func(error) bool, do func(i int) error) (count int) {
	t.Helper()
	var wg sync.WaitGroup
	var succeeded atomic.Int64
	start := make(chan struct{})
	for i := range 8 {
		wg.Go(func() {
			<-start
			err := do(i)
			if err == nil {
				succeeded.Add(1)
			} else if !full(err) {
				t.Errorf("got error %v, want one for a bound that is reached", err)
			}
		})
	}
	close(start)
	wg.Wait()
	return int(succeeded.Load())
}

// Race calls do in 8 goroutines and returns how many calls succeeded. All others must return a Conflict problem.
func Race(t *testing.T, do func(i int) error) (count int) {
	t.Helper()
	return RaceUntil(t, func(err error) bool { return problem.Is(err, problem.Conflict) }, do)
}
