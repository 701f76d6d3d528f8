package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
)

// StoredRequest is an operation on a response that a channel stores.
type StoredRequest struct {
	Channel *catalog.Channel
	Target  *snapshot.Target
	Origin  responseid.Origin // of the response
	Public  string            // what the client knows it as
	Method  string
	Path    string // what comes after the id, such as "/cancel"
	Query   string // encoded
}

// StoredResponse is the channel's answer, valid JSON.
type StoredResponse struct {
	Body   []byte
	hidden private
}

// Clean takes out of the answer's texts what is private.
func (a *StoredResponse) Clean(text string) string { return a.hidden.clean(text) }

// Fetch sends an operation on a stored response to its channel. Its errors are
// problems.
func (c *Client) Fetch(ctx context.Context, kept StoredRequest) (*StoredResponse, error) {
	keeper, ok := kept.Target.Provider.(provider.ResponseStore)
	if !ok {
		return nil, problem.Of(problem.NoChannel)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.IdleTimeout, errTimeout)
	defer cancel()
	out := keeper.StoredRequest(provider.StoredResponse{
		Channel: kept.Channel, Base: kept.Target.Base, Credential: credentialFor(kept.Target, kept.Origin.Credential),
		Method: kept.Method, ID: kept.Origin.ID, Path: kept.Path, Query: kept.Query,
	})
	maps.Copy(out.Header, kept.Target.Header)
	request := &http.Request{
		Method: out.Method, URL: out.URL, Header: out.Header, Host: out.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	answer := &StoredResponse{hidden: private{target: kept.Target, upstreamID: kept.Origin.ID, publicID: kept.Public}}
	err := c.fetch(request.WithContext(ctx), answer)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(context.Cause(ctx), errTimeout):
		return nil, problem.Wrap(problem.UpstreamTimeout, err)
	case ctx.Err() != nil:
		return nil, interrupted(ctx)
	case err.status == http.StatusNotFound:
		return nil, problem.Wrap(problem.ResponseNotFound, err)
	case err.refusal != nil:
		return nil, &problem.Problem{Kind: problem.UpstreamRejected, Upstream: err.refusal}
	}
	return nil, err.problem()
}

// credentialFor returns the wanted credential, another one if the channel no
// longer has it, "" if it has none.
func credentialFor(target *snapshot.Target, wanted responseid.CredentialHash) string {
	for i := range target.Credentials {
		if key := &target.Credentials[i]; responseid.HashCredential(key.Fingerprint) == wanted {
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

func (c *Client) fetch(request *http.Request, answer *StoredResponse) *attemptError {
	response, err := answer.hidden.target.Transport.RoundTrip(request)
	if err != nil {
		return &attemptError{word: "connect", kind: problem.UpstreamFailed, cause: err}
	}
	defer func() { _ = response.Body.Close() }() // what is left of it is of no use
	if provider.FaultOf(response.StatusCode) != provider.NoFault {
		return c.faultOf(response, answer.hidden)
	}
	answer.Body, err = readAll(response)
	if err == nil && !json.Valid(answer.Body) {
		err = errors.New("not JSON")
	}
	if err != nil {
		return &attemptError{status: response.StatusCode, word: "nonsense", kind: problem.UpstreamFailed, cause: err}
	}
	return nil
}
