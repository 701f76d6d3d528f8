package stored

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

// silentStore is a Store that does not answer.
type silentStore struct{ Store }

func (silentStore) CreateResponse(ctx context.Context, _ tenant.Scope, _ responsedb.Response) error {
	<-ctx.Done()
	return ctx.Err()
}

func (silentStore) Conversation(ctx context.Context, _ tenant.Scope, _ tenant.Reach,
	_ uuid.UUID) ([]responsedb.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silentStore) Excerpts(ctx context.Context, _ tenant.Scope, _ tenant.Reach,
	_ responsedb.Excerpt) ([]responsedb.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestResponses_BoundTheWaitForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewResponses(Options{Store: silentStore{}, Now: time.Now})
		begun := time.Now()
		if err := h.Save(t.Context(), responsedb.Response{}); err == nil || time.Since(begun) != saveTimeout {
			t.Errorf("Save: returned %v after %v, want an error after 2s", err, time.Since(begun))
		}
		begun = time.Now()
		if _, err := h.conversation(t.Context(), tenant.Reach{}, uuid.Nil); !problem.Is(err, problem.Overloaded) ||
			time.Since(begun) != readTimeout {
			t.Errorf("Conversation: returned %v after %v, want overloaded after 5s", err, time.Since(begun))
		}
		begun = time.Now()
		if _, err := h.items(t.Context(), tenant.Reach{}, nil); !problem.Is(err, problem.Overloaded) ||
			time.Since(begun) != readTimeout {
			t.Errorf("Items: returned %v after %v, want overloaded after 5s", err, time.Since(begun))
		}
	})
}

// Many large responses of one tenant at once are stored within the memory budget, and leave room for those of others.
// Small ones do not wait.
func TestSave_StoresLargeResponsesWithinTheMemoryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{}
		budget := memory.New(memory.Options{Bytes: 5 * savedCopies * (largeResponse + 1),
			Wait: time.Minute, Now: time.Now})
		h := NewResponses(Options{Store: store, Memory: budget, Now: time.Now})
		var failed atomic.Int64
		save := func(of uuid.UUID, size int) error {
			return h.Save(t.Context(), responsedb.Response{TenantID: of, Body: make([]byte, size)})
		}
		attacker := uuid.New()
		for range 40 {
			go func() {
				if save(attacker, largeResponse+1) != nil {
					failed.Add(1)
				}
			}()
		}
		synctest.Wait()
		if n := store.running.Load(); n != 4 {
			t.Errorf("%d large responses are being stored, want 4", n)
		}
		begun := time.Now()
		if err := save(attacker, 1000); err != nil || time.Since(begun) != saveTime {
			t.Errorf("a small response took %v: %v", time.Since(begun), err)
		}
		if err := save(uuid.New(), largeResponse+1); err != nil {
			t.Errorf("a large response of another tenant: %v", err)
		}
		<-time.After(2 * saveTimeout)
		synctest.Wait()
		if most := store.most.Load(); failed.Load() == 0 || failed.Load()+store.stored.Load() != 42 || most != 5 {
			t.Errorf("%d saves failed, %d responses were stored, %d at a time", failed.Load(),
				store.stored.Load(), most)
		}
	})
}

// saveTime is the time that slowStore takes for a response.
const saveTime = 900 * time.Millisecond

// slowStore is a Store that counts what it stores at a time.
type slowStore struct {
	Store
	running, most, stored atomic.Int64
}

func (s *slowStore) CreateResponse(ctx context.Context, _ tenant.Scope, _ responsedb.Response) error {
	n := s.running.Add(1)
	defer s.running.Add(-1)
	if n > s.most.Load() {
		s.most.Store(n)
	}
	select {
	case <-time.After(saveTime):
		s.stored.Add(1)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// recordingStore is a Store that records the responses.
type recordingStore struct {
	Store
	responses []responsedb.Response
}

func (n *recordingStore) CreateResponse(ctx context.Context, _ tenant.Scope, r responsedb.Response) error {
	n.responses = append(n.responses, r)
	return ctx.Err()
}

func TestSave_StoresTheResponseAfterTheClientDisconnected(t *testing.T) {
	now, database := time.Now(), &recordingStore{}
	h := NewResponses(Options{Store: database, Retention: time.Hour, Now: func() time.Time { return now }})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if err := h.Save(ctx, responsedb.Response{}); err != nil || len(database.responses) != 1 {
		t.Fatalf("got %d stored responses, error %v, want 1", len(database.responses), err)
	}
	if got := database.responses[0].ExpiresAt; !got.Equal(now.Add(time.Hour)) {
		t.Errorf("expiry: got %v, want one hour later", got)
	}
}

func TestParseID_AcceptsOnlyIDsThatTheRelayMakes(t *testing.T) {
	id := uuid.Must(uuid.NewV7())
	if got, ok := ParseID(idOf(id)); !ok || got != id {
		t.Errorf("ParseID of the id of %v: got %v", id, got)
	}
	digits := strings.TrimPrefix(idOf(id), "resp_")
	for _, other := range []string{"", "resp_", digits, "msg_" + digits, "resp_" + strings.ToUpper(digits),
		"resp_" + digits + "0", "resp_" + digits[1:], "resp_" + digits[1:] + "g"} {
		if got, ok := ParseID(other); ok {
			t.Errorf("ParseID accepted %q as %v", other, got)
		}
	}
}

func TestInputPage_AddsTheFieldsThatClientsMayOmit(t *testing.T) {
	id := uuid.MustParse("01890000-0000-7000-8000-000000000001")
	const hex = "01890000000070008000000000000001"
	for input, want := range map[string]string{
		`"h\u00e9"`: `{"id":"msg_` + hex +
			`_in0","type":"message","role":"user","content":[{"type":"input_text","text":"hé"}],"status":"completed"}`,
		`[{"type":"function_call","call_id":"c","name":"f","arguments":"1.0"}]`: `{"id":"fc_` + hex +
			`_in0","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"1.0"}`,
		`[{"type":"function_call_output","call_id":"c","output":[],"status":"failed"}]`: `{"id":"fco_` + hex +
			`_in0","type":"function_call_output","status":"failed","call_id":"c","output":[]}`,
		`[{"type":"reasoning","summary":[],"big":12345678901234567890}]`: `{"id":"rs_` + hex +
			`_in0","type":"reasoning","summary":[],"big":12345678901234567890}`,
		`[{"type":"custom_tool_call","call_id":"c"}]`: `{"id":"ctc_` + hex +
			`_in0","type":"custom_tool_call","status":"completed","call_id":"c"}`,
		`[{"type":"image_generation_call","result":"AAAA"}]`: `{"id":"ig_` + hex +
			`_in0","type":"image_generation_call","status":"completed","result":"AAAA"}`,
		`[{"type":"custom_tool_call_output","id":null}]`: `{"id":"ctco_` + hex +
			`_in0","type":"custom_tool_call_output","status":"completed"}`,
	} {
		got, err := inputPage(id, []byte(input), "")
		if err != nil || !strings.Contains(string(got), `"data":[`+want+`]`) {
			t.Errorf("%s:\ngot\n%s, error %v\nwant\n%s", input, got, err, want)
		}
	}
}

// FuzzItems checks that inputPage returns valid JSON for any stored input and query.
func FuzzItems(f *testing.F) {
	f.Add([]byte(`"hi"`), "limit=1")
	f.Add([]byte(`[{"role":"user","content":"a"},{"role":"user","content":null,"id":"x"},{"id":"x","type":1}]`),
		"order=asc&after=x")
	f.Add([]byte(`[{"content":"a","content":"b"}]`), "%")
	f.Fuzz(func(t *testing.T, input []byte, query string) {
		got, err := inputPage(uuid.Nil, input, query)
		if err == nil && !json.Valid(got) {
			t.Fatalf("not JSON: %s", got)
		}
		if p := (*problem.Problem)(nil); errors.As(err, &p) && p.Kind != problem.InvalidType {
			t.Fatalf("got %v", err)
		}
	})
}
