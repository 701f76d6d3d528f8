package resume

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

const (
	saveTimeout = 2 * time.Second // a client waits at most so long for its response to be saved
	readTimeout = 5 * time.Second
)

// Store is the database of the responses.
type Store interface {
	Reader
	CreateResponse(ctx context.Context, scope tenant.Scope, r responsedb.Response) error
	DeleteResponse(ctx context.Context, scope tenant.Scope, tenantID, id uuid.UUID) error
}

// Reader finds the responses of a tenant.
type Reader interface {
	Response(ctx context.Context, scope tenant.Scope, tenantID, id uuid.UUID) (responsedb.Response, error)
	Conversation(ctx context.Context, scope tenant.Scope, tenantID, id uuid.UUID) ([]responsedb.Response, error)
	Excerpts(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, of responsedb.Excerpt) ([]responsedb.Response, error)
}

// Options of Responses.
type Options struct {
	Store     Store
	Scope     tenant.Scope
	Retention time.Duration // of each response
	Now       func() time.Time
}

// Responses stores the responses that no upstream stores. It is safe for
// concurrent use.
type Responses struct{ Options }

// NewResponses returns the responses in the store.
func NewResponses(o Options) *Responses { return &Responses{o} }

const prefix = "resp_"

// idOf returns the id of the response to a request.
func idOf(request uuid.UUID) string { return prefix + hex.EncodeToString(request[:]) }

// ParseID returns the request that a response id names, false if no stored response
// can have that id.
func ParseID(id string) (request uuid.UUID, ok bool) {
	digits, ok := strings.CutPrefix(id, prefix)
	if !ok || len(digits) != hex.EncodedLen(len(request)) {
		return uuid.Nil, false
	}
	_, err := hex.Decode(request[:], []byte(digits))
	return request, err == nil && idOf(request) == id
}

// Save stores a response, whether its client is still there or not. It sets the
// expiry, and gives up after two seconds.
func (r *Responses) Save(ctx context.Context, response responsedb.Response) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	response.ExpiresAt = r.Now().Add(r.Retention)
	if err := r.Store.CreateResponse(ctx, r.Scope, response); err != nil {
		return fmt.Errorf("save response: %w", err)
	}
	return nil
}

// Conversation returns a tenant's response and all that it continues, oldest
// first. Its problems are NotFound, TooLarge, and Overloaded while the database
// does not answer.
func (r *Responses) Conversation(ctx context.Context, tenantID, id uuid.UUID) ([]responsedb.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	turns, err := r.Store.Conversation(ctx, r.Scope, tenantID, id)
	return turns, failed("load conversation", err)
}

// Get returns a tenant's response. Its problems are NotFound, and Overloaded while
// the database does not answer.
func (r *Responses) Get(ctx context.Context, tenantID, id uuid.UUID) (responsedb.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	response, err := r.Store.Response(ctx, r.Scope, tenantID, id)
	return response, failed("load response", err)
}

// Delete deletes a tenant's response. Its problems are those of Get.
func (r *Responses) Delete(ctx context.Context, tenantID, id uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return failed("delete response", r.Store.DeleteResponse(ctx, r.Scope, tenantID, id))
}

// failed wraps an error of the store. While the database does not answer it is an
// Overloaded problem.
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
