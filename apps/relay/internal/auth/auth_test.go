package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/polltest"
	"github.com/tollgate/tollgate/libs/store/db"
)

const (
	value        = "a-token-that-is-known"
	unknownValue = "a-token-that-is-unknown"
)

var (
	pepper = []byte("pepper")
	near   = netip.MustParseAddr("203.0.113.7")
	far    = netip.MustParseAddr("198.51.100.7")
)

// registry is a Source in memory that counts its lookups.
type registry struct {
	mu       sync.Mutex
	callers  map[token.Hash]*token.Caller
	down     error
	asked    int
	rehashed Rehash
	readOnly bool
	during   func() // runs within a lookup, after the row was read
}

func (r *registry) Caller(_ context.Context, _ tenant.Scope, hash token.Hash) (*token.Caller, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.down != nil {
		return nil, r.down
	}
	found := r.callers[hash]
	if during := r.during; during != nil {
		r.during = nil
		during()
	}
	if found == nil {
		return nil, problem.Of(problem.NotFound)
	}
	return found, nil
}

func (r *registry) RehashToken(_ context.Context, _ tenant.Scope, h Rehash) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil || r.readOnly {
		return errors.New("the database is read-only")
	}
	r.callers[h.To], r.rehashed = r.callers[h.From], h
	delete(r.callers, h.From)
	return nil
}

// set changes the known caller.
func (r *registry) set(change func(*token.Caller)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hash := token.HashOf(pepper, value)
	changed := *r.callers[hash]
	change(&changed)
	r.callers[hash] = &changed
}

// known returns a registry with one caller who may call.
func known() *registry {
	return &registry{callers: map[token.Hash]*token.Caller{token.HashOf(pepper, value): {
		Token:  token.Token{ID: uuid.New(), Status: token.Enabled},
		User:   tenant.User{ID: uuid.New(), Status: tenant.Enabled},
		Tenant: tenant.Tenant{ID: uuid.New(), Status: tenant.Enabled},
	}}}
}

// call authenticates a request with the header from the address.
func call(a *Authenticator, header string, addr netip.Addr) (*token.Caller, error) {
	r := (&http.Request{Header: http.Header{}}).WithContext(context.Background())
	if header != "" {
		r.Header.Set("Authorization", header)
	}
	return a.Authenticate(r, addr)
}

func TestAuthenticate_ChecksTokenUserTenantAndAddress(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		header string
		change func(*token.Caller)
		want   problem.Kind // 0: may call
	}{
		"a known token":           {"Bearer " + value, nil, 0},
		"scheme in lower case":    {"bearer " + value, nil, 0},
		"scheme in upper case":    {"BEARER " + value, nil, 0},
		"spaces around the value": {"Bearer   " + value + " ", nil, 0},
		"no header":               {"", nil, problem.InvalidToken},
		"no scheme":               {value, nil, problem.InvalidToken},
		"another scheme":          {"Basic " + value, nil, problem.InvalidToken},
		"no value":                {"Bearer ", nil, problem.InvalidToken},
		"an unknown token":        {"Bearer " + unknownValue, nil, problem.InvalidToken},
		"a malformed token":       {"Bearer " + token.New(uuid.New())[:40], nil, problem.InvalidToken},
		"disabled": {"Bearer " + value, func(b *token.Caller) { b.Token.Status = token.Disabled },
			problem.InvalidToken},
		"revoked": {"Bearer " + value, func(b *token.Caller) { b.Token.Status = token.Revoked },
			problem.InvalidToken},
		"expired": {"Bearer " + value,
			func(b *token.Caller) { b.Token.ExpiresAt = now.Add(-time.Second) }, problem.InvalidToken},
		"not yet expired": {"Bearer " + value,
			func(b *token.Caller) { b.Token.ExpiresAt = now.Add(time.Second) }, 0},
		"user disabled": {"Bearer " + value, func(b *token.Caller) { b.User.Status = tenant.Disabled },
			problem.InvalidToken},
		"tenant disabled": {"Bearer " + value, func(b *token.Caller) { b.Tenant.Status = tenant.Disabled },
			problem.InvalidToken},
		"address on the list": {"Bearer " + value,
			func(b *token.Caller) { b.Token.Addresses = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")} }, 0},
		"address not on the list": {"Bearer " + value, func(b *token.Caller) {
			b.Token.Addresses = []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}
		}, problem.IPNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			source := known()
			if c.change != nil {
				source.set(c.change)
			}
			_, err := call(newAuth(source, only(pepper), 1<<20, func() time.Time { return now }), c.header, near)
			if c.want == 0 && err != nil || c.want != 0 && !problem.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestAuthenticate_AcceptsTheHeaderOfAnthropicsClients(t *testing.T) {
	for name, c := range map[string]struct {
		key, authorization string
		want               bool
	}{
		"the key alone":           {value, "", true},
		"both, equal":             {value, "Bearer " + value, true},
		"both, different":         {value, "Bearer " + unknownValue, false},
		"both, another different": {unknownValue, "Bearer " + value, false},
		"another scheme":          {value, "Basic " + value, false},
		"an empty key":            {" ", "Bearer " + value, true},
		"an unknown key":          {unknownValue, "", false},
	} {
		r := (&http.Request{Header: http.Header{"X-Api-Key": {c.key}}}).WithContext(context.Background())
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		_, err := newAuth(known(), only(pepper), 1<<20, time.Now).Authenticate(r, near)
		if c.want && err != nil || !c.want && !problem.Is(err, problem.InvalidToken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAuthenticate_LooksAKnownTokenUpOnce(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for range 20 {
				if _, err := call(a, "Bearer "+value, near); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if source.asked != 1 {
		t.Errorf("got %d lookups for 1,000 calls, want 1", source.asked)
	}
}

func TestAuthenticate_LimitsLookupsOfUnknownTokens(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	for range 100 {
		if _, err := call(a, "Bearer "+unknownValue, near); !problem.Is(err, problem.InvalidToken) {
			t.Fatal(err)
		}
	}
	if source.asked != 1 {
		t.Errorf("got %d lookups of one unknown token, want 1", source.asked)
	}
	limited := 0
	for i := range 1_000 {
		_, err := call(a, "Bearer "+unknownValue+string(rune('a'+i%26))+string(rune('a'+i/26)), near)
		if problem.Is(err, problem.RateLimited) {
			limited++
		}
	}
	if source.asked > 2*unknownBurst || limited < 600 {
		t.Errorf("1,000 unknown tokens: got %d lookups and %d refused without a lookup", source.asked, limited)
	}
	if _, err := call(a, "Bearer "+value, far); err != nil {
		t.Errorf("another address: %v", err)
	}
}

// All clients of one IPv6 network together have one allowance.
func TestAuthenticate_LimitsLookupsByIPv6Network(t *testing.T) {
	now := time.Now()
	source := known()
	a := newAuth(source, only(pepper), 1<<20, func() time.Time { return now })
	addr := netip.MustParseAddr("2001:db8:1:2::")
	for i := range 2 * unknownBurst {
		addr = addr.Next()
		want := problem.InvalidToken
		if i >= unknownBurst {
			want = problem.RateLimited
		}
		if _, err := call(a, fmt.Sprintf("Bearer %s-%d", unknownValue, i), addr); !problem.Is(err, want) {
			t.Fatalf("unknown token %d: got %v, want %v", i, err, want)
		}
	}
	if source.asked != unknownBurst {
		t.Errorf("got %d lookups, want %d", source.asked, unknownBurst)
	}
	if _, err := call(a, "Bearer "+value, netip.MustParseAddr("2001:db8:1:3::1")); err != nil {
		t.Errorf("another network: %v", err)
	}
}

func TestAuthenticate_LimitsLookupsOfCallsThatArriveTogether(t *testing.T) {
	if lookups, limited := together(t, nil); lookups != unknownBurst || limited != 4*unknownBurst {
		t.Errorf("unknown tokens: got %d lookups and %d calls refused without one, want %d and %d", lookups, limited,
			unknownBurst, 4*unknownBurst)
	}
	if lookups, limited := together(t, &token.Caller{}); lookups != 5*unknownBurst || limited != 0 {
		t.Errorf("known tokens: got %d lookups and %d calls refused without one, want %d and 0", lookups, limited,
			5*unknownBurst)
	}
}

// together makes five times as many calls as the limit allows, with different tokens of the caller, who is nil for
// unknown tokens. The first lookups end only after nearly all calls have begun.
func together(t *testing.T, caller *token.Caller) (lookups int, limited int64) {
	t.Helper()
	const all = 5 * unknownBurst
	source := &slowSource{caller: caller, entered: make(chan struct{}, all), release: make(chan struct{})}
	now := time.Now()
	var asked, refused atomic.Int64
	a := newAuth(source, only(pepper), 8<<20, func() time.Time {
		if asked.Add(1) == all { // each call asks for the time before it waits
			close(source.release)
		}
		return now
	})
	var calls sync.WaitGroup
	for i := range all {
		calls.Go(func() {
			if _, err := call(a, fmt.Sprintf("Bearer %s-%d", unknownValue, i), near); problem.Is(err,
				problem.RateLimited) {
				refused.Add(1)
			}
		})
	}
	calls.Wait()
	return len(source.entered), refused.Load()
}

func TestAuthenticate_CountsNoLookupsOfKnownTokensOrDuringAnOutage(t *testing.T) {
	now := time.Now()
	source := known()
	a := newAuth(source, only(pepper), 1<<20, func() time.Time { return now })
	var calls sync.WaitGroup
	for range 5 * unknownBurst {
		calls.Go(func() {
			a.ForgetAll()
			if _, err := call(a, "Bearer "+value, near); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	source.down = errors.New("down")
	for i := range 2 * unknownBurst {
		if _, err := call(a, fmt.Sprintf("Bearer %s-%d", unknownValue, i), near); !problem.Is(err, problem.Overloaded) {
			t.Fatalf("during the outage: got %v, want overloaded", err)
		}
	}
	if got := a.network(near).unknown.TokensAt(now); got != unknownBurst {
		t.Errorf("got an allowance of %v, want all of %d", got, unknownBurst)
	}
}

// change returns a change as the feed has it.
func change(topic db.Topic, id uuid.UUID) []db.Change { return []db.Change{{Topic: topic, Ref: id}} }

func TestForget_DropsTheEntriesThatChanged(t *testing.T) {
	for topic, id := range map[db.Topic]func(*token.Caller) uuid.UUID{
		db.TokenChanged:  func(c *token.Caller) uuid.UUID { return c.Token.ID },
		db.UserChanged:   func(c *token.Caller) uuid.UUID { return c.User.ID },
		db.TenantChanged: func(c *token.Caller) uuid.UUID { return c.Tenant.ID },
	} {
		t.Run(string(topic), func(t *testing.T) {
			source := known()
			a := newAuth(source, only(pepper), 1<<20, time.Now)
			caller, err := call(a, "Bearer "+value, near)
			if err != nil {
				t.Fatal(err)
			}
			source.set(func(b *token.Caller) { b.Token.Status = token.Revoked })
			a.Forget(change(topic, uuid.New()))
			a.Forget(change(db.AccountChanged, id(caller)))
			if _, err := call(a, "Bearer "+value, near); err != nil {
				t.Fatalf("after other changes: %v", err)
			}
			a.Forget(change(topic, id(caller)))
			if _, err := call(a, "Bearer "+value, near); !problem.Is(err, problem.InvalidToken) {
				t.Errorf("after the change: got %v, want invalid_api_key", err)
			}
		})
	}
}

// One walk over the cache takes milliseconds, so changes of one tenant would delay those of all others.
func TestForget_WalksOverTheCacheOnceForAllChanges(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	var changes []db.Change
	values := make([]string, 500)
	for i := range values {
		values[i] = fmt.Sprintf("%s-%d", value, i)
		caller := &token.Caller{Token: token.Token{ID: uuid.New(), Status: token.Enabled},
			User: tenant.User{Status: tenant.Enabled}, Tenant: tenant.Tenant{Status: tenant.Enabled}}
		source.callers[token.HashOf(pepper, values[i])] = caller
		if _, err := call(a, "Bearer "+values[i], near); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, change(db.TokenChanged, caller.Token.ID)...)
	}
	before := a.forgotten.Load()
	a.Forget(changes)
	if got := a.forgotten.Load() - before; got != 1 || a.Known() != 0 {
		t.Errorf("got %d walks and %d entries left, want 1 and 0", got, a.Known())
	}
	a.Forget(change(db.CatalogChanged, uuid.Nil))
	if got := a.forgotten.Load() - before; got != 1 {
		t.Errorf("got %d walks after a change of the catalog, want no other one", got)
	}
}

func TestForget_DropsUnknownValuesWhenATokenChanged(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	if _, err := call(a, "Bearer "+unknownValue, near); !problem.Is(err, problem.InvalidToken) {
		t.Fatal(err)
	}
	source.callers[token.HashOf(pepper, unknownValue)] = source.callers[token.HashOf(pepper, value)]
	a.Forget(change(db.TokenChanged, uuid.New()))
	if _, err := call(a, "Bearer "+unknownValue, near); err != nil {
		t.Errorf("after the token was created: %v", err)
	}
}

// revoke revokes the known token and applies the change. It is called during a lookup.
func (r *registry) revoke(a *Authenticator) {
	hash := token.HashOf(pepper, value)
	revoked := *r.callers[hash]
	revoked.Token.Status = token.Revoked
	r.callers[hash] = &revoked
	a.Forget(change(db.TokenChanged, revoked.Token.ID))
}

// A lookup that read the row before a revocation must not bring the old state back.
func TestAuthenticate_SeesARevocationDuringALookup(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	source.during = func() { source.revoke(a) }
	if _, err := call(a, "Bearer "+value, near); !problem.Is(err, problem.InvalidToken) {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := call(a, "Bearer "+value, near); !problem.Is(err, problem.InvalidToken) {
		t.Errorf("next call: got %v, want a refusal", err)
	}
}

// A call that begins after a revocation waits for a lookup that read the row before it.
func TestAuthenticate_SeesARevocationBeforeItJoinsALookup(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now) // its goroutines do not end, so it must not be in the bubble
	synctest.Test(t, func(t *testing.T) {
		joined := make(chan error, 1)
		source.during = func() {
			source.revoke(a)
			go func() {
				_, err := call(a, "Bearer "+value, near)
				joined <- err
			}()
			synctest.Wait() // until that call waits for this lookup
		}
		if _, err := call(a, "Bearer "+value, near); !problem.Is(err, problem.InvalidToken) {
			t.Errorf("got %v, want a refusal", err)
		}
		if err := <-joined; !problem.Is(err, problem.InvalidToken) {
			t.Errorf("call after the revocation: got %v, want a refusal", err)
		}
	})
}

// A lookup inserts its result before it finds out that the row has changed meanwhile.
func TestAuthenticate_UsesNoEntryThatARevocationMissed(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	old := &entry{hash: token.HashOf(pepper, value), caller: source.callers[token.HashOf(pepper, value)],
		since: a.forgotten.Load()}
	source.revoke(a)
	a.callers.Set(a.hash(value), old)
	if _, err := call(a, "Bearer "+value, near); !problem.Is(err, problem.InvalidToken) {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestAuthenticate_AcceptsKnownTokensDuringAnOutage(t *testing.T) {
	source := known()
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	if _, err := call(a, "Bearer "+value, near); err != nil {
		t.Fatal(err)
	}
	source.mu.Lock()
	source.down = errors.New("down")
	source.mu.Unlock()
	if _, err := call(a, "Bearer "+value, near); err != nil {
		t.Errorf("known token: %v", err)
	}
	if _, err := call(a, "Bearer "+unknownValue, near); !problem.Is(err, problem.Overloaded) {
		t.Errorf("token that cannot be looked up: got %v, want overloaded", err)
	}
	if old, err := (loader{a}).Reload(t.Context(), hashes{current: token.HashOf(pepper, value)}, &entry{}); err !=
		nil || old == nil {
		t.Errorf("refresh during the outage: got %v, error %v, want the old entry", old, err)
	}
}

// only returns the peppers of an installation that is not replacing its secret key.
func only(key []byte) token.Peppers { return token.Peppers{Current: token.Pepper{ID: "now", Key: key}} }

func TestAuthenticate_RehashesTokensWhileTheSecretKeyIsReplaced(t *testing.T) {
	t.Parallel()
	next := []byte("the next pepper")
	source := known()
	id := source.callers[token.HashOf(pepper, value)].Token.ID
	source.readOnly = true
	rotating := token.Peppers{Current: token.Pepper{ID: "next", Key: next}, Other: token.Pepper{ID: "now", Key: pepper}}
	a := newAuth(source, rotating, 1<<20, time.Now)
	if b, err := call(a, "Bearer "+value, near); err != nil || b.Token.ID != id {
		t.Fatalf("while the database is read-only: %v", err)
	}
	source.readOnly = false
	a = newAuth(source, rotating, 1<<20, time.Now)
	for range 2 {
		if b, err := call(a, "Bearer "+value, near); err != nil || b.Token.ID != id {
			t.Fatal(err)
		}
	}
	if want := (Rehash{ID: id, From: token.HashOf(pepper, value), To: token.HashOf(next, value),
		PepperID: "next"}); source.rehashed != want {
		t.Errorf("rehash: got %+v, want %+v", source.rehashed, want)
	}
	if _, err := call(newAuth(source, only(next), 1<<20, time.Now), "Bearer "+value, near); err != nil {
		t.Errorf("with only the new key: %v", err)
	}
	// A relay whose current key is still the old one must find a token that another relay has rehashed.
	ahead := token.Peppers{Current: rotating.Other, Other: rotating.Current}
	if _, err := call(newAuth(source, ahead, 1<<20, time.Now), "Bearer "+value, near); err != nil {
		t.Errorf("with the keys exchanged: %v", err)
	}
	if _, err := call(newAuth(source, rotating, 1<<20, time.Now), "Bearer "+unknownValue, near); !problem.Is(err,
		problem.InvalidToken) {
		t.Errorf("unknown value: got %v, want invalid_api_key", err)
	}
}

// A token that was created before the bound may list 100,000 models.
func TestCache_IsBoundedInBytes(t *testing.T) {
	const most = 8 << 20
	models := make([]string, 100_000)
	for i := range models {
		models[i] = "a-model-with-a-usual-name"
	}
	source := known()
	a := newAuth(source, only(pepper), most, time.Now)
	for i := range 400 {
		heavy := fmt.Sprintf("a-token-with-many-models-%d", i)
		caller := *source.callers[token.HashOf(pepper, value)]
		caller.Token.Models = models
		source.callers[token.HashOf(pepper, heavy)] = &caller
		if _, err := call(a, "Bearer "+heavy, near); err != nil {
			t.Fatal(err)
		}
	}
	a.callers.CleanUp()
	if got := a.callers.WeightedSize(); got > most {
		t.Errorf("the cache has %d bytes, want at most %d", got, most)
	}
	for range 3 {
		if _, err := call(a, "Bearer "+value, near); err != nil {
			t.Fatal(err)
		}
	}
	a.callers.CleanUp()
	asked := source.asked
	if _, err := call(a, "Bearer "+value, near); err != nil || source.asked != asked {
		t.Errorf("got %v and %d lookups of a usual token, want none", err, source.asked-asked)
	}
}

func TestLookup_RefusesCallsWhenTooManyWait(t *testing.T) {
	const most = 3 * maxLoads
	source := &slowSource{caller: &token.Caller{}, entered: make(chan struct{}, 2*most+1),
		release: make(chan struct{})}
	a := New(Options{Source: source, Peppers: only(pepper), CacheBytes: 1 << 20, MaxLookups: most, Now: time.Now})
	var calls sync.WaitGroup
	var refused atomic.Int64
	for i := range 2 * most {
		calls.Go(func() {
			_, err := call(a, fmt.Sprintf("Bearer %s-%d", unknownValue, i), near)
			if errors.Is(err, errManyLookups) {
				refused.Add(1)
			}
		})
	}
	polltest.Until(t, "calls are refused", func() bool { return refused.Load() > 0 })
	close(source.release)
	calls.Wait()
	if _, err := call(a, "Bearer "+unknownValue+"-afterwards", near); errors.Is(err, errManyLookups) {
		t.Errorf("after the lookups: got %v, want a lookup", err)
	}
}

func TestLookup_RunsAFewAtATime(t *testing.T) {
	source := &slowSource{entered: make(chan struct{}, 10*maxLoads), release: make(chan struct{})}
	a := newAuth(source, only(pepper), 1<<20, time.Now)
	var calls sync.WaitGroup
	for i := range 5 * maxLoads {
		calls.Go(func() { _, _ = call(a, fmt.Sprintf("Bearer a-token-that-is-unknown-%d", i), near) })
	}
	for range maxLoads {
		<-source.entered
	}
	close(source.release)
	calls.Wait()
	if got := source.most; got != maxLoads {
		t.Errorf("got %d lookups at the same time, want %d", got, maxLoads)
	}
}

// newAuth returns an Authenticator for up to 10,000 lookups at the same time.
func newAuth(source Source, peppers token.Peppers, cacheBytes int64, now func() time.Time) *Authenticator {
	return New(Options{Source: source, Peppers: peppers, CacheBytes: cacheBytes, MaxLookups: 10_000, Now: now})
}

// slowSource is a Source whose lookups wait.
type slowSource struct {
	registry
	caller           *token.Caller // nil: all tokens are unknown
	running, most    int           // guarded by mu
	entered, release chan struct{}
}

func (s *slowSource) Caller(context.Context, tenant.Scope, token.Hash) (*token.Caller, error) {
	s.mu.Lock()
	s.running++
	s.most = max(s.most, s.running)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
	}()
	s.entered <- struct{}{}
	<-s.release
	if s.caller == nil {
		return nil, problem.Of(problem.NotFound)
	}
	return s.caller, nil
}
