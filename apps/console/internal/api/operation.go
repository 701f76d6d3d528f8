package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

const (
	maxBodyBytes    = 1<<20 + 1 // Huma refuses a body of exactly the limit
	bodyReadTimeout = 10 * time.Second
)

// Operation describes one operation.
type Operation struct {
	ID, Method, Path, Tag, Summary string
	Description                    string
	Status                         int   // of success
	Errors                         []int // beyond those that every operation has
	Public                         bool  // needs no session
	Person                         bool  // not for access keys
	Middlewares                    huma.Middlewares
	Content                        map[string]*huma.MediaType // of a success that is no JSON
}

// Register adds an operation: a session needed, bodies bounded, unknown query
// parameters refused, and the errors it can answer with documented.
func Register[I, O any](a *API, op Operation, handler func(context.Context, *I) (*O, error)) {
	full := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: "/api" + op.Path, Tags: []string{op.Tag},
		Summary: op.Summary, Description: op.Description, DefaultStatus: op.Status,
		MaxBodyBytes: maxBodyBytes, BodyReadTimeout: bodyReadTimeout, RejectUnknownQueryParameters: true,
		Responses: map[string]*huma.Response{}, Errors: op.statuses(), Middlewares: op.Middlewares,
		Security: op.security(),
	}
	huma.Register(a.huma, full, handler)
	if op.Content != nil {
		full.Responses[strconv.Itoa(op.Status)].Content = op.Content
	}
	delete(full.Responses, "422") // Huma documents it; wrong fields are answered with 400
}

// security lists what authenticates a call, nothing for public operations.
func (op *Operation) security() []map[string][]string {
	switch {
	case op.Public:
		return []map[string][]string{}
	case op.Person:
		return []map[string][]string{{cookieScheme: {}}}
	}
	return []map[string][]string{{cookieScheme: {}}, {keyScheme: {}}}
}

// statuses lists the error statuses that the operation can answer with.
func (op *Operation) statuses() []int {
	all := append([]int{http.StatusBadRequest, http.StatusUnauthorized}, op.Errors...)
	if !op.Public && !op.Person {
		all = append(all, http.StatusTooManyRequests) // too many keys that are none
	}
	if op.Person {
		all = append(all, http.StatusForbidden)
	}
	if op.Method != http.MethodGet {
		all = append(all, http.StatusForbidden) // requests from other origins
	}
	if op.Method == http.MethodPost || op.Method == http.MethodPatch {
		all = append(all, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
