// Package resume keeps the responses that no upstream keeps: those that were
// made here of what a channel said in another dialect. They are in the
// database, so that any relay finds them, and every one of them is its
// tenant's alone.
package resume

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/response"
)

const (
	keepTime = 2 * time.Second // for which a client waits for its response to be kept
	readTime = 5 * time.Second
)

// Store is where the responses are.
type Store interface {
	Reader
	CreateResponse(ctx context.Context, scope tenant.Scope, r response.Response) error
	DeleteResponse(ctx context.Context, scope tenant.Scope, tenantID, id uuid.UUID) error
}

// Reader finds the responses of a tenant.
type Reader interface {
	Response(ctx context.Context, scope tenant.Scope, tenantID, id uuid.UUID) (response.Response, error)
	Conversation(ctx context.Context, scope tenant.Scope, tenantID, id uuid.UUID) ([]response.Response, error)
	Excerpts(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, of response.Excerpt) ([]response.Response, error)
}

// Options of a History.
type Options struct {
	Store     Store
	Scope     tenant.Scope
	Retention time.Duration // for which clients find a response
	Now       func() time.Time
}

// History is safe for concurrent use.
type History struct{ Options }

// New returns the history that is in the store.
func New(o Options) *History { return &History{o} }

const prefix = "resp_"

// IDOf returns what clients call the response of a request.
func IDOf(request uuid.UUID) string { return prefix + hex.EncodeToString(request[:]) }

// Parse returns the request whose response a client calls by the id, false
// where it is no id of a response that could be here.
func Parse(id string) (request uuid.UUID, ok bool) {
	digits, ok := strings.CutPrefix(id, prefix)
	if !ok || len(digits) != hex.EncodedLen(len(request)) {
		return uuid.Nil, false
	}
	_, err := hex.Decode(request[:], []byte(digits))
	return request, err == nil && IDOf(request) == id
}

// Keep keeps a response, within a bounded time and whether its client is still
// there or not. Its expiry is set here.
func (h *History) Keep(ctx context.Context, r response.Response) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	r.ExpiresAt = h.Now().Add(h.Retention)
	return h.Store.CreateResponse(ctx, h.Scope, r)
}

// Turns returns a tenant's response and all that it goes on from, oldest first.
// Its errors are problems: NotFound, TooLarge, and Overloaded where the database
// does not answer.
func (h *History) Turns(ctx context.Context, tenantID, id uuid.UUID) ([]response.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	turns, err := h.Store.Conversation(ctx, h.Scope, tenantID, id)
	return turns, away(err)
}

// Response returns a tenant's response. Its errors are problems: NotFound, and
// Overloaded where the database does not answer.
func (h *History) Response(ctx context.Context, tenantID, id uuid.UUID) (response.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	r, err := h.Store.Response(ctx, h.Scope, tenantID, id)
	return r, away(err)
}

// Delete deletes a tenant's response. Its errors are those of Response.
func (h *History) Delete(ctx context.Context, tenantID, id uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return away(h.Store.DeleteResponse(ctx, h.Scope, tenantID, id))
}

// away is what a client is told while the database does not answer.
func away(err error) error {
	if db.Transient(err) {
		return problem.Wrap(problem.Overloaded, err).After(time.Second)
	}
	return err
}
