package stored

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

const (
	saveTimeout = 2 * time.Second // upper bound of the delay that saving adds for the client
	readTimeout = 5 * time.Second
)

// Store stores responses in the database.
type Store interface {
	Reader
	CreateResponse(ctx context.Context, scope tenant.Scope, r responsedb.Response) error
	DeleteResponse(ctx context.Context, scope tenant.Scope, reach tenant.Reach, id uuid.UUID) error
}

// Reader loads responses within reach.
type Reader interface {
	Response(ctx context.Context, scope tenant.Scope, reach tenant.Reach, id uuid.UUID) (responsedb.Response, error)
	Conversation(ctx context.Context, scope tenant.Scope, reach tenant.Reach,
		id uuid.UUID) ([]responsedb.Response, error)
	Excerpts(ctx context.Context, scope tenant.Scope, reach tenant.Reach,
		excerpt responsedb.Excerpt) ([]responsedb.Response, error)
}

// Options configures Responses. All fields are required.
type Options struct {
	Store     Store
	Memory    *memory.Budget // for large responses; tenants share it
	Scope     tenant.Scope
	Retention time.Duration // how long each response is stored
	Now       func() time.Time
}

const (
	// largeResponse is the size in bytes up to which a response takes nothing from the memory budget.
	largeResponse = 256 << 10
	// savedCopies is the memory that the statement uses which stores a response, in sizes of the response: its bytes
	// are written as hexadecimal text, which is copied as it grows.
	savedCopies = 6
)

// Responses stores the responses that no upstream stores. It is safe for concurrent use.
type Responses struct{ Options }

// NewResponses returns Responses with the options.
func NewResponses(o Options) *Responses { return &Responses{o} }

// prefix begins all response ids, as at OpenAI.
const prefix = "resp_"

// NewID returns an id for a response that no upstream stores: 128 random bits.
func NewID() (id uuid.UUID) {
	rand.Read(id[:]) // it never returns an error; if the system has no random source, the program crashes
	return id
}

// idOf returns the response id that clients see.
func idOf(response uuid.UUID) string { return prefix + hex.EncodeToString(response[:]) }

// ParseID returns the id in the database of the response with the id that clients see. ok is false if no response in
// the database can have that id.
func ParseID(id string) (response uuid.UUID, ok bool) {
	digits, ok := strings.CutPrefix(id, prefix)
	if !ok || len(digits) != hex.EncodedLen(len(response)) {
		return uuid.Nil, false
	}
	// hex.Decode also accepts upper case, so the id is compared with the only form that idOf writes.
	_, err := hex.Decode(response[:], []byte(digits))
	return response, err == nil && idOf(response) == id
}

// Save stores a response with its expiry. It ignores a cancellation of ctx, because the client may continue the
// response after a disconnect, and it gives up after two seconds. A large response may wait in this time for memory.
func (r *Responses) Save(ctx context.Context, response responsedb.Response) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if size := int64(len(response.Input) + len(response.Body)); size > largeResponse {
		// No more than half of the budget: a response that needs more could never be stored.
		use, err := r.Memory.Take(ctx,
			memory.Body{Tenant: response.TenantID, First: min(size*savedCopies, r.Memory.Stats().Size/2)})
		if err != nil {
			return fmt.Errorf("save response: %w", err)
		}
		defer use.Release()
	}
	response.ExpiresAt = r.Now().Add(r.Retention)
	if err := r.Store.CreateResponse(ctx, r.Scope, response); err != nil {
		return fmt.Errorf("save response: %w", err)
	}
	return nil
}

// conversation loads a response within reach and all responses that it continues, oldest first. It returns a
// NotFound or TooLarge problem, or Overloaded if the database doesn't answer.
func (r *Responses) conversation(ctx context.Context, reach tenant.Reach, id uuid.UUID) ([]responsedb.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	turns, err := r.Store.Conversation(ctx, r.Scope, reach, id)
	return turns, failed("load conversation", err)
}

// load loads a response within reach. It returns a NotFound problem, or Overloaded if the database doesn't answer.
func (r *Responses) load(ctx context.Context, reach tenant.Reach, id uuid.UUID) (responsedb.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	response, err := r.Store.Response(ctx, r.Scope, reach, id)
	return response, failed("load response", err)
}

// remove deletes a response within reach. Its problems are the same as those of load.
func (r *Responses) remove(ctx context.Context, reach tenant.Reach, id uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return failed("delete response", r.Store.DeleteResponse(ctx, r.Scope, reach, id))
}

// failed adds the operation to an error of the store. A transient error becomes an Overloaded problem.
func failed(operation string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", operation, err)
	if db.Transient(err) {
		return problem.Wrap(problem.Overloaded, err).After(time.Second)
	}
	return err
}
