package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
)

// Fetch implements stored.Sender.
func (c *Client) Fetch(ctx context.Context, call stored.ChannelCall) (stored.Answer, error) {
	store, err := storeOf(&call)
	if err != nil {
		return stored.Answer{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(context.Canceled)
	limits := c.limits(call.Channel, c.Now().Add(c.RequestTimeout))
	timer := c.limitHeaders(&limits, cancel)
	defer timer.Stop()
	redact := storedRedactor(&call)
	body, failure := c.fetch(storedRequest(ctx, store, &call), redact, call.Memory,
		&idleReader{timer: timer, limits: limits, now: c.Now})
	if failure != nil {
		return stored.Answer{}, storedProblem(ctx, failure)
	}
	return stored.Answer{Body: body, Clean: redact.clean}, nil
}

// limitHeaders returns a timer that cancels an operation whose upstream has not begun to answer in time.
func (c *Client) limitHeaders(l *limits, cancel context.CancelCauseFunc) *time.Timer {
	return time.AfterFunc(l.limitWait(c.Now(), l.firstFrame), func() { cancel(errTimeout) })
}

// storeOf returns the provider that has the response. It returns a ResponseNotFound problem for an id by which the path
// of the request might leave the path of responses: the upstream gave the id.
func storeOf(call *stored.ChannelCall) (provider.ResponseStore, error) {
	store, ok := call.Target.Provider.(provider.ResponseStore)
	if !ok {
		return nil, problem.Of(problem.NoChannel)
	}
	if address.HasDots(call.Origin.ID) {
		return nil, problem.Of(problem.ResponseNotFound)
	}
	return store, nil
}

// storedRedactor returns the redactor of answers about the response.
func storedRedactor(call *stored.ChannelCall) redactor {
	return redactor{target: call.Target, upstreamID: call.Origin.ID, publicID: call.Public}
}

// storedRequest returns the HTTP request of the operation.
func storedRequest(ctx context.Context, store provider.ResponseStore, call *stored.ChannelCall) *http.Request {
	out := store.StoredRequest(provider.StoredResponse{
		Channel: call.Channel, Base: call.Target.Base, Credential: credentialFor(call.Target, call.Origin.Credential),
		Method: call.Method, ID: call.Origin.ID, Path: call.Path, Query: call.Query,
	})
	maps.Copy(out.Header, call.Target.Header)
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
		return interruption(ctx)
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
func credentialFor(target *snapshot.Target, hash stored.CredentialHash) string {
	for i := range target.Credentials {
		if key := &target.Credentials[i]; stored.HashCredential(key.Fingerprint) == hash {
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

// fetch sends the request and returns the body of the answer, which it reads through idle.
func (c *Client) fetch(request *http.Request, redact redactor, memory Memory,
	idle *idleReader) ([]byte, *attemptError) {
	response, err := redact.target.Transport.RoundTrip(request)
	if err != nil {
		return nil, &attemptError{code: codeConnect, kind: problem.UpstreamFailed, cause: err}
	}
	defer func() { _ = response.Body.Close() }() // the rest of the body is of no use
	egress.Unzip(response)
	idle.ReadCloser, response.Body = response.Body, idle
	if provider.FaultOf(response.StatusCode) != provider.NoFault {
		return nil, c.faultOf(response, redact)
	}
	body, err := readAll(request.Context(), memory, response)
	if err == nil && !json.Valid(body) {
		err = errors.New("the body is not valid JSON")
	}
	if err == nil {
		err = takeMemory(request.Context(), memory, int64(len(body))) // for the copy
	}
	if isNoMemory(err) {
		return nil, noMemory(response, err)
	}
	if err != nil {
		return nil, &attemptError{status: response.StatusCode, code: codeNonsense,
			kind: problem.UpstreamFailed, cause: err}
	}
	return body, nil
}
