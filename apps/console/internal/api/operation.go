package api

import (
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/token"
)

// The largest bodies in bytes. An operation that needs more than the default of its kind says so in Operation.Body.
const (
	publicBody = 16 << 10 // of a client that is not signed in
	smallBody  = 64 << 10 // of most operations

	ListBody     = 512 << 10 // for lists of 1,000 models and 1,000 addresses
	DocumentBody = 1 << 20   // for manifests, certificates and prompts
	ForwardBody  = 4 << 20   // for calls that are passed on to the relay
)

// Always is the value of Operation.Confirm of an operation that needs a confirmation at each call.
const Always = "always"

// confirmExtension is the field of an operation in the OpenAPI document that holds Operation.Confirm.
const confirmExtension = "x-confirmation"

// scopeExtension is the field of an operation in the OpenAPI document that names its Scope. The security of the
// operation names the scope too, but only in OpenAPI 3.1: earlier versions know scopes of OAuth alone.
const scopeExtension = "x-access-key-scope"

// Operation describes one operation of the API. The zero values
// suit a GET operation that only signed-in people may call.
type Operation struct {
	ID, Method, Path, Tag, Summary string // Path is below /api
	Description                    string
	Status                         int   // HTTP status of success; 0: Huma's default
	Errors                         []int // error statuses beyond those that statuses adds
	Public                         bool  // needs neither a session nor an access key
	// Scope is the scope that an access key needs for the operation; "": access keys are refused. Operations that make
	// or change people, their roles and ways to sign in, access keys, or credentials of channels have none.
	Scope token.AccessScope
	// Confirm says when the caller must have confirmed the identity lately: Always, or a condition in words, which
	// follows "if" in the documentation and whose handler calls Confirm; "": never.
	Confirm string
	// Needs is checked before the body is read; "": nothing. Operations with large bodies that not everybody may call
	// set it.
	Needs       permission.Action
	Body        int64 // largest body in bytes; 0: 16 KiB for public operations and 64 KiB for others
	NoEntry     bool  // adds no entry of its own to the audit log, as no GET operation does: calls are no changes
	Middlewares huma.Middlewares
	Content     map[string]*huma.MediaType // content of a success that is not JSON
}

// bodyLimit returns the largest body of the operation in bytes.
func (op *Operation) bodyLimit() int64 {
	switch {
	case op.Body > 0:
		return op.Body
	case op.Public:
		return publicBody
	}
	return smallBody
}

// changes reports whether calls of the operation count as changes.
func (op *Operation) changes() bool { return op.Method != http.MethodGet && !op.NoEntry }

// description returns the description of the operation with what it says about confirmations.
func (op *Operation) description() string {
	switch op.Confirm {
	case "":
		return op.Description
	case Always:
		return op.Description + " Needs a confirmation that is not older than 15 minutes, see createConfirmation."
	}
	return op.Description + " Needs a confirmation that is not older than 15 minutes, see createConfirmation, if " +
		op.Confirm + "."
}

// extensions returns the fields of the operation in the OpenAPI document that the specification does not define.
func (op *Operation) extensions() map[string]any {
	ext := map[string]any{}
	if op.Confirm != "" {
		ext[confirmExtension] = op.Confirm
	}
	return ext
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
	// Every operation is refused with 503 if too many requests, bodies or answers are under way.
	statuses := append([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusServiceUnavailable},
		op.Errors...)
	if op.Scope != "" {
		statuses = append(statuses, http.StatusTooManyRequests) // the address has presented too many wrong keys
	}
	if !op.Public {
		// Access keys without the scope, and sessions without a recent confirmation.
		statuses = append(statuses, http.StatusForbidden)
	}
	if op.Method != http.MethodGet {
		statuses = append(statuses, http.StatusForbidden) // requests from pages of other origins
	}
	if op.changes() && !op.Public {
		statuses = append(statuses, http.StatusTooManyRequests) // the user has made too many changes
	}
	if op.Method == http.MethodPost || op.Method == http.MethodPatch || op.Method == http.MethodPut {
		statuses = append(statuses, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}
