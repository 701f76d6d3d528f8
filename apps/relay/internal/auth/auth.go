// Package auth identifies the caller of a request by its API token. It caches callers and unknown values: a
// usual request needs no lookup, and a flood of unknown tokens doesn't reach the database. The cache is bounded in
// bytes and not in entries, because one token may list as many models as thousands of others together.
//
// An entry of the cache is refreshed in the background when it is a minute old, while requests continue to use
// it. If the database is unavailable, the old entry stays in use, so known callers are served through an outage.
// A change in the console drops the entry at once through the change feed (Forget). A read that overlaps with such
// a change is repeated, so that it cannot bring the old state back.
package auth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/web"
)

// Source looks up callers in the database. Caller returns a NotFound problem for an unknown hash.
type Source interface {
	Caller(ctx context.Context, scope tenant.Scope, hash token.Hash) (*token.Caller, error)
	RehashToken(ctx context.Context, scope tenant.Scope, r Rehash) error
}

// Rehash replaces the hash of a token by its hash under the current pepper.
type Rehash struct {
	ID       uuid.UUID // id of the token
	From, To token.Hash
	PepperID string
}

const (
	maxLoads    = 8               // lookups at the same time
	maxNetworks = 20_000          // networks whose unknown tokens are counted
	callerTTL   = time.Minute     // age at which an entry is refreshed
	unknownTTL  = 5 * time.Second // how long an unknown value is cached
	loadTimeout = 5 * time.Second // longest time of one lookup
	maxReloads  = 3               // how often a read is repeated because of a concurrent change

	unknownRate  = 50 // unknown tokens per second and network
	unknownBurst = 200
)

// Authenticator identifies callers. It is safe for concurrent use.
type Authenticator struct {
	source   Source
	hasher   *token.Hasher
	previous *token.Hasher // uses the old secret key during a rotation; nil without a rotation
	pepper   string        // id of the current pepper
	now      func() time.Time
	scope    tenant.Scope
	callers  *otter.Cache[hashes, *entry]
	networks *otter.Cache[string, *network] // by address.Network
	// semaphore: a token that lists many models takes megabytes while it is read
	loads      chan struct{}
	lookups    atomic.Int64 // that run or wait
	maxLookups int64
	// forgotten counts the invalidations. If it changes during a lookup, the lookup may have read the state
	// from before the change.
	forgotten atomic.Uint64
}

// network limits the lookups for the clients of one network.
type network struct {
	unknown *rate.Limiter // of lookups of unknown tokens
	// semaphore: lookups take from the limiter before they know whether the token is known, so only few may run
	lookups chan struct{}
}

// entry is a cached result of a lookup.
type entry struct {
	hash   token.Hash
	caller *token.Caller // nil: the token is unknown
	since  uint64        // Authenticator.forgotten when the read began
	// settled is true once no invalidation was missed between the read and the insertion into the cache. From then
	// on, invalidations find the entry there.
	settled atomic.Bool
}

// hashes are the hashes of one token value. They are the cache key; the value itself is never stored.
type hashes struct {
	current  token.Hash
	previous token.Hash // zero unless the secret key is being replaced
}

// weight returns the approximate memory of an entry in bytes.
func (e *entry) weight() uint32 {
	const (
		emptyEntry = 256 // with its key and its node in the cache
		fullEntry  = 1 << 10
		perString  = 16 // header of a string
		perLimit   = 112
		perNet     = 32
	)
	if e.caller == nil {
		return emptyEntry
	}
	t := &e.caller.Token
	sum := fullEntry + perString*len(t.Models) + perNet*len(t.Addresses) + perLimit*len(e.caller.Limits)
	for _, pattern := range t.Models {
		sum += len(pattern)
	}
	return uint32(min(sum, math.MaxUint32))
}

// Options configure an Authenticator. All fields are required.
type Options struct {
	Source     Source
	Peppers    token.Peppers // the keys of the hashes
	CacheBytes int64         // most memory of cached callers
	MaxLookups int           // most calls that look their caller up, or wait for it, at the same time
	Now        func() time.Time
}

// New returns an Authenticator with an empty cache.
func New(o Options) *Authenticator {
	peppers := o.Peppers
	a := &Authenticator{
		source: o.Source, hasher: token.NewHasher(peppers.Current.Key), pepper: peppers.Current.ID, now: o.Now,
		scope: tenant.SystemScope("relay"),
		loads: make(chan struct{}, maxLoads), maxLookups: int64(o.MaxLookups),
		callers: otter.Must(&otter.Options[hashes, *entry]{
			MaximumWeight: uint64(max(o.CacheBytes, 1)),
			Weigher:       func(_ hashes, e *entry) uint32 { return e.weight() },
			ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[hashes, *entry]) time.Duration {
				if e.Value.caller == nil {
					return unknownTTL
				}
				return 24 * time.Hour
			}),
			RefreshCalculator: otter.RefreshWriting[hashes, *entry](callerTTL),
		}),
		networks: otter.Must(&otter.Options[string, *network]{
			MaximumSize:      maxNetworks,
			ExpiryCalculator: otter.ExpiryAccessing[string, *network](time.Minute),
		}),
	}
	if peppers.Rotating() {
		a.previous = token.NewHasher(peppers.Other.Key)
	}
	return a
}

// hash returns the hashes of a value under the current pepper and, during a replacement of the secret key,
// under the other one.
func (a *Authenticator) hash(value string) hashes {
	h := hashes{current: a.hasher.Hash(value)}
	if a.previous != nil {
		h.previous = a.previous.Hash(value)
	}
	return h
}

// Authenticate returns the caller whose token the request carries. The token must be usable now and from addr.
// It returns an InvalidToken or IPNotAllowed problem, RateLimited for a network that sends many unknown
// tokens, or Overloaded if a lookup is necessary and the database doesn't answer.
func (a *Authenticator) Authenticate(r *http.Request, addr netip.Addr) (*token.Caller, error) {
	value, err := valueIn(r.Header)
	if err != nil {
		return nil, err
	}
	if err := token.Check(value); err != nil {
		return nil, err
	}
	hash := a.hash(value)
	e, err := a.lookUp(r.Context(), hash, addr)
	if err != nil {
		return nil, err
	}
	if e.caller == nil || !e.hash.Equal(hash.current) {
		return nil, problem.Of(problem.InvalidToken)
	}
	if err := e.caller.Usable(a.now()); err != nil {
		return nil, &unusable{e.caller, err}
	}
	if !e.caller.Token.AllowsAddress(addr) {
		return nil, &unusable{e.caller, problem.Of(problem.IPNotAllowed)}
	}
	return e.caller, nil
}

// unusable is the error for a known token that may not be used now, or not from the address.
type unusable struct {
	caller *token.Caller
	err    error
}

// Error implements error.
func (u *unusable) Error() string { return u.err.Error() }

// Unwrap returns the problem.
func (u *unusable) Unwrap() error { return u.err }

// OwnerOf returns the caller of the known token that Authenticate refused with the error, or nil for an unknown token.
// The refusal is shown to its tenant. The request itself must get nothing of the caller.
func OwnerOf(err error) *token.Caller {
	if u, ok := errors.AsType[*unusable](err); ok {
		return u.caller
	}
	return nil
}

// Known returns the approximate number of cached entries.
func (a *Authenticator) Known() int { return a.callers.EstimatedSize() }

// keyHeader is the header in which Anthropic's clients send the token.
const keyHeader = "X-Api-Key"

// valueIn returns the token in the Authorization header or in x-api-key. A request may have both if they are equal.
func valueIn(h http.Header) (string, error) {
	key := strings.TrimSpace(h.Get(keyHeader))
	if key == "" {
		return bearerValue(h)
	}
	if h.Get("Authorization") == "" {
		return key, nil
	}
	value, err := bearerValue(h)
	if err == nil && value != key {
		err = problem.New(problem.InvalidToken,
			"The Authorization header and x-api-key have different API keys. Send one of them.")
	}
	return value, err
}

// bearerValue returns the token in `Authorization: Bearer <token>` (RFC 6750).
func bearerValue(h http.Header) (string, error) {
	header := h.Get("Authorization")
	if header == "" {
		return "", problem.New(problem.InvalidToken,
			"You didn't provide an API key. Provide it in an Authorization header: Authorization: Bearer YOUR_KEY.")
	}
	value, ok := web.BearerValue(header)
	if !ok || value == "" {
		return "", problem.New(problem.InvalidToken, "The Authorization header must read: Bearer YOUR_KEY.")
	}
	return value, nil
}

// lookUp returns the entry of a hash from the cache or the database. Only a lookup of an unknown value counts
// towards the network's limit.
func (a *Authenticator) lookUp(ctx context.Context, hash hashes, addr netip.Addr) (*entry, error) {
	if e, ok := a.callers.GetEntry(hash); ok && e.Value.settled.Load() {
		if e.RefreshableAfter() <= 0 {
			a.callers.Refresh(context.WithoutCancel(ctx), hash, loader{a})
		}
		return e.Value, nil
	}
	from := a.network(addr)
	if from.unknown.TokensAt(a.now()) < 1 { // refused without waiting
		return nil, tooManyUnknown()
	}
	// While the database does not answer, calls of unknown tokens must leave room for those that need no lookup.
	defer a.lookups.Add(-1)
	if a.lookups.Add(1) > a.maxLookups {
		return nil, unavailable(errManyLookups)
	}
	waiting, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	select {
	case from.lookups <- struct{}{}:
		defer func() { <-from.lookups }()
	case <-waiting.Done():
		return nil, unavailable(fmt.Errorf("wait to look caller up: %w", waiting.Err()))
	}
	if !from.unknown.AllowN(a.now(), 1) {
		return nil, tooManyUnknown()
	}
	e, err := a.load(ctx, hash)
	if err != nil || e.caller != nil {
		// A Reservation does not fit: Cancel returns nothing once its time, which is at once, is over.
		from.unknown.AllowN(a.now(), -1)
	}
	return e, err
}

var errManyLookups = errors.New("too many calls wait for a lookup of their caller")

// tooManyUnknown returns the problem for a network that sends many unknown tokens.
func tooManyUnknown() error {
	return problem.New(problem.RateLimited, "Too many requests with unknown API keys came from this "+
		"address. Please check the key and try again later.").After(time.Second)
}

// network returns the network of an address.
func (a *Authenticator) network(addr netip.Addr) *network {
	n, _ := a.networks.ComputeIfAbsent(address.Network(addr), func() (*network, bool) {
		return &network{rate.NewLimiter(unknownRate, unknownBurst), make(chan struct{}, maxLoads)}, false
	})
	return n
}

// load reads an entry through the cache, which merges concurrent reads of the same hash. It reads again if an
// invalidation happened since the read began, which may have been before load was called.
func (a *Authenticator) load(ctx context.Context, hash hashes) (*entry, error) {
	for range maxReloads {
		e, err := a.callers.Get(context.WithoutCancel(ctx), hash, loader{a})
		if err != nil {
			return nil, unavailable(err)
		}
		if e.settled.Load() {
			return e, nil
		}
		if a.forgotten.Load() == e.since {
			e.settled.Store(true)
			return e, nil
		}
		a.callers.Invalidate(hash)
	}
	e, err := a.read(ctx, hash)
	if err != nil {
		return nil, unavailable(err)
	}
	return e, nil
}

// unavailable returns the problem for a caller who is not cached while the database doesn't answer.
func unavailable(err error) error { return problem.Wrap(problem.Overloaded, err).After(time.Second) }

// loader connects the cache to the Authenticator's read.
type loader struct{ *Authenticator }

// Load reads an entry that isn't cached.
func (l loader) Load(ctx context.Context, hash hashes) (*entry, error) { return l.read(ctx, hash) }

// Reload refreshes an entry in the background. The old one is used meanwhile, and stays in use if the database
// is unavailable.
func (l loader) Reload(ctx context.Context, hash hashes, current *entry) (*entry, error) {
	for range maxReloads {
		e, err := l.read(ctx, hash)
		if err != nil {
			return current, nil //nolint:nilerr // the database is unavailable: the old entry stays in use
		}
		if l.forgotten.Load() == e.since {
			e.settled.Store(true) // a later invalidation of the current entry makes the cache drop this one too
			return e, nil
		}
	}
	return nil, otter.ErrNotFound
}

// read looks a hash up in the database. An unknown token is an entry without a caller.
func (a *Authenticator) read(ctx context.Context, hash hashes) (*entry, error) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	select {
	case a.loads <- struct{}{}:
		defer func() { <-a.loads }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to load caller: %w", ctx.Err())
	}
	since := a.forgotten.Load()
	caller, err := a.source.Caller(ctx, a.scope, hash.current)
	if problem.Is(err, problem.NotFound) && hash.previous != (token.Hash{}) {
		caller, err = a.rehash(ctx, hash)
	}
	if problem.Is(err, problem.NotFound) {
		return &entry{hash: hash.current, since: since}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load caller: %w", err)
	}
	return &entry{hash: hash.current, caller: caller, since: since}, nil
}

// rehash looks the token up by its hash under the pepper that is being replaced, and stores the hash under the
// current one. The caller is valid even if that write fails, for example because the database is read-only for
// the moment.
func (a *Authenticator) rehash(ctx context.Context, hash hashes) (*token.Caller, error) {
	caller, err := a.source.Caller(ctx, a.scope, hash.previous)
	if err == nil {
		// The next lookup tries again if this write fails.
		_ = a.source.RehashToken(ctx, a.scope, Rehash{ID: caller.Token.ID, From: hash.previous, To: hash.current,
			PepperID: a.pepper})
	}
	return caller, err
}

// Forget drops the entries of the tokens, users and tenants that changed. A change of a token also drops all unknown
// values, because the token may be new. Forget walks over the whole cache once, however many changes there are.
func (a *Authenticator) Forget(changes []db.Change) {
	changed, unknown := map[uuid.UUID]bool{}, false
	for _, change := range changes {
		switch change.Topic {
		case db.TokenChanged:
			changed[change.Ref], unknown = true, true
		case db.UserChanged, db.TenantChanged:
			changed[change.Ref] = true
		}
	}
	if len(changed) == 0 {
		return
	}
	a.forgotten.Add(1)
	for hash, e := range a.callers.All() {
		if c := e.caller; c == nil && unknown ||
			c != nil && (changed[c.Token.ID] || changed[c.User.ID] || changed[c.Tenant.ID]) {
			a.callers.Invalidate(hash)
		}
	}
}

// ForgetAll drops all entries.
func (a *Authenticator) ForgetAll() {
	a.forgotten.Add(1)
	a.callers.InvalidateAll()
}
