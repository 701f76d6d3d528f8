package limit

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// prefix begins all keys. The part in braces is a hash tag: it keeps all keys on one node of a Redis cluster,
// so that one script can use them.
const prefix = "tollgate:{limit}:"

// slotWait is the advice to a client that found no free slot. It is constant, because the relay cannot predict
// when a slot becomes free.
const slotWait = time.Second

// Demand describes a request to its limits.
type Demand struct {
	ID       uuid.UUID // unique for each request
	Caller   *token.Caller
	Group    *tenant.Group
	Model    *catalog.Model // Screen ignores it
	Tokens   int64          // estimated use; Screen ignores it
	Screened *Permit        // what Screen took for the request; nil for nothing
}

// part is the part of the limits that is taken at once.
type part uint8

const (
	all        part = iota
	beforeBody      // requests and slots of token, user and group, for which no body is needed
	afterBody       // the others
)

// has reports whether a limit belongs to the part.
func (p part) has(owner string, measure core.Measure) bool {
	return p == all || (p == beforeBody) == (owner != "model" && measure != core.Tokens)
}

// isUnlimited reports whether no limit applies to the request.
func (c *Demand) isUnlimited() bool {
	noLimits := core.Limits{}
	return c.Caller.Token.Limits == noLimits && c.Caller.User.Limits == noLimits &&
		(c.Group == nil || c.Group.Limits == noLimits) &&
		(c.Model == nil || c.Model.Limits == noLimits)
}

// claim is the part of one limit that a request takes, with the state of that limit.
type claim struct {
	owner   string // "token", "user", "group" or "model"
	measure core.Measure
	limit   int64
	local   int64  // the part of limit that this relay counts against: all of it in Redis
	key     string // the key of the counter in Redis and in memory
	n       int64  // number of requests, tokens or slots
	before  int64  // tokens that the request took from the limit in an earlier claim
	// seen is the state of the counter: microseconds until the bucket is full again, or slots in use. It
	// includes the claim if the claim was admitted.
	seen  int64
	delta time.Duration // correction of the bucket when the actual use is known; negative if less was used
	// shared is true if Redis counted the claim, or if it was taken from the relay's share of what Redis counted.
	shared    bool
	fromShare bool // taken from the share; Redis was not asked
}

// claims returns the request's claims in one part of the limits, one for each limit that it has. The limits of a
// group and of a model are counted for each tenant separately, so that no tenant can use up the limit of another
// tenant, or observe how much of it is used.
func (c *Demand) claims(p part) []claim {
	caller, noLimits := c.Caller, core.Limits{}
	measures := core.Measures()
	claims := make([]claim, 0, len(measures))
	var id [2*idSize + 1]byte // most are in it, so that only the keys allocate
	add := func(limits core.Limits, owner string, id []byte) {
		for _, measure := range measures {
			limit := limits.Of(measure)
			if limit == 0 || !p.has(owner, measure) {
				continue
			}
			claim := claim{owner: owner, measure: measure, limit: limit, local: limit, n: 1}
			claim.key = claim.keyFor(id)
			if measure == core.Tokens {
				claim.n = max(1, c.Tokens)
			}
			claims = append(claims, claim)
		}
	}
	if caller.Token.Limits != noLimits {
		add(caller.Token.Limits, "token", appendID(id[:0], caller.Token.ID))
	}
	if caller.User.Limits != noLimits {
		add(caller.User.Limits, "user", appendID(id[:0], caller.User.ID))
	}
	if c.Group != nil && c.Group.Limits != noLimits {
		add(c.Group.Limits, "group", appendID(append(appendID(id[:0], caller.Tenant.ID), ':'), c.Group.ID))
	}
	if c.Model != nil && c.Model.Limits != noLimits {
		add(c.Model.Limits, "model", append(append(appendID(id[:0], caller.Tenant.ID), ':'), c.Model.ID...))
	}
	return claims
}

// idSize is the length of an id in the form of appendID.
const idSize = 36

// appendID appends the id in the form of its String.
func appendID(text []byte, id uuid.UUID) []byte {
	for i, part := range [...][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, part)
	}
	return text
}

// keyFor returns the key of the counter. The key of a bucket contains the limit: when an operator changes the
// limit, a new bucket starts full and a debt under the old limit is dropped.
func (c *claim) keyFor(id []byte) string {
	var room [128]byte
	key := append(room[:0], prefix...)
	key = append(append(key, c.measure.String()...), ':')
	if c.measure != core.Concurrency {
		key = append(strconv.AppendInt(key, c.limit, 10), ':')
	}
	key = append(append(key, c.owner...), ':')
	return string(append(key, id...))
}

// rate returns the rate of the part of the limit that this relay counts against.
func (c *claim) rate() core.Rate { return core.Rate(c.local) }

// cost returns the time by which the claim moves its bucket. A request for more than the bucket can hold takes
// all that it can hold; Settle takes the rest. The difference of two costs makes two claims of one request cost
// as much as a single claim for both.
func (c *claim) cost() time.Duration {
	return c.rate().Cost(min(c.before+c.n, c.local)) - c.rate().Cost(min(c.before, c.local))
}

// want returns the amount that the claim adds to its counter (seen): 1 for a slot, microseconds of the bucket
// otherwise.
func (c *claim) want() int64 {
	if c.measure == core.Concurrency {
		return 1
	}
	return c.cost().Microseconds()
}

// most returns the highest value that seen may reach.
func (c *claim) most() int64 {
	if c.measure == core.Concurrency {
		return c.local
	}
	return c.rate().Capacity().Microseconds()
}

// fits reports whether the limit has room for the claim.
func (c *claim) fits() bool { return c.want() == 0 || c.seen+c.want() <= c.most() }

// level returns seen as the level of a bucket.
func (c *claim) level() core.Level { return core.Level(time.Duration(c.seen) * time.Microsecond) }

// wait returns how long the limit will have no room for a refused claim; 0 if this limit was not the reason for
// the refusal.
func (c *claim) wait() time.Duration {
	switch {
	case c.fits():
		return 0
	case c.measure == core.Concurrency:
		return slotWait
	}
	return c.rate().Wait(c.level(), c.cost())
}

// more returns the claim for additional tokens of the same request.
func (c *claim) more(tokens int64) claim {
	extra := claim{owner: c.owner, measure: c.measure, limit: c.limit, local: c.limit, key: c.key, n: tokens}
	extra.before = c.before + c.n
	return extra
}

// correct sets delta to the difference between the actual and the claimed use.
func (c *claim) correct(tokens int64) {
	if c.measure == core.Tokens {
		c.delta = c.rate().Cost(tokens) - c.cost()
	}
}

// undo sets delta so that the bucket is as if the claim had not been taken.
func (c *claim) undo() {
	if c.measure != core.Concurrency {
		c.delta = -c.cost()
	}
}

// tightest returns the claim that has to wait longest.
func tightest(claims []claim) *claim {
	tightest := &claims[0]
	for i := range claims {
		if claims[i].wait() > tightest.wait() {
			tightest = &claims[i]
		}
	}
	return tightest
}

// problem returns the refusal for the client. The text follows OpenAI's, which some clients parse.
func (c *claim) problem() error {
	wait := c.wait()
	return problem.New(problem.RateLimited,
		"Rate limit reached on %s: the limit of this %s is %d. Please try again in %s.",
		measureNames[c.measure], c.owner, c.limit, inMilliseconds(wait)).After(wait)
}

// measureNames are the measures as they are called in messages.
var measureNames = [...]string{core.Requests: "requests per min", core.Tokens: "tokens per min",
	core.Concurrency: "concurrent requests"}

// setHeaders sets the headers that describe the tightest limit for requests and for tokens. There is none for
// concurrent requests, as at OpenAI. The values share one string and one slice.
func setHeaders(header http.Header, claims []claim) {
	var (
		names [3 * len(headers)]string
		ends  [3 * len(headers)]int
		room  [128]byte
		text  = room[:0]
		n     int
	)
	add := func(name string) { names[n], ends[n], n = name, len(text), n+1 }
	for measure, field := range headers {
		c := leastRemaining(claims, core.Measure(measure))
		if c == nil {
			continue
		}
		text = strconv.AppendInt(text, c.limit, 10)
		add(field.limit)
		text = strconv.AppendInt(text, c.remaining(), 10)
		add(field.remaining)
		text = append(text, inMilliseconds(time.Duration(c.level())).String()...)
		add(field.reset)
	}
	block, values, begin := string(text), make([]string, n), 0
	for i := range values {
		values[i], begin = block[begin:ends[i]], ends[i]
		header[names[i]] = values[i : i+1 : i+1]
	}
}

// leastRemaining returns the claim of the measure whose limit has the least left, nil for none.
func leastRemaining(claims []claim, measure core.Measure) (minimum *claim) {
	for i := range claims {
		if c := &claims[i]; c.measure == measure && (minimum == nil || c.remaining() < minimum.remaining()) {
			minimum = c
		}
	}
	return minimum
}

// left returns how many requests or tokens the limit has left.
func (c *claim) remaining() int64 { return c.rate().Remaining(c.level()) }

// headers are the names of OpenAI's rate limit headers.
var headers = [...]struct{ limit, remaining, reset string }{
	core.Requests: {"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
	core.Tokens:   {"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
}

// inMilliseconds rounds a duration up to milliseconds. Its String is as OpenAI writes durations, such as 20ms, 1.5s
// or 6m0s.
func inMilliseconds(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}
