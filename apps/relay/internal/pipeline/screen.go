package pipeline

import (
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
)

// cheapest is the smallest cost of a call that is not free, in nano-dollars.
const cheapest = 1

// screen refuses a call before its body is read: by its headers, if its usage event might find no room in the spool,
// and if it has a large body, by the quota and the rate limits for which no body is needed. The caller must end the
// permit, which the stage limit completes.
//
// A small body is read before its quota and its rate limits are checked, because reading it costs less than these
// checks: the later stages check the same with one message to Redis instead of two.
func (p *Pipeline) screen(w http.ResponseWriter, r *http.Request, in inbound.Call,
	caller *token.Caller) (*limit.Permit, error) {
	if err := p.reader.check(r); err != nil {
		leaveUnread(w)
		return nil, err
	}
	if !isLarge(r) {
		return nil, p.checkSpool() // net/http reads the body of a refused call
	}
	permit, err := p.screenLarge(w, r, in, caller)
	if err != nil {
		leaveUnread(w)
	}
	return permit, err
}

// checkSpool refuses a call whose usage event might find no room in the spool.
func (p *Pipeline) checkSpool() error {
	if p.Spool.Full() {
		return problem.Of(problem.Overloaded).After(time.Second)
	}
	return nil
}

// screenLarge refuses a call with a large body, and takes its share of the rate limits of token, user and group.
func (p *Pipeline) screenLarge(w http.ResponseWriter, r *http.Request, in inbound.Call,
	caller *token.Caller) (*limit.Permit, error) {
	if err := p.checkSpool(); err != nil {
		return nil, err
	}
	current := p.Snapshots.Current()
	// A caller whose account is used up may still call a free model.
	if err := p.screenQuota(r, caller); err != nil && !current.AnyFree(caller, in.Started) {
		return nil, err
	}
	return p.Limit.Screen(r.Context(), w.Header(),
		limit.Demand{ID: in.ID, Caller: caller, Group: current.Group(caller.User.GroupID)})
}

// screenQuota returns a QuotaExhausted problem if the caller's quota does not pay for the cheapest call, however the
// requests in flight end. The quota may be reserved by them, or the database may not answer: the stage hold then
// decides.
func (p *Pipeline) screenQuota(r *http.Request, caller *token.Caller) error {
	hold, err := p.Admit.Reserve(r.Context(), caller, admit.Demand{Min: cheapest, Max: cheapest, AtOnce: true})
	switch {
	case err == nil:
		hold.Release()
	case problem.Is(err, problem.QuotaExhausted):
		return err
	}
	return nil
}
