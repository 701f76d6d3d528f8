package pipeline

import (
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
)

// screen refuses a call before its body is read. It checks the headers, and for a large body everything for which no
// body is needed: room in the spool, quota that is not used up, and the rate limits of token, user and group. It takes
// the share of these limits; the caller must end the permit.
//
// A small body is read first, because reading it costs less than these checks: the stages after it check the same
// with one message to Redis instead of two.
func (p *Pipeline) screen(w http.ResponseWriter, r *http.Request, in inbound.Call,
	caller *token.Caller) (*limit.Permit, error) {
	err := p.reader.check(r)
	if err == nil && !isLarge(r) {
		return nil, nil //nolint:nilnil // nothing was taken
	}
	var permit *limit.Permit
	if err == nil {
		permit, err = p.begin(w, r, in, caller)
	}
	if err != nil {
		leaveUnread(w)
	}
	return permit, err
}

// begin checks a call with a large body, and takes its share of the limits that need no body.
func (p *Pipeline) begin(w http.ResponseWriter, r *http.Request, in inbound.Call,
	caller *token.Caller) (*limit.Permit, error) {
	if p.Spool.Full() {
		return nil, problem.Of(problem.Overloaded).After(time.Second)
	}
	current := p.Snapshots.Current()
	// An account that is used up can still pay for a model without a price.
	if err := p.Admit.Check(r.Context(), caller); err != nil && !current.AnyFree(caller, in.Started) {
		return nil, err
	}
	return p.Limit.Begin(r.Context(), w.Header(),
		limit.Demand{ID: in.ID, Caller: caller, Group: current.Group(caller.User.GroupID)})
}
