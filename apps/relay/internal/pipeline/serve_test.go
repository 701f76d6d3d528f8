package pipeline

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/auth"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	corelimit "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	core "github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

const tokenValue = "a-token-that-was-imported"

// world is a Pipeline with fakes of the database and of the upstream. It implements all their interfaces
// itself.
type world struct {
	*Pipeline
	t testing.TB

	caller  *token.Caller
	channel catalog.Channel
	group   tenant.Group
	bank    *bank
	ids     *stored.Codec

	sent   []string            // request bodies that reached the upstream
	loads  int                 // number of loads of stored state
	onLoad func()              // called with each load
	turn   responsedb.Response // the response that each load returns
	events []usage.Event

	onAppend func() error // called before each event is stored
	full     bool         // the spool is full
	asked    int          // how often the spool was asked whether it is full
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		t: t, group: tenant.Group{ID: uuid.New(), Status: tenant.Enabled, Models: []string{"m"}},
		bank: newBank(100 * money.USD), onLoad: func() {}, onAppend: func() error { return nil },
		ids: stored.NewCodec(seal.New([32]byte{1})),
	}
	w.channel = catalog.Channel{
		ID: uuid.New(), Name: "channel", Type: "openai", BaseURL: "https://upstream.example", Weight: 1,
		Status:   tenant.Enabled,
		Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"m": "up-m"},
	}
	customer := uuid.New()
	w.caller = &token.Caller{
		Token:  token.Token{ID: uuid.New(), Status: token.Enabled},
		User:   tenant.User{ID: uuid.New(), TenantID: customer, Status: tenant.Enabled, GroupID: w.group.ID},
		Tenant: tenant.Tenant{ID: customer, Status: tenant.Enabled},
		Limits: []quota.Limit{{Owner: uuid.New(), Kind: quota.Wallet}},
	}
	w.turn = responsedb.Response{ID: uuid.New(), Input: []byte(`"` + strings.Repeat("long ago ", 400) + `"`),
		Body: []byte(`{"output":[]}`)}
	w.build()
	return w
}

// build creates the Pipeline.
func (w *world) build() {
	log := slog.New(slog.DiscardHandler)
	admitter := admit.New(admit.Options{Lender: w.bank, Wait: time.Second, Grace: time.Hour, Now: time.Now, Log: log})
	limiter := limit.New(limit.Options{OnRefusal: func(string, string) {}, Now: time.Now, Log: log})
	snapshots := snapshot.New(snapshot.Options{Source: w, Opener: w, Lookup: registry.Lookup,
		Pool: egress.NewPool(egress.Options{}), Log: log})
	if err := admitter.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(admitter.Stop)
	w.Pipeline = New(Options{
		Slots: fair.New(fair.Options[uuid.UUID]{}),
		Auth: auth.New(auth.Options{Source: w, CacheBytes: 1 << 20, MaxLookups: 1000, Now: time.Now,
			Peppers: token.Peppers{Current: token.Pepper{ID: "p", Key: []byte("pepper")}}}),
		Snapshots: snapshots, Limit: limiter,
		Memory: memory.New(memory.Options{Bytes: 64 << 20, Wait: time.Second, Now: time.Now}), Admit: admitter,
		Spool: w, Now: time.Now, Log: log,
		Timeouts: tap.Timeouts{KeepAlive: time.Minute, IdleTimeout: time.Minute, WriteTimeout: time.Minute},
		Resumer: &stored.Resumer{
			Responses: stored.NewResponses(stored.Options{Store: w, Retention: time.Hour, Now: time.Now}), IDs: w.ids,
			MaxBodyBytes: 1 << 20,
		},
		Upstream: upstream.New(upstream.Options{
			FirstByteTimeout: time.Minute, IdleTimeout: time.Minute, RequestTimeout: time.Minute,
			Requests: w.t.Context(), Now: time.Now, Log: log,
		}),
	})
	w.reload()
	snapshots.Current().Target(w.channel.ID).Transport = w
}

// reload replaces the snapshot by the present group and channel.
func (w *world) reload() {
	w.t.Helper()
	if err := w.Snapshots.Reload(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// The methods below implement the database of callers, the catalog, the stored responses and the spool.

func (w *world) Caller(context.Context, tenant.Scope, token.Hash) (*token.Caller, error) {
	return w.caller, nil
}

func (w *world) RehashToken(context.Context, tenant.Scope, auth.Rehash) error { return nil }

func (w *world) Snapshot(context.Context, tenant.Scope) (*core.Snapshot, error) {
	rate := money.USD
	price := pricing.Price{ID: uuid.New(), Model: "m",
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate, Output: &rate}}}
	models := []catalog.Model{{ID: "m", Status: tenant.Enabled, MaxOutput: 100}}
	return core.New(1, []tenant.Group{w.group}, models, []catalog.Channel{w.channel},
		pricing.NewBook([]pricing.Price{price}, nil)), nil
}

func (w *world) OpenCredential(key catalog.SealedSecret) (string, error) {
	return string(key.Sealed), nil
}
func (w *world) OpenProxy(catalog.SealedSecret) (string, error) { return "", nil }
func (w *world) Fingerprint(key string) string                  { return key }

func (w *world) load() []responsedb.Response {
	w.loads++
	w.onLoad()
	return []responsedb.Response{w.turn}
}

func (w *world) Conversation(context.Context, tenant.Scope, tenant.Reach, uuid.UUID) ([]responsedb.Response, error) {
	return w.load(), nil
}

func (w *world) Excerpts(context.Context, tenant.Scope, tenant.Reach,
	responsedb.Excerpt) ([]responsedb.Response, error) {
	return w.load(), nil
}

func (w *world) Response(context.Context, tenant.Scope, tenant.Reach, uuid.UUID) (responsedb.Response, error) {
	return w.load()[0], nil
}

func (w *world) CreateResponse(context.Context, tenant.Scope, responsedb.Response) error { return nil }

func (w *world) DeleteResponse(context.Context, tenant.Scope, tenant.Reach, uuid.UUID) error {
	return nil
}

func (w *world) Append(_ context.Context, event *usage.Event) error {
	if err := w.onAppend(); err != nil {
		return err
	}
	w.events = append(w.events, *event)
	return nil
}

func (w *world) Full() bool {
	w.asked++
	return w.full
}

// RoundTrip implements the upstream. It records the request and returns a completion of 8 tokens.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	w.sent = append(w.sent, string(body))
	const completion = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(completion)), ContentLength: int64(len(completion)),
	}, err
}

// respond sends POST /v1/responses with the model and more fields. It returns the headers of the response.
func (w *world) respond(model, more string) (http.Header, error) {
	w.t.Helper()
	body := fmt.Sprintf(`{"model":%q,"input":"and now?","max_output_tokens":16%s}`, model, more)
	r := httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+tokenValue)
	recorder := httptest.NewRecorder()
	err := w.Serve(recorder, r, inbound.Call{ID: uuid.New(), Dialect: catalog.Responses, Started: time.Now(),
		Report: &telemetry.Request{}, Slot: new(fair.Lease[uuid.UUID])})
	return recorder.Header(), err
}

// continued returns the fields of a request that continues the stored response.
func (w *world) continued() string {
	return fmt.Sprintf(`,"previous_response_id":"resp_%s"`, strings.ReplaceAll(w.turn.ID.String(), "-", ""))
}

func TestServe_LoadsStateForCallersWhoMayUseIt(t *testing.T) {
	w := newWorld(t)
	if _, err := w.respond("m", w.continued()); err != nil {
		t.Fatal(err)
	}
	if w.loads != 1 || len(w.sent) != 1 || !strings.Contains(w.sent[0], "long ago") ||
		!strings.Contains(w.sent[0], "and now?") {
		t.Errorf("got %d loads and sent %q, want 1 load and the whole conversation", w.loads, w.sent)
	}
	if len(w.events) != 1 || w.events[0].Usage.Total() != 8 {
		t.Errorf("got events %+v, want one with 8 tokens", w.events)
	}
}

func TestServe_LoadsNoStateForARefusedRequest(t *testing.T) {
	one := corelimit.Limits{RequestsPerMinute: 1}
	for name, row := range map[string]struct {
		model  string
		change func(*world)
		want   problem.Kind
	}{
		"the model is unknown": {"other", func(*world) {}, problem.ModelNotFound},
		"the model is not permitted": {"m", func(w *world) { w.caller.Token.Models = []string{"n"} },
			problem.ModelNotFound},
		"the token is disabled": {"m", func(w *world) { w.caller.Token.Status = token.Disabled }, problem.InvalidToken},
		"too many requests": {"m", func(w *world) { w.caller.Token.Limits = one; _, _ = w.respond("m", "") },
			problem.RateLimited},
		"too many tokens": {"m", func(w *world) {
			w.caller.Token.Limits.TokensPerMinute = 8
			_, _ = w.respond("m", "")
		}, problem.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			row.change(w)
			for _, state := range []string{w.continued(), `,"previous_response_id":"resp_unknown"`} {
				if _, err := w.respond(row.model, state); !problem.Is(err, row.want) {
					t.Errorf("%s: got %v, want %v", state, err, row.want)
				}
			}
			if w.loads != 0 {
				t.Errorf("got %d loads, want 0", w.loads)
			}
		})
	}
}

func TestServe_ChargesResumedTokensBeforeTheHold(t *testing.T) {
	w := newWorld(t)
	w.caller.Token.Limits = corelimit.Limits{TokensPerMinute: 600}
	held := w.bank.asked
	if _, err := w.respond("m", ""); err != nil { // uses 8 tokens
		t.Fatal(err)
	}
	asked := w.bank.asked
	header, err := w.respond("m", w.continued()) // about 900 tokens
	if !problem.Is(err, problem.RateLimited) || w.loads != 1 {
		t.Fatalf("got %v after %d loads, want rate_limited after 1", err, w.loads)
	}
	if asked == held || w.bank.asked != asked || len(w.sent) != 1 || header.Get("X-Ratelimit-Limit-Tokens") != "600" {
		t.Errorf("got %d more messages about quota, %d calls of the upstream, header %v", w.bank.asked-asked,
			len(w.sent), header)
	}
	if _, err := w.respond("m", ""); err != nil {
		t.Errorf("the refused request used tokens of the limit: %v", err)
	}
}

func TestServe_ChargesAConversationThatAChannelStores(t *testing.T) {
	w := newWorld(t)
	w.caller.Token.Limits = corelimit.Limits{TokensPerMinute: 600}
	if _, err := w.respond("m", ""); err != nil {
		t.Fatal(err)
	}
	id := w.ids.EncodeID(w.caller.Tenant.ID, stored.Origin{Channel: w.channel.ID, User: w.caller.User.ID,
		Tokens: 1_000_000, ID: "resp_up"})
	if _, err := w.respond("m", `,"previous_response_id":"`+id+`"`); !problem.Is(err, problem.RateLimited) {
		t.Errorf("got %v, want rate_limited", err)
	}
}

// The channel is disabled while the state of the request is loaded. The request must continue with the snapshot
// that it began with; the next request sees the change.
func TestServe_UsesOneSnapshotForTheWholeRequest(t *testing.T) {
	w := newWorld(t)
	w.onLoad = func() {
		w.channel.Status = tenant.Disabled
		w.reload()
	}
	if _, err := w.respond("m", w.continued()); err != nil {
		t.Errorf("the request used two snapshots: %v", err)
	}
	if _, err := w.respond("m", w.continued()); !problem.Is(err, problem.ModelNotFound) || w.loads != 1 {
		t.Errorf("got %v after %d loads, want model_not_found after 1", err, w.loads)
	}
}
