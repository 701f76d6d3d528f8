// Package once charges calls with the header Idempotency-Key at most once, and sends the answer of the first call again
// when a client repeats it. Calls without the header never come here.
//
// A key belongs to a token. The first call with a key stores it in the database as running, before anything is reserved
// or sent to an upstream. Other calls with the key are refused while it runs. At its end, the call either keeps its
// sealed answer, or that it was charged, or it frees the key:
//
//	first call                       key          later calls with the same request
//	complete answer                  answered     get the answer again
//	complete, but not to be kept     charged      409 idempotency_answer_not_kept
//	charged, but broken off          charged      409 idempotency_answer_not_kept
//	charged, and the relay failed    charged      409 idempotency_answer_lost
//	the spool refused the charge     running      409 idempotency_key_in_use, until the usage logs decide
//	failed without a charge          freed        the next call is a first call
//
// The order of events makes this safe when a relay is killed. The usage event is in the spool before the key's end is
// stored, and the key's end is stored before the client gets the last byte. A relay that starts again first ships its
// spool. Then the usage logs tell which of its running keys were charged. If a relay sends no heartbeats for the time
// of its lease, another relay whose own heartbeats succeeded in that time takes a key over when it gets a call with the
// key: it records the first call as failed. An event of the first call that comes later is ignored, because a usage log
// is recorded once.
//
// A first call continues when its client disconnects, so that the client gets the whole answer when it repeats the
// call.
package once

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/idempotency"
)

// Header is the request header with the key, in the form of the keys of http.Header.
const Header = "Idempotency-Key"

const (
	maxKey      = 255              // bytes
	patience    = 10 * time.Second // for the statements before a call, and for those before the end of its answer
	retryAfter  = time.Second      // advice to a client whose first call is still running
	repairEvery = time.Second      // between two attempts to resolve keys
	lateClaim   = time.Minute      // how long a claim without a response may still be stored
)

// Options configures Keys. All fields are required.
type Options struct {
	Store      *idempotency.Store
	Relays     Relays
	Sealer     *seal.Sealer
	Scope      tenant.Scope
	RelayID    uuid.UUID
	Lease      time.Duration                   // how long other relays wait for a relay without heartbeats
	Steady     func() time.Duration            // how long no heartbeat of this relay failed or was late
	Requests   context.Context                 // the parent of all calls: its end cancels even calls without a client
	Flush      func(ctx context.Context) error // returns when all usage events so far are in the database
	MaxAnswer  int64                           // bytes of the largest answer that is kept
	MaxAnswers int64                           // bytes that the answers of one tenant may have together
	Now        func() time.Time
	Log        *slog.Logger
	Metrics    prometheus.Registerer
}

// Relays knows which relays are alive.
type Relays interface {
	// Silent reports whether the last heartbeat of the relay is older than the given duration.
	Silent(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, since time.Duration) (bool, error)
}

// perTenant is the most statements that run at the same time for the keys of one tenant. Otherwise the keys of a tenant
// could take all connections to the database. The users of a tenant take turns.
const perTenant = 4

// Keys are the keys that this relay's calls have. It is safe for concurrent use.
type Keys struct {
	Options
	statements *fair.Queue[uuid.UUID] // that run, by tenant and user
	room       *room

	mu        sync.Mutex
	serving   map[uuid.UUID]struct{} // first calls that are being served
	lateUntil time.Time              // until when a claim without a response may still be stored

	unresolved chan struct{}      // has a value if there may be such keys
	stop       context.CancelFunc // nil before Start
	stopped    chan struct{}      // closed when repair has stopped
}

// New returns Keys. The caller must Start and then Stop them.
func New(o Options) *Keys {
	return &Keys{Options: o, statements: fair.New(fair.Options[uuid.UUID]{PerKey: perTenant, Metrics: o.Metrics,
		Name: "idempotency"}), room: newRoom(),
		serving: map[uuid.UUID]struct{}{}, unresolved: make(chan struct{}, 1), stopped: make(chan struct{})}
}

// Call is a call with a key.
type Call struct {
	ID        uuid.UUID
	Caller    *token.Caller
	Body      []byte
	Variant   string      // a header that changes the answer
	NotStored bool        // the client does not want the answer to be stored
	Memory    *memory.Use // for the answer
	Log       usage.Log   // what the usage logs of all calls with the key have in common
}

// Begin begins a call with a key. If the key has an answer, Begin sends it, and the Execution is Replayed. Otherwise
// the call is the first one with its key, and the caller must Release the Execution. Errors are problems: InvalidType
// for a malformed key, IdempotencyKeyReused, IdempotencyKeyInUse, IdempotencyAnswerNotKept, or Overloaded if the
// database does not answer.
func (k *Keys) Begin(w http.ResponseWriter, r *http.Request, call Call) (*Execution, error) {
	value, err := keyOf(r.Header)
	if err != nil {
		return nil, err
	}
	hash, request := sha256.Sum256([]byte(value)), requestSum(r.URL.Path, &call)
	mark := k.Sealer.Mark(request)
	key := idempotency.Key{
		ID: call.ID, TenantID: call.Caller.Tenant.ID, TokenID: call.Caller.Token.ID, Hash: hash[:], Mark: mark[:],
		RelayID: k.RelayID,
	}
	k.enter(key.ID) // before the key is stored, so that repair never takes it for an unresolved one
	existing, err := k.claim(r.Context(), call.Caller, key)
	reused := err == nil && existing.ID != key.ID && !k.Sealer.Marked(request, existing.Mark)
	if err == nil && !reused && k.outlived(&existing) {
		existing, err = k.takeOver(r.Context(), &existing, key, &call)
	}
	if err == nil && existing.ID == key.ID {
		return k.execute(w, r, key, &call), nil
	}
	k.leave(key.ID)
	switch {
	case err != nil: // the key may be stored, now or later
		k.expectLate()
		return nil, k.unavailable(err)
	case reused:
		return nil, problem.Of(problem.IdempotencyKeyReused)
	case existing.State == idempotency.Running:
		if existing.RelayID == k.RelayID && !k.serves(existing.ID) {
			k.repairSoon()
		}
		return nil, problem.Of(problem.IdempotencyKeyInUse).After(retryAfter)
	case existing.Lost:
		return nil, answerLost()
	case existing.State == idempotency.Charged:
		return nil, problem.Of(problem.IdempotencyAnswerNotKept)
	}
	return k.replay(w, r, existing, &call)
}

// keyOf returns the key of a request.
func keyOf(header http.Header) (string, error) {
	values := header[Header]
	if len(values) != 1 || len(values[0]) == 0 || len(values[0]) > maxKey ||
		bytes.ContainsFunc([]byte(values[0]), unprintable) {
		return "",
			problem.New(problem.InvalidType,
				"Invalid header Idempotency-Key: expected one value of 1 to %d printable ASCII characters.", maxKey).
				At(Header)
	}
	return values[0], nil
}

// unprintable reports whether c is not a printable ASCII character.
func unprintable(c rune) bool { return c < ' ' || c > '~' }

// requestSum returns a hash of what must be equal in all calls with a key.
func requestSum(path string, call *Call) []byte {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\n%s\n", path, call.Variant) // a hash never fails
	_, _ = sum.Write(call.Body)
	return sum.Sum(nil)
}

// claim stores the key unless it is stored already, and returns what is stored. It ignores a disconnect of the client,
// so that its result is known.
func (k *Keys) claim(ctx context.Context, caller *token.Caller,
	key idempotency.Key) (existing idempotency.Key, err error) {
	err = k.inTime(ctx, caller, func(ctx context.Context) error {
		existing, err = k.Store.Claim(ctx, k.Scope, key)
		return err
	})
	return existing, err
}

// inTime runs do with a timeout that does not depend on the client, in the turn of the caller's tenant and user at the
// database.
func (k *Keys) inTime(ctx context.Context, caller *token.Caller, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	statement, err := k.statements.Acquire(ctx, 1, caller.Tenant.ID, caller.User.ID)
	if err != nil {
		return err
	}
	defer statement.Release()
	return do(ctx)
}

// unavailable returns the problem of a call whose key cannot be checked.
func (k *Keys) unavailable(cause error) error {
	k.Log.Warn("check idempotency key failed", "error", cause)
	p := problem.New(problem.Overloaded, "The gateway cannot check the Idempotency-Key now, so it does not serve "+
		"the request. Retry after a short time with the same key.")
	p.Cause = cause
	return p.After(retryAfter)
}

// replay sends the answer of the stored key.
func (k *Keys) replay(w http.ResponseWriter, r *http.Request, existing idempotency.Key,
	call *Call) (*Execution, error) {
	if !call.Memory.Try(copies * existing.Size) {
		return nil, problem.Of(problem.Overloaded).After(retryAfter)
	}
	var ciphertext []byte
	err := k.inTime(r.Context(), call.Caller, func(ctx context.Context) (err error) {
		ciphertext, err = k.Store.Answer(ctx, k.Scope, existing.ID)
		return err
	})
	if err != nil {
		return nil, k.unavailable(err)
	}
	plaintext, err := k.Sealer.OpenState(ciphertext, purpose(&existing))
	if err != nil { // it has expired just now, or the secret key was replaced
		return nil, problem.Of(problem.IdempotencyAnswerNotKept)
	}
	answer, err := parseAnswer(plaintext)
	if err != nil {
		return nil, err
	}
	answer.send(w, existing.ID)
	return &Execution{key: existing, replayed: true}, nil
}

// purpose binds a sealed answer to its key.
func purpose(key *idempotency.Key) []byte {
	return bytes.Join([][]byte{[]byte("answer of an idempotency key"), key.TenantID[:], key.TokenID[:], key.ID[:]}, nil)
}

// enter notes that a first call is being served.
func (k *Keys) enter(id uuid.UUID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.serving[id] = struct{}{}
}

// leave notes that a first call has ended.
func (k *Keys) leave(id uuid.UUID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.serving, id)
}

// serves reports whether a first call is being served.
func (k *Keys) serves(id uuid.UUID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.serving[id]
	return ok
}
