package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
)

// StoredRequest is an operation on a response that a channel stores.
type StoredRequest struct {
	Channel *catalog.Channel
	Target  *snapshot.Target
	Origin  responseid.Origin // of the response
	Public  string            // the response's id in the client's form
	Method  string
	Path    string // the part of the path after the id, such as "/cancel"
	Query   string // URL-encoded
	Memory  Memory // for the answer, and for a copy of it in which the ids are replaced
}

// StoredResponse is the channel's answer. Body is valid JSON.
type StoredResponse struct {
	Body   []byte
	redact redactor
}

// Clean removes private data from a text of the answer.
func (a *StoredResponse) Clean(text string) string { return a.redact.clean(text) }

// Fetch sends an operation on a stored response to its channel. There is one attempt, because only that channel
// has the response. Its errors are problems: ResponseNotFound if the channel doesn't have the response,
// NoChannel if the channel's provider stores none, Overloaded or TooLarge if there is no memory for the answer.
func (c *Client) Fetch(ctx context.Context, request StoredRequest) (*StoredResponse, error) {
	store, err := request.store()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.IdleTimeout, errTimeout)
	defer cancel()
	answer := &StoredResponse{redact: request.redactor()}
	if err := c.fetch(request.request(ctx, store), answer, request.Memory); err != nil {
		return nil, storedProblem(ctx, err)
	}
	return answer, nil
}

// store returns the provider that has the response. It returns a ResponseNotFound problem for an id by which the path
// of the request might leave the path of responses: the upstream gave the id.
func (s *StoredRequest) store() (provider.ResponseStore, error) {
	store, ok := s.Target.Provider.(provider.ResponseStore)
	if !ok {
		return nil, problem.Of(problem.NoChannel)
	}
	if address.HasDots(s.Origin.ID) {
		return nil, problem.Of(problem.ResponseNotFound)
	}
	return store, nil
}

// redactor returns the redactor of answers about the response.
func (s *StoredRequest) redactor() redactor {
	return redactor{target: s.Target, upstreamID: s.Origin.ID, publicID: s.Public}
}

// request returns the HTTP request of the operation.
func (s *StoredRequest) request(ctx context.Context, store provider.ResponseStore) *http.Request {
	out := store.StoredRequest(provider.StoredResponse{
		Channel: s.Channel, Base: s.Target.Base, Credential: credentialFor(s.Target, s.Origin.Credential),
		Method: s.Method, ID: s.Origin.ID, Path: s.Path, Query: s.Query,
	})
	maps.Copy(out.Header, s.Target.Header)
	request := &http.Request{
		Method: out.Method, URL: out.URL, Header: out.Header, Host: out.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return request.WithContext(ctx)
}

// storedProblem returns the problem of a failed operation whose context was ctx.
func storedProblem(ctx context.Context, err *attemptError) error {
	switch {
	case err.code == codeNoMemory:
		return err.problem()
	case errors.Is(context.Cause(ctx), errTimeout):
		return problem.Wrap(problem.UpstreamTimeout, err)
	case ctx.Err() != nil:
		return interrupted(ctx)
	// The upstream's text would name its own id of the response.
	case err.status == http.StatusNotFound:
		return problem.Wrap(problem.ResponseNotFound, err)
	case err.refusal != nil:
		return &problem.Problem{Kind: problem.UpstreamRejected, Upstream: err.refusal}
	}
	return err.problem()
}

// credentialFor returns the credential with the hash: a response belongs to the account of its credential. If
// the channel no longer has it, credentialFor returns another enabled one, "" if there is none.
func credentialFor(target *snapshot.Target, hash responseid.CredentialHash) string {
	for i := range target.Credentials {
		if key := &target.Credentials[i]; responseid.HashCredential(key.Fingerprint) == hash {
			return key.Plain
		}
	}
	for i := range target.Credentials {
		if key := &target.Credentials[i]; !key.Disabled {
			return key.Plain
		}
	}
	return ""
}

// fetch sends the request and reads the answer.
func (c *Client) fetch(request *http.Request, answer *StoredResponse, memory Memory) *attemptError {
	response, err := answer.redact.target.Transport.RoundTrip(request)
	if err != nil {
		return &attemptError{code: codeConnect, kind: problem.UpstreamFailed, cause: err}
	}
	defer func() { _ = response.Body.Close() }() // the rest of the body is of no use
	if provider.FaultOf(response.StatusCode) != provider.NoFault {
		return c.faultOf(response, answer.redact)
	}
	answer.Body, err = readAll(request.Context(), memory, response)
	if err == nil && !json.Valid(answer.Body) {
		err = errors.New("the body is not valid JSON")
	}
	if err == nil {
		err = take(request.Context(), memory, int64(len(answer.Body))) // for the copy
	}
	if isNoMemory(err) {
		return noMemory(response, err)
	}
	if err != nil {
		return &attemptError{status: response.StatusCode, code: codeNonsense, kind: problem.UpstreamFailed, cause: err}
	}
	return nil
}
