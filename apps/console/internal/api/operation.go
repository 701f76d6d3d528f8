package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/token"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// bodyReadTimeout is the time for a body, unless Options.Patience is set. The client gets a 408 if its body takes longer.
const bodyReadTimeout = 10 * time.Second

// scopeExtension is the field of an operation in the OpenAPI document that names its Scope. The security of the operation
// names the scope too, but only in OpenAPI 3.1: earlier versions know scopes of OAuth alone.
const scopeExtension = "x-access-key-scope"

// Operation describes one operation of the API. The zero values
// suit a GET operation that only signed-in people may call.
type Operation struct {
	ID, Method, Path, Tag, Summary string // Path is below /api
	Description                    string
	Status                         int   // HTTP status of success; 0: Huma's default
	Errors                         []int // error statuses beyond those that statuses adds
	Public                         bool  // needs neither a session nor an access key
	// Scope is the scope that an access key needs for the operation; "": access keys are refused. Operations that make or
	// change people, their roles and ways to sign in, access keys, or credentials of channels have none.
	Scope token.AccessScope
	// Confirm says when the caller must have confirmed the identity lately: Always, or a condition in words, which follows
	// "if" in the documentation and whose handler calls Confirm; "": never.
	Confirm string
	// Needs is checked before the body is read; "": nothing. Operations with large bodies that not everybody may call set it.
	Needs       permission.Action
	Body        int64 // largest body in bytes; 0: 16 KiB for public operations and 64 KiB for others
	Middlewares huma.Middlewares
	Content     map[string]*huma.MediaType // content of a success that is not JSON
}

// Register adds an operation to the API and to its OpenAPI document, with the errors that it can return.
// The operation needs a session, or an access key with op.Scope, unless it is public. Its body is limited in size and
// time (body.go), and unknown query parameters are refused, so that a misspelled filter does not return everything.
func Register[I, O any](a *API, op Operation, handler func(context.Context, *I) (*O, error)) {
	full := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: "/api" + op.Path, Tags: []string{op.Tag},
		Summary: op.Summary, Description: op.description(), DefaultStatus: op.Status, Extensions: op.extensions(),
		MaxBodyBytes: op.bodyLimit() + 1, BodyReadTimeout: a.bodyTime, RejectUnknownQueryParameters: true,
		Responses: map[string]*huma.Response{}, Errors: op.statuses(), Middlewares: append(huma.Middlewares{a.admit(op), a.checkParameters}, op.Middlewares...),
		Security: op.security(),
	}
	if op.Scope != "" {
		full.Extensions[scopeExtension] = op.Scope
		full.Description += " " + op.scopeNote()
	}
	huma.Register(a.huma, full, bounded(op.Method, watched(a, &op, handler)))
	if op.Content != nil {
		full.Responses[strconv.Itoa(op.Status)].Content = op.Content
	}
	delete(full.Responses, "422") // Huma documents this status, but this API answers wrong fields with 400
}

// bounded returns a handler that refuses a body with values that could not be stored or written, see checkInput, and reads
// whose answers find no room, see Hold.
func bounded[I, O any](method string, handler func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if err := checkInput(in); err != nil {
			return nil, err
		}
		out, err := handler(ctx, in)
		if err == nil && method == http.MethodGet {
			err = Hold(ctx, storepage.Bytes(out))
		}
		return out, err
	}
}

// security lists the schemes that authenticate a call, with the scope that an access key needs. It is empty for public
// operations. The middleware authenticate enforces it.
func (op *Operation) security() []map[string][]string {
	switch {
	case op.Public:
		return []map[string][]string{}
	case op.Scope == "":
		return []map[string][]string{{cookieScheme: {}}}
	case op.Scope == token.AnyScope:
		return []map[string][]string{{cookieScheme: {}}, {keyScheme: {}}}
	}
	return []map[string][]string{{cookieScheme: {}}, {keyScheme: {string(op.Scope)}}}
}

// scopeNote tells readers of the documentation which scope an access key needs.
func (op *Operation) scopeNote() string {
	if op.Scope == token.AnyScope {
		return "Every access key may call it."
	}
	return "Access keys need the scope " + string(op.Scope) + "."
}

// statuses lists the error statuses that the operation can return, for its documentation:
// those of op.Errors and those that follow from its method and its authentication.
func (op *Operation) statuses() []int {
	all := append([]int{http.StatusBadRequest, http.StatusUnauthorized}, op.Errors...)
	if op.Scope != "" {
		all = append(all, http.StatusTooManyRequests) // the address has presented too many wrong keys
	}
	if !op.Public {
		all = append(all, http.StatusForbidden) // access keys without the scope, and sessions without a recent confirmation
	}
	if op.Method != http.MethodGet {
		all = append(all, http.StatusForbidden) // requests from pages of other origins
	}
	if op.Method != http.MethodGet && !op.Public {
		all = append(all, http.StatusTooManyRequests) // the user has made too many changes
	}
	if op.Method == http.MethodPost || op.Method == http.MethodPatch || op.Method == http.MethodPut {
		all = append(all, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
