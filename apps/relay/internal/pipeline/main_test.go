package pipeline_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// token is the token of most calls.
const token = relaytest.Token

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

// stopWithin returns the context of a Stop whose deadline is after the time, which ends much later: a slow machine
// needs longer than the relay reserves for the recording of calls that it cancels.
func stopWithin(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return dueContext{ctx, time.Now().Add(d)}
}

// dueContext is a context that ends after its deadline.
type dueContext struct {
	context.Context
	due time.Time
}

func (c dueContext) Deadline() (time.Time, bool) { return c.due, true }
