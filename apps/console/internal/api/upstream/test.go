package upstream

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/probe"
)

// ChannelTest is the body of testChannel.
type ChannelTest struct {
	Model       string `json:"model,omitempty" maxLength:"200" doc:"Public id of one of the channel's models. Defaults to the first"`
	Endpoint    string `json:"endpoint,omitempty" enum:"chat,responses,embeddings" doc:"The endpoint that a client would call. Defaults to one whose dialect the channel speaks"`
	Fingerprint string `json:"fingerprint,omitempty" maxLength:"64" doc:"Fingerprint of the credential to use. Defaults to the first enabled one"`
}

// ChannelTested is the result of a test.
type ChannelTested struct {
	OK        bool   `json:"ok" doc:"Whether the upstream responded without an error"`
	Model     string `json:"model"`
	Endpoint  string `json:"endpoint" enum:"chat,responses,embeddings"`
	Mask      string `json:"mask" doc:"Mask of the credential"`
	Status    int    `json:"status" doc:"HTTP status of the upstream; 0 if it did not respond"`
	LatencyMS int64  `json:"latency_ms"`
	Error     string `json:"error" doc:"Error code; empty on success"`
	Detail    string `json:"detail" doc:"Error message of the upstream, at most 1,000 bytes; empty for a request with an access key"`

	ConnectMS   int64 `json:"connect_ms" doc:"Time until the connection was made, as part of latency_ms; 0 if there was none"`
	FirstByteMS int64 `json:"first_byte_ms" doc:"Time until the first byte of the response, as part of latency_ms; 0 if there was none"`
}

// ChannelDraftTest is the body of testChannelDraft: a channel that is not stored, and the model and the endpoint of the
// test.
type ChannelDraftTest struct {
	draft.NewChannel
	ChannelID *uuid.UUID `json:"channel_id,omitempty" doc:"A stored channel that the other fields would change. Its credentials are used, unless the change would make updateChannel drop them"`
	Model     string     `json:"model,omitempty" maxLength:"200" doc:"Public id of one of the channel's models. Defaults to the first"`
	Endpoint  string     `json:"endpoint,omitempty" enum:"chat,responses,embeddings" doc:"The endpoint that a client would call. Defaults to one whose dialect the channel speaks"`
}

type channelTest struct {
	api.ByID
	Body ChannelTest
}

func registerTests(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "testChannel", Method: http.MethodPost, Path: "/operator/channels/{id}/test", Tag: "operator",
		Scope: token.WriteChannels, Summary: "Test a channel with a real call",
		Description: "Sends a call that generates very few tokens. The call is not metered, and its result does not " +
			"change the channel's health. An access key may test channels with credentials only.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.testChannel)
	api.Register(h.API, api.Operation{
		ID: "testChannelDraft", Method: http.MethodPost, Path: "/operator/channels/test", Tag: "operator",
		Summary: "Test a channel before it is saved",
		Description: "Sends a call that generates very few tokens with the first of the credentials. Nothing is " +
			"stored, and the call is not metered.",
		Errors: []int{http.StatusNotFound}, Needs: permission.WritePlatform,
		Confirm: "the body contains a proxy, certificate authorities, headers that route requests, account_of, " +
			"parameters that may give prompts to others, or another destination of a stored channel",
		Body: api.DocumentBody,
	}, h.testDraft)
}

// testChannel calls the upstream from this process, with a stored credential. Relays
// take no part, so the test neither is metered nor changes a circuit breaker.
func (h *handlers) testChannel(ctx context.Context, in *channelTest) (*api.Answer[ChannelTested], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.WritePlatform); err != nil {
		return nil, err
	}
	channel, err := draft.StoredChannel(ctx, h.Store, in.ID)
	if err != nil {
		return nil, err
	}
	report, key, err := h.testOf(channel, &in.Body)
	if err != nil {
		return nil, err
	}
	if api.HasAccessKey(ctx) && key.Fingerprint == "" { // nobody has looked at its base URL yet
		return nil, problem.New(problem.Forbidden,
			"An access key may not test a channel without credentials. Sign in instead.")
	}
	h.note(ctx, channel, key, report.Model)
	return api.NewAnswer(h.try(ctx, channel, key, report)), nil
}

// testDraft tests a channel as it would be stored.
func (h *handlers) testDraft(ctx context.Context,
	in *struct{ Body ChannelDraftTest }) (*api.Answer[ChannelTested], error) {
	channel, err := h.draft(ctx, in.Body.ChannelID, &in.Body.NewChannel)
	if err != nil {
		return nil, err
	}
	if err := h.CheckChannel(channel); err != nil {
		return nil, err
	}
	report, key, err := h.testOf(channel, &ChannelTest{Model: in.Body.Model, Endpoint: in.Body.Endpoint})
	if err != nil {
		return nil, err
	}
	h.note(ctx, channel, key, at(report.Model, channel))
	return api.NewAnswer(h.try(ctx, channel, key, report)), nil
}

// try makes the call of a test and returns the test with the result.
func (h *handlers) try(ctx context.Context, channel *catalog.Channel, key probe.Credential,
	report ChannelTested) ChannelTested {
	result := h.Prober.Try(ctx, channel, key, report.Model, catalog.Dialect(report.Endpoint))
	report.OK, report.Status, report.LatencyMS = result.Error == "", result.Status, result.Latency.Milliseconds()
	report.Error, report.Detail = result.Error, result.Detail
	if api.HasAccessKey(ctx) { // it may be the answer of any server that the console reaches
		report.Detail = ""
	}
	report.ConnectMS, report.FirstByteMS = result.Connect.Milliseconds(), result.FirstByte.Milliseconds()
	return report
}

// testOf chooses what the request leaves open: the model, the endpoint and the credential of the test.
func (h *handlers) testOf(channel *catalog.Channel,
	body *ChannelTest) (report ChannelTested, key probe.Credential, err error) {
	report.Model, report.Endpoint = body.Model, body.Endpoint
	if report.Model == "" {
		report.Model = probe.ModelOf(channel)
	}
	if _, serves := channel.Models[report.Model]; !serves {
		return report, key, problem.New(problem.InvalidType,
			"The channel does not serve this model: name one of its models.").At("model")
	}
	if report.Endpoint == "" {
		report.Endpoint = string(probe.DialectOf(channel))
	}
	if key, err = h.testKey(channel, body.Fingerprint); err != nil {
		return report, key, err
	}
	report.Mask = key.Mask
	return report, key, nil
}

// testKey returns the credential with the fingerprint. For an empty fingerprint it returns the first enabled
// credential, or the first one if all are disabled. It returns the zero Credential for a channel that has none.
func (h *handlers) testKey(channel *catalog.Channel, fingerprint string) (credential probe.Credential, err error) {
	if len(channel.Credentials) == 0 && fingerprint == "" {
		return probe.Credential{}, nil
	}
	for _, key := range h.Prober.Credentials(channel) {
		switch {
		case key.Fingerprint == "":
		case key.Fingerprint == fingerprint, fingerprint == "" && channel.Disabled(key.Fingerprint) == nil:
			return key, nil
		case fingerprint == "" && credential.Fingerprint == "":
			credential = key
		}
	}
	if credential.Fingerprint == "" {
		return credential, problem.New(problem.InvalidType,
			"The channel has no credential with this fingerprint that can be decrypted.").At("fingerprint")
	}
	return credential, nil
}
