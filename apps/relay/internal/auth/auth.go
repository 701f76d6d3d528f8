// Package auth identifies the caller of a request by its token. It caches callers
// and unknown values, so that the common request costs no look-up and a flood of
// unknown tokens does not reach the database.
package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Source looks callers up.
type Source interface {
	Caller(ctx context.Context, scope tenant.Scope, hash token.Hash) (*token.Caller, error)
	RehashToken(ctx context.Context, scope tenant.Scope, r Rehash) error
}

// Rehash replaces the hash of a token by the one under the current pepper.
type Rehash struct {
	ID       uuid.UUID // of the token
	From, To token.Hash
	PepperID string
}

const (
	maxCallers  = 200_000
	maxStrays   = 20_000 // addresses that sent unknown tokens
	callerTTL   = time.Minute
	unknownTTL  = 5 * time.Second
	loadTimeout = 5 * time.Second
	maxReloads  = 3

	strayRate  = 50 // unknown tokens per second and address
	strayBurst = 200
)

// Authenticator is safe for concurrent use.
type Authenticator struct {
	source  Source
	hasher  *token.Hasher
	other   *token.Hasher // of the secret key that is being replaced; nil: of none
	pepper  string        // id of the current pepper
	now     func() time.Time
	scope   tenant.Scope
	callers *otter.Cache[hashes, *entry]
	strays  *otter.Cache[netip.Addr, *rate.Limiter]
	// forgotten counts invalidations: a look-up that ran meanwhile may have
	// read the state before the change.
	forgotten atomic.Uint64
}

// entry is what is known of a hash.
type entry struct {
	hash   token.Hash
	caller *token.Caller // nil: the token is unknown
}

// hashes are those of one value.
type hashes struct {
	current token.Hash
	other   token.Hash // zero unless the secret key is being replaced
}

// New returns an Authenticator. Peppers key the hashes; now is its clock.
func New(source Source, peppers token.Peppers, now func() time.Time) *Authenticator {
	a := &Authenticator{
		source: source, hasher: token.NewHasher(peppers.Current.Key), pepper: peppers.Current.ID, now: now, scope: tenant.SystemScope("relay"),
		callers: otter.Must(&otter.Options[hashes, *entry]{
			MaximumSize: maxCallers,
			ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[hashes, *entry]) time.Duration {
				if e.Value.caller == nil {
					return unknownTTL
				}
				return 24 * time.Hour
			}),
			RefreshCalculator: otter.RefreshWriting[hashes, *entry](callerTTL),
		}),
		strays: otter.Must(&otter.Options[netip.Addr, *rate.Limiter]{
			MaximumSize:      maxStrays,
			ExpiryCalculator: otter.ExpiryAccessing[netip.Addr, *rate.Limiter](time.Minute),
		}),
	}
	if peppers.Rotating() {
		a.other = token.NewHasher(peppers.Other.Key)
	}
	return a
}

func (a *Authenticator) hash(value string) hashes {
	h := hashes{current: a.hasher.Hash(value)}
	if a.other != nil {
		h.other = a.other.Hash(value)
	}
	return h
}

// Authenticate returns the caller of the request's token, who may use it now
// and from addr. Its problems are InvalidToken, IPNotAllowed and, for an
// address that sends many unknown tokens, RateLimited.
func (a *Authenticator) Authenticate(r *http.Request, addr netip.Addr) (*token.Caller, error) {
	value, err := bearerValue(r.Header)
	if err != nil {
		return nil, err
	}
	if err := token.Check(value); err != nil {
		return nil, err
	}
	hash := a.hash(value)
	found, err := a.lookUp(r.Context(), hash, addr)
	if err != nil {
		return nil, err
	}
	if found.caller == nil || !found.hash.Equal(hash.current) {
		return nil, problem.Of(problem.InvalidToken)
	}
	if err := found.caller.Usable(a.now()); err != nil {
		return nil, err
	}
	if !found.caller.Token.AllowsAddress(addr) {
		return nil, problem.Of(problem.IPNotAllowed)
	}
	return found.caller, nil
}

// Known is about how many tokens are known without a look-up.
func (a *Authenticator) Known() int { return a.callers.EstimatedSize() }

// bearerValue reads `Authorization: Bearer <value>` (RFC 6750), the scheme in
// any letter case.
func bearerValue(h http.Header) (string, error) {
	header := h.Get("Authorization")
	if header == "" {
		return "", problem.New(problem.InvalidToken,
			"You didn't provide an API key. Provide it in an Authorization header: Authorization: Bearer YOUR_KEY.")
	}
	scheme, value, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return "", problem.New(problem.InvalidToken, "The Authorization header must read: Bearer YOUR_KEY.")
	}
	return strings.TrimSpace(value), nil
}

func (a *Authenticator) lookUp(ctx context.Context, hash hashes, addr netip.Addr) (*entry, error) {
	if found, ok := a.callers.GetEntry(hash); ok {
		if found.RefreshableAfter() <= 0 {
			a.callers.Refresh(context.WithoutCancel(ctx), hash, loader{a})
		}
		return found.Value, nil
	}
	limiter := a.limiter(addr)
	if limiter.TokensAt(a.now()) < 1 {
		return nil, problem.New(problem.RateLimited, "Too many requests with unknown API keys from this address.").After(time.Second)
	}
	found, err := a.load(ctx, hash)
	if err == nil && found.caller == nil {
		limiter.AllowN(a.now(), 1)
	}
	return found, err
}

func (a *Authenticator) limiter(addr netip.Addr) *rate.Limiter {
	limiter, _ := a.strays.ComputeIfAbsent(addr, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(strayRate, strayBurst), false
	})
	return limiter
}

// load reads a caller through the cache, once for all callers that ask at the
// same time, and again where something was forgotten meanwhile.
func (a *Authenticator) load(ctx context.Context, hash hashes) (*entry, error) {
	for range maxReloads {
		before := a.forgotten.Load()
		found, err := a.callers.Get(context.WithoutCancel(ctx), hash, loader{a})
		if err != nil {
			return nil, unknowable(err)
		}
		if a.forgotten.Load() == before {
			return found, nil
		}
		a.callers.Invalidate(hash)
	}
	found, err := a.read(ctx, hash)
	if err != nil {
		return nil, unknowable(err)
	}
	return found, nil
}

// unknowable is what a caller is told whose token is not known here while the
// database does not answer.
func unknowable(err error) error { return problem.Wrap(problem.Overloaded, err).After(time.Second) }

// loader is how the cache reads.
type loader struct{ *Authenticator }

// Load reads an entry that is not there.
func (l loader) Load(ctx context.Context, hash hashes) (*entry, error) { return l.read(ctx, hash) }

// Reload reads an entry past its TTL, in the background. The old one serves
// meanwhile, and for as long as the database is away.
func (l loader) Reload(ctx context.Context, hash hashes, old *entry) (*entry, error) {
	for range maxReloads {
		before := l.forgotten.Load()
		found, err := l.read(ctx, hash)
		if err != nil {
			return old, nil //nolint:nilerr // the database is away: what is known goes on serving
		}
		if l.forgotten.Load() == before {
			return found, nil
		}
	}
	return nil, otter.ErrNotFound
}

func (a *Authenticator) read(ctx context.Context, hash hashes) (*entry, error) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	caller, err := a.source.Caller(ctx, a.scope, hash.current)
	if problem.Is(err, problem.NotFound) && hash.other != (token.Hash{}) {
		caller, err = a.rehash(ctx, hash)
	}
	if problem.Is(err, problem.NotFound) {
		return &entry{hash: hash.current}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load caller: %w", err)
	}
	return &entry{hash: hash.current, caller: caller}, nil
}

// rehash reads a caller under the pepper that is being replaced, and lets it be
// found under the current one from now on. One that could not be hashed anew,
// as while the database takes no writes, bears its token all the same.
func (a *Authenticator) rehash(ctx context.Context, hash hashes) (*token.Caller, error) {
	caller, err := a.source.Caller(ctx, a.scope, hash.other)
	if err == nil {
		_ = a.source.RehashToken(ctx, a.scope, Rehash{ID: caller.Token.ID, From: hash.other, To: hash.current, PepperID: a.pepper})
	}
	return caller, err
}

// ForgetToken drops the caller with the token. It also drops unknown values: the
// token may be new.
func (a *Authenticator) ForgetToken(id uuid.UUID) {
	a.forget(func(caller *token.Caller) bool { return caller == nil || caller.Token.ID == id })
}

// ForgetUser drops the callers of a user.
func (a *Authenticator) ForgetUser(id uuid.UUID) {
	a.forget(func(caller *token.Caller) bool { return caller != nil && caller.User.ID == id })
}

// ForgetTenant drops the callers of a tenant.
func (a *Authenticator) ForgetTenant(id uuid.UUID) {
	a.forget(func(caller *token.Caller) bool { return caller != nil && caller.Tenant.ID == id })
}

// forget drops the entries that concern, whose caller is nil for unknown values.
func (a *Authenticator) forget(concern func(caller *token.Caller) bool) {
	a.forgotten.Add(1)
	for hash, e := range a.callers.All() {
		if concern(e.caller) {
			a.callers.Invalidate(hash)
		}
	}
}

// ForgetAll drops everything.
func (a *Authenticator) ForgetAll() {
	a.forgotten.Add(1)
	a.callers.InvalidateAll()
}
