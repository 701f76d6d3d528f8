package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// maxOptions is the size in bytes of the largest body that is read of a request to retrieve a response.
const maxOptions = 4 << 10

// asStream makes a request that retrieves a response one for its stream, if the client asks for that with `stream`: in
// the query, or as OpenAI's client for Go does, in a body. It reads `starting_after`.
func asStream(r *http.Request, request *stored.Request) error {
	query := r.URL.Query()
	switch {
	case slices.ContainsFunc(query["stream"], isTrue):
	case bodyAsksForStream(r):
		query.Set("stream", "true")
		request.Query = query.Encode()
	default:
		return nil
	}
	request.Operation, request.After = stored.Stream, -1
	if !query.Has("starting_after") {
		return nil
	}
	sequence, err := strconv.ParseInt(query.Get("starting_after"), 10, 64)
	if err != nil || sequence < 0 || sequence == math.MaxInt64 {
		return problem.New(problem.InvalidType,
			"Invalid value for 'starting_after': expected the sequence number of an event.").At("starting_after")
	}
	request.After = sequence
	return nil
}

// bodyAsksForStream reports whether the request has a small JSON body with `stream`.
func bodyAsksForStream(r *http.Request) bool {
	if r.ContentLength <= 0 || r.ContentLength > maxOptions {
		return false
	}
	var options struct {
		Stream bool `json:"stream"`
	}
	body, err := io.ReadAll(r.Body)
	return err == nil && json.Unmarshal(body, &options) == nil && options.Stream
}

// isTrue reports whether a query value means true.
func isTrue(value string) bool {
	yes, err := strconv.ParseBool(value)
	return err == nil && yes
}

// sendStream sends the stream of a stored response.
func (a *API) sendStream(w http.ResponseWriter, r *http.Request, request stored.Request) error {
	opening := tap.Open(w, catalog.Responses, a.Timeouts, &a.buffers)
	opening.Resume(request.ID, request.After)
	reply, err := a.Stored.Do(r.Context(), request)
	opening.EndComments()
	if err != nil {
		return opening.Fail(err)
	}
	defer reply.Stream.Close()
	if reply.Channel != "" {
		w.Header()["X-Tollgate-Channel"] = []string{reply.Channel}
	}
	timeouts := a.Timeouts
	timeouts.IdleTimeout = cmp.Or(reply.IdleTimeout, timeouts.IdleTimeout)
	delivery, result := opening.Deliver(r.Context(), tap.Options{
		Source: reply.Stream, Dialect: catalog.Responses, Upstream: reply.Stream, Timeouts: timeouts,
		Buffers: &a.buffers,
	})
	// An error of Finish and Fail means that the client has disconnected.
	switch {
	case result.End == tap.Completed:
		_ = delivery.Finish()
	case result.End == tap.ClientGone, errors.Is(result.Cause, io.EOF) && result.SinceUsage == 0:
		// There are no events after the client's last one.
		delivery.Abandon()
	case problem.Is(result.Cause, problem.Overloaded), problem.Is(result.Cause, problem.TooLarge):
		_ = delivery.Fail(problem.From(result.Cause)) // there was no memory for an event
	default:
		_ = delivery.Fail(problem.New(problem.UpstreamFailed,
			"The upstream ended the stream before the end of its answer. Please try again."))
	}
	return nil
}
