package limit

import (
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

// prefix begins all keys. What is in braces keeps them together in a cluster.
const prefix = "tollgate:{limit}:"

// slotWait is when a call that found no slot is advised to try again.
const slotWait = time.Second

// Demand is what a call needs of its limits.
type Demand struct {
	ID     uuid.UUID // of no other call
	Caller *token.Caller
	Group  *tenant.Group
	Model  *catalog.Model
	Tokens int64 // that it will use, by a guess
}

func (c *Demand) isUnlimited() bool {
	none := core.Limits{}
	return c.Caller.Token.Limits == none && c.Caller.User.Limits == none && c.Group.Limits == none && c.Model.Limits == none
}

// claim is what a call takes from one limit, with the state of the limit.
type claim struct {
	owner   string // "token", "user", "group" or "model"
	measure core.Measure
	limit   int64
	share   int64  // of the limit, that is counted against
	key     string // of what is counted
	n       int64  // requests, tokens or slots
	before  int64  // tokens that the call took from the limit in an earlier claim
	// seen is microseconds until the bucket is full, or slots in use: with the
	// claim where it was admitted, without it where not.
	seen  int64
	delta time.Duration // by which the cost turned out to be higher
}

// claims returns what the call wants of each limit that it has. What limits a
// group or a model is counted for each tenant: none can use up, or see, what
// another has.
func (c *Demand) claims() []claim {
	caller := c.Caller
	home := caller.Tenant.ID.String()
	var all []claim
	for _, of := range [...]struct {
		limits core.Limits
		owner  string
		id     string
	}{
		{caller.Token.Limits, "token", caller.Token.ID.String()},
		{caller.User.Limits, "user", caller.User.ID.String()},
		{c.Group.Limits, "group", home + ":" + c.Group.ID.String()},
		{c.Model.Limits, "model", home + ":" + c.Model.ID},
	} {
		for _, measure := range core.Measures() {
			limit := of.limits.Of(measure)
			if limit == 0 {
				continue
			}
			claim := claim{owner: of.owner, measure: measure, limit: limit, share: limit, n: 1}
			claim.key = claim.keyed(of.id)
			if measure == core.Tokens {
				claim.n = max(1, c.Tokens)
			}
			all = append(all, claim)
		}
	}
	return all
}

// keyed names the counter. The limit is part of a bucket's name: one that
// is changed begins anew, and no debt of the old one stays.
func (c *claim) keyed(id string) string {
	counted := prefix + c.measure.String() + ":"
	if c.measure != core.Concurrency {
		counted += strconv.FormatInt(c.limit, 10) + ":"
	}
	return counted + c.owner + ":" + id
}

func (c *claim) rate() core.Rate { return core.Rate(c.share) }

// cost is what the claim takes from its bucket. A call for more than the bucket
// can hold takes all that it can hold, and the rest at its end. The difference
// makes two claims of one call cost as much as one claim for both.
func (c *claim) cost() time.Duration {
	return c.rate().Cost(min(c.before+c.n, c.share)) - c.rate().Cost(min(c.before, c.share))
}

// want is what the claim adds to seen, and most what that may come to.
func (c *claim) want() int64 {
	if c.measure == core.Concurrency {
		return 1
	}
	return c.cost().Microseconds()
}

func (c *claim) most() int64 {
	if c.measure == core.Concurrency {
		return c.share
	}
	return c.rate().Capacity().Microseconds()
}

// fits reports whether there is room for the claim.
func (c *claim) fits() bool { return c.want() == 0 || c.seen+c.want() <= c.most() }

func (c *claim) level() core.Level { return core.Level(time.Duration(c.seen) * time.Microsecond) }

// wait is how long there will be no room for a claim that was refused; 0: it
// was another's fault.
func (c *claim) wait() time.Duration {
	switch {
	case c.fits():
		return 0
	case c.measure == core.Concurrency:
		return slotWait
	}
	return c.rate().Wait(c.level(), c.cost())
}

// more returns the claim for further tokens of the same call.
func (c *claim) more(tokens int64) claim {
	next := claim{owner: c.owner, measure: c.measure, limit: c.limit, share: c.limit, key: c.key, n: tokens}
	next.before = c.before + c.n
	return next
}

// correct notes what the call used in the end.
func (c *claim) correct(tokens int64) {
	if c.measure == core.Tokens {
		c.delta = c.rate().Cost(tokens) - c.cost()
	}
}

// tightest returns the claim that has no room for the longest time.
func tightest(claims []claim) *claim {
	tightest := &claims[0]
	for i := range claims {
		if claims[i].wait() > tightest.wait() {
			tightest = &claims[i]
		}
	}
	return tightest
}

// problem refuses the call.
func (c *claim) problem() error {
	wait := c.wait()
	return problem.New(problem.RateLimited, "Rate limit reached on %s: the limit of this %s is %d. Please try again in %s.",
		measureNames[c.measure], c.owner, c.limit, formatDuration(wait)).After(wait)
}

// spelt are the measures in messages.
var measureNames = [...]string{core.Requests: "requests per min", core.Tokens: "tokens per min", core.Concurrency: "concurrent requests"}

// setHeaders tells the client the state of the tightest limit of each measure per
// minute.
func setHeaders(header http.Header, claims []claim) {
	for measure, names := range headers {
		var tightest *claim
		for i := range claims {
			c := &claims[i]
			if c.measure == core.Measure(measure) && (tightest == nil || c.rate().Left(c.level()) < tightest.rate().Left(tightest.level())) {
				tightest = c
			}
		}
		if tightest != nil {
			header[names.limit] = []string{strconv.FormatInt(tightest.limit, 10)}
			header[names.remaining] = []string{strconv.FormatInt(tightest.rate().Left(tightest.level()), 10)}
			header[names.reset] = []string{formatDuration(time.Duration(tightest.level()))}
		}
	}
}

var headers = [...]struct{ limit, remaining, reset string }{
	core.Requests: {"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
	core.Tokens:   {"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
}

// inWords writes a duration as OpenAI does: 20ms, 1.5s, 6m0s. It rounds up.
func formatDuration(d time.Duration) string {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond).String()
}
