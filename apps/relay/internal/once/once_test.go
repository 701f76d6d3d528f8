package once

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"testing/quick"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

// maxAnswer is the largest answer in bytes that is kept.
const maxAnswer = 1 << 20

// bench has Keys, and the memory that their calls use.
type bench struct {
	*Keys
	t      *testing.T
	caller token.Caller
	memory *memory.Budget
}

func newBench(t *testing.T, maxAnswers int64) *bench {
	t.Helper()
	b := &bench{t: t, memory: memory.New(memory.Options{Bytes: 8 << 20, Wait: time.Second, Now: time.Now})}
	b.caller = token.Caller{Token: token.Token{ID: uuid.New()}, Tenant: tenant.Tenant{ID: uuid.New()}}
	b.Keys = New(Options{
		Store: storetest.Open(t, db.Options{URL: storetest.SQLite(t)}).Idempotency, Sealer: seal.New([32]byte{1}),
		Scope: tenant.SystemScope("test"), RelayID: uuid.New(),
		Lease: time.Minute, Requests: t.Context(), Flush: func(context.Context) error { return nil },
		MaxAnswer: maxAnswer, MaxAnswers: maxAnswers, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	return b
}

// call serves a call with the key, which costs something and is answered in two pieces. It returns what the client got.
func (b *bench) call(key string, pieces ...[]byte) (*httptest.ResponseRecorder, error) {
	b.t.Helper()
	use, err := b.memory.Take(b.t.Context(), memory.Body{Tenant: b.caller.Tenant.ID})
	if err != nil {
		b.t.Fatal(err)
	}
	defer use.Release()
	r := httptest.NewRequestWithContext(b.t.Context(), http.MethodPost, "/v1/chat/completions", nil)
	r.Header.Set(Header, key)
	client := httptest.NewRecorder()
	execution, err := b.Begin(client, r, Call{ID: uuid.New(), Caller: &b.caller, Body: []byte("{}"), Memory: use})
	if _, replayed := execution.Replayed(); err != nil || replayed {
		return client, err
	}
	defer execution.Release()
	w, _ := execution.Take(client, r)
	for i, piece := range pieces {
		if i == len(pieces)-1 {
			execution.Metered(&usage.Log{Outcome: usage.Success, Quota: money.USD})
			execution.BufferEnd()
		}
		_, _ = w.Write(piece)
	}
	execution.Keep()
	return client, nil
}

func TestKeys_KeepAnAnswerWithinTheBounds(t *testing.T) {
	t.Parallel()
	piece := bytes.Repeat([]byte("x"), maxAnswer/2)
	for name, row := range map[string]struct {
		pieces     [][]byte
		maxAnswers int64
		kept       bool
	}{
		"small":                         {[][]byte{[]byte("hello "), []byte("world")}, 1 << 20, true},
		"empty":                         {[][]byte{nil}, 1 << 20, true},
		"largest":                       {[][]byte{piece, piece}, 2 << 20, true},
		"one byte too large at its end": {[][]byte{piece, append([]byte("x"), piece...)}, 2 << 20, false},
		"too large before its end":      {[][]byte{piece, piece, piece, piece}, 2 << 20, false},
		"more than the tenant may keep": {[][]byte{piece}, maxAnswer / 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, row.maxAnswers)
			first, err := b.call("k", row.pieces...)
			if err != nil || !bytes.Equal(first.Body.Bytes(), bytes.Join(row.pieces, nil)) {
				t.Fatalf("got %d bytes, %v", first.Body.Len(), err)
			}
			again, err := b.call("k")
			if row.kept && (err != nil || !bytes.Equal(again.Body.Bytes(), first.Body.Bytes())) {
				t.Errorf("the second call got %d bytes, %v, want the first answer", again.Body.Len(), err)
			}
			if !row.kept && !problem.Is(err, problem.IdempotencyAnswerNotKept) {
				t.Errorf("the second call got %v, want IdempotencyAnswerNotKept", err)
			}
			if used := b.memory.Stats().Used; used != 0 {
				t.Errorf("%d bytes of memory are still in use", used)
			}
		})
	}
}

func TestKeys_CountTheAnswersOfATenantTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5_000)
	piece := bytes.Repeat([]byte("x"), 2_000)
	for _, key := range []string{"a", "b", "c"} {
		if _, err := b.call(key, piece); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.call("b"); err != nil {
		t.Errorf("the second answer: got %v, want it again", err)
	}
	if _, err := b.call("c"); !problem.Is(err, problem.IdempotencyAnswerNotKept) {
		t.Errorf("the third answer: got %v, want IdempotencyAnswerNotKept", err)
	}
	b.caller = token.Caller{Token: token.Token{ID: uuid.New()}, Tenant: tenant.Tenant{ID: uuid.New()}}
	for range 2 {
		if _, err := b.call("c", piece); err != nil {
			t.Errorf("another tenant: got %v", err)
		}
	}
}

// A panic of a stage after the usage event was stored must not free the key.
func TestRelease_FreesTheKeyOnlyBeforeTheCharge(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1<<20)
	for name, row := range map[string]struct {
		log  *usage.Log // nil: the call ended before it was metered
		want problem.Kind
	}{
		"before it is metered":   {nil, problem.Internal},
		"without a charge":       {&usage.Log{Outcome: usage.Partial}, problem.Internal},
		"charged, not recorded":  {&usage.Log{Outcome: usage.Success, Quota: 1}, problem.IdempotencyAnswerNotKept},
		"free of charge, served": {&usage.Log{Outcome: usage.Success}, problem.IdempotencyAnswerNotKept},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", nil)
		r.Header.Set(Header, name)
		execution, err := b.Begin(httptest.NewRecorder(), r,
			Call{ID: uuid.New(), Caller: &b.caller, Body: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		if row.log != nil {
			execution.Metered(row.log)
		}
		execution.Release()
		execution.Release()
		_, err = b.call(name, []byte("x"))
		if row.want == problem.Internal && err != nil || row.want != problem.Internal && !problem.Is(err, row.want) {
			t.Errorf("%s: the next call got %v, want %v", name, err, row.want)
		}
	}
}

// A database may store a key after the relay has given up waiting for it. Without a later repair, the key would be in
// use for a day.
func TestRepair_FreesAKeyThatIsStoredAfterItsCallGaveUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	b.expectLate()
	for range 2 { // the first repair has ended when the second key is stored
		key := idempotency.Key{ID: uuid.New(), TenantID: b.caller.Tenant.ID, TokenID: b.caller.Token.ID,
			Hash: []byte{1}, Mark: []byte{2}, RelayID: b.RelayID}
		if _, err := b.Store.Claim(t.Context(), b.Scope, key); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); len(running(t, b)) > 0; runtime.Gosched() {
			if time.Now().After(deadline) {
				t.Fatal("the key is still in use")
			}
		}
	}
}

// running returns the keys of the relay that are running.
func running(t *testing.T, b *bench) []uuid.UUID {
	t.Helper()
	ids, err := b.Store.Running(t.Context(), b.Scope, b.RelayID)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestAnswer_RoundTrip(t *testing.T) {
	t.Parallel()
	same := func(body []byte, value string) bool {
		a := answer{head: head{Header: http.Header{"X-Tollgate-Channel": {value}}}, body: bytes.Clone(body)}
		got, err := parseAnswer(a.bytes())
		return err == nil && bytes.Equal(got.body, body) && len(got.head.Header) == 1
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
	for name, broken := range map[string][]byte{
		"empty": nil, "too short": {1, 2}, "head too long": binary.LittleEndian.AppendUint32([]byte("{}"), 3),
		"head is no JSON": binary.LittleEndian.AppendUint32([]byte("{"), 1),
	} {
		if _, err := parseAnswer(broken); !errors.Is(err, errAnswer) {
			t.Errorf("%s: got error %v, want errAnswer", name, err)
		}
	}
}

func TestKeys_RunAFewStatementsOfATenantAndLeaveOthersAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		caller := func(tenantID uuid.UUID) *token.Caller {
			c := new(token.Caller)
			c.Tenant.ID, c.User.ID = tenantID, uuid.New()
			return c
		}
		k, busy := New(Options{}), caller(uuid.New())
		end, begun := make(chan struct{}), make(chan *token.Caller, perTenant+4)
		run := func(c *token.Caller) {
			go func() {
				err := k.inTime(t.Context(), c, func(context.Context) error {
					begun <- c
					<-end
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		for range perTenant + 3 {
			run(busy)
		}
		if got := len(begun); got != perTenant {
			t.Errorf("%d statements of a tenant run, want %d", got, perTenant)
		}
		none := func(context.Context) error { return nil }
		if err := k.inTime(t.Context(), caller(uuid.New()), none); err != nil {
			t.Errorf("another tenant: got error %v", err)
		}
		colleague := caller(busy.Tenant.ID)
		run(colleague) // behind three of the other user
		for range perTenant {
			<-begun
		}
		for range 2 { // the places of two statements that end are for both users
			end <- struct{}{}
			synctest.Wait()
		}
		if first, second := <-begun, <-begun; first != colleague && second != colleague {
			t.Error("another user of the tenant waits for all statements of the first one")
		}
		close(end)
	})
}
