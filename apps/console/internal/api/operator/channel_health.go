package operator

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/probe"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// ChannelHealth is how a channel does.
type ChannelHealth struct {
	Credentials []CredentialHealth `json:"credentials" doc:"One entry with an empty fingerprint for a channel without credentials that was probed"`
	Relays      []RelayHealth      `json:"relays" doc:"What relays see that is not well; empty where all is"`
}

// CredentialHealth is a credential, never shown, and what is known of it.
type CredentialHealth struct {
	Mask        string     `json:"mask" doc:"Its recognisable, harmless part"`
	Fingerprint string     `json:"fingerprint" doc:"Names it; empty where it cannot be unsealed"`
	Status      string     `json:"status" enum:"enabled,disabled,unreadable" doc:"disabled: its upstream has refused it. unreadable: another secret key has sealed it"`
	Reason      string     `json:"reason,omitempty" enum:"denied,unpaid" doc:"Why it is disabled"`
	Since       *time.Time `json:"since" nullable:"true" doc:"When it was disabled"`
	Probe       *Probe     `json:"probe,omitempty" doc:"What the last probe found; absent before the first"`
}

// Probe is what a probe found.
type Probe struct {
	Status    int       `json:"status" doc:"HTTP status; 0 without an answer"`
	LatencyMS int64     `json:"latency_ms"`
	Error     string    `json:"error" doc:"Word of the failure; empty where the credential is good"`
	ProbedAt  time.Time `json:"probed_at"`
}

// RelayHealth is what one relay sees of one model on the channel.
type RelayHealth struct {
	RelayID     uuid.UUID `json:"relay_id"`
	Model       string    `json:"model" doc:"The upstream's id"`
	Fingerprint string    `json:"fingerprint" doc:"Of the credential; empty where all are concerned"`
	Mask        string    `json:"mask" doc:"Of the credential"`
	State       string    `json:"state" enum:"cooling,trial" doc:"cooling: tried after all others. trial: has rested, one call at a time tries it"`
	Error       string    `json:"error" doc:"Word of the last failure"`
	Failures    int64     `json:"failures" doc:"In a row"`
	Until       time.Time `json:"until" doc:"End of the rest"`
	SaidAt      time.Time `json:"said_at"`
}

// ChannelsHealth is how all channels do.
type ChannelsHealth struct {
	Items []HealthOfChannel `json:"items" doc:"In order of channel_id"`
}

// HealthOfChannel is how one of them does.
type HealthOfChannel struct {
	ChannelID uuid.UUID `json:"channel_id"`
	ChannelHealth
}

// EnableCredential is the body of enableChannelCredential.
type EnableCredential struct {
	Fingerprint string `json:"fingerprint" minLength:"1" maxLength:"64"`
}

// ChannelTest is the body of testChannel.
type ChannelTest struct {
	Model       string `json:"model,omitempty" maxLength:"200" doc:"Public id of one of the channel's models; the first one where absent"`
	Endpoint    string `json:"endpoint,omitempty" enum:"chat,responses" doc:"Where a client would call; the one that suits the channel where absent"`
	Fingerprint string `json:"fingerprint,omitempty" maxLength:"64" doc:"Of the credential; the first enabled one where absent"`
}

// ChannelTested is what a test found.
type ChannelTested struct {
	OK        bool   `json:"ok"`
	Model     string `json:"model"`
	Endpoint  string `json:"endpoint" enum:"chat,responses"`
	Mask      string `json:"mask" doc:"Of the credential"`
	Status    int    `json:"status" doc:"HTTP status; 0 without an answer"`
	LatencyMS int64  `json:"latency_ms"`
	Error     string `json:"error" doc:"Word of the failure"`
	Detail    string `json:"detail" doc:"What the upstream said, cut to 1,000 bytes"`

	ConnectMS   int64 `json:"connect_ms" doc:"Of the latency until there was a connection; 0 without one"`
	FirstByteMS int64 `json:"first_byte_ms" doc:"Of the latency until the answer began; 0 without one"`
}

type credentialEnable struct {
	api.ByID
	Body EnableCredential
}

type channelTest struct {
	api.ByID
	Body ChannelTest
}

func channelHealth(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getChannelHealth", Method: http.MethodGet, Path: "/operator/channels/{id}/health", Tag: "operator", Summary: "How a channel does",
		Description: "What the relays report of the channel and its credentials, and what the last probes found.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.channelHealth)
	api.Register(h.API, api.Operation{
		ID: "listChannelHealth", Method: http.MethodGet, Path: "/operator/channel-health", Tag: "operator", Summary: "How all channels do",
		Description: "What the relays report of every channel and its credentials, and what the last probes found.",
		Errors:      []int{http.StatusForbidden},
	}, h.channelsHealth)
	api.Register(h.API, api.Operation{
		ID: "enableChannelCredential", Method: http.MethodPost, Path: "/operator/channels/{id}/credentials/enable", Tag: "operator",
		Summary:     "Use a credential again that an upstream has refused",
		Description: "Relays try it again at once.", Errors: []int{http.StatusNotFound},
	}, h.enableCredential)
	api.Register(h.API, api.Operation{
		ID: "testChannel", Method: http.MethodPost, Path: "/operator/channels/{id}/test", Tag: "operator", Summary: "Try a channel with a real call",
		Description: "The call asks for a single token. It is not metered, and relays learn nothing of it.",
		Errors:      []int{http.StatusNotFound},
	}, h.testChannel)
}

func (h *handlers) channelHealth(ctx context.Context, in *api.ByID) (*api.Answer[ChannelHealth], error) {
	channel, err := h.channelNow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	health, err := h.healthOf(ctx, channel)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(health), nil
}

func (h *handlers) channelsHealth(ctx context.Context, _ *struct{}) (*api.Answer[ChannelsHealth], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	probes, err := h.Store.Catalog.Probes(ctx, api.ScopeOf(ctx), uuid.Nil)
	if err != nil {
		return nil, err
	}
	reports, err := h.Store.Catalog.ChannelHealth(ctx, api.ScopeOf(ctx), uuid.Nil)
	if err != nil {
		return nil, err
	}
	all := ChannelsHealth{Items: make([]HealthOfChannel, 0, len(snapshot.Channels()))}
	for _, channel := range snapshot.Channels() {
		all.Items = append(all.Items, HealthOfChannel{channel.ID, h.knownOf(channel, probes, reports)})
	}
	slices.SortFunc(all.Items, func(a, b HealthOfChannel) int { return bytes.Compare(a.ChannelID[:], b.ChannelID[:]) })
	return api.NewAnswer(all), nil
}

// knownOf picks what is known of one channel.
func (h *handlers) knownOf(channel *catalog.Channel, probes []catalogdb.Probe, reports []catalogdb.ChannelHealth) ChannelHealth {
	var own []catalogdb.Probe
	for _, probe := range probes {
		if probe.ChannelID == channel.ID {
			own = append(own, probe)
		}
	}
	known := ChannelHealth{Credentials: h.credentialsOf(channel, own), Relays: []RelayHealth{}}
	for i := range reports {
		if reports[i].ChannelID == channel.ID {
			known.Relays = append(known.Relays, relayHealthOf(&reports[i]))
		}
	}
	return known
}

// channelNow returns the channel with its disabled credentials.
func (h *handlers) channelNow(ctx context.Context, id uuid.UUID) (*catalog.Channel, error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	channel := snapshot.Channel(id)
	if channel == nil {
		return nil, problem.New(problem.NotFound, "no such channel")
	}
	return channel, nil
}

func (h *handlers) healthOf(ctx context.Context, channel *catalog.Channel) (ChannelHealth, error) {
	probes, err := h.Store.Catalog.Probes(ctx, api.ScopeOf(ctx), channel.ID)
	if err != nil {
		return ChannelHealth{}, err
	}
	reports, err := h.Store.Catalog.ChannelHealth(ctx, api.ScopeOf(ctx), channel.ID)
	if err != nil {
		return ChannelHealth{}, err
	}
	return h.knownOf(channel, probes, reports), nil
}

func (h *handlers) credentialsOf(channel *catalog.Channel, probes []catalogdb.Probe) []CredentialHealth {
	found := map[string]*Probe{}
	for _, p := range probes {
		found[p.Fingerprint] = &Probe{Status: p.Status, LatencyMS: p.Latency.Milliseconds(), Error: p.Error, ProbedAt: p.ProbedAt.UTC()}
	}
	all := make([]CredentialHealth, 0, len(channel.Credentials)+1)
	for _, key := range h.Prober.Credentials(channel) {
		shown := CredentialHealth{Mask: key.Mask, Fingerprint: key.Fingerprint, Status: "enabled", Probe: found[key.Fingerprint]}
		if key.Fingerprint == "" {
			shown.Status, shown.Probe = "unreadable", nil
		} else if disabled := channel.Disabled(key.Fingerprint); disabled != nil {
			shown.Status, shown.Reason, shown.Since = "disabled", string(disabled.Reason), api.NullableTime(disabled.Since)
		}
		all = append(all, shown)
	}
	if len(channel.Credentials) == 0 && found[""] != nil {
		all = append(all, CredentialHealth{Status: "enabled", Probe: found[""]})
	}
	return all
}

func relayHealthOf(h *catalogdb.ChannelHealth) RelayHealth {
	return RelayHealth{
		RelayID: h.RelayID, Model: h.Model, Fingerprint: h.Fingerprint, Mask: h.Mask, State: h.State, Error: h.Word,
		Failures: h.Failures, Until: h.Until.UTC(), SaidAt: h.SaidAt.UTC(),
	}
}

func (h *handlers) enableCredential(ctx context.Context, in *credentialEnable) (*api.Answer[ChannelHealth], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.WritePlatform); err != nil {
		return nil, err
	}
	if _, err := h.channelNow(ctx, in.ID); err != nil {
		return nil, err
	}
	_, err := h.Store.Catalog.EnableCredential(ctx, api.ScopeOf(ctx), catalogdb.Credential{ChannelID: in.ID, Fingerprint: in.Body.Fingerprint})
	if err != nil {
		return nil, err
	}
	return h.channelHealth(ctx, &in.ByID)
}

func (h *handlers) testChannel(ctx context.Context, in *channelTest) (*api.Answer[ChannelTested], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.WritePlatform); err != nil {
		return nil, err
	}
	channel, err := h.channelNow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	tested, key, err := h.testOf(channel, &in.Body)
	if err != nil {
		return nil, err
	}
	result := h.Prober.Try(ctx, channel, key, tested.Model, catalog.Dialect(tested.Endpoint))
	tested.OK, tested.Status, tested.LatencyMS = result.Error == "", result.Status, result.Latency.Milliseconds()
	tested.Error, tested.Detail = result.Error, result.Detail
	tested.ConnectMS, tested.FirstByteMS = result.Connect.Milliseconds(), result.FirstByte.Milliseconds()
	return api.NewAnswer(tested), nil
}

// testOf fills in what the test leaves open.
func (h *handlers) testOf(channel *catalog.Channel, body *ChannelTest) (tested ChannelTested, key probe.Credential, err error) {
	tested.Model, tested.Endpoint = body.Model, body.Endpoint
	if tested.Model == "" {
		tested.Model = probe.ModelOf(channel)
	}
	if _, serves := channel.Models[tested.Model]; !serves {
		return tested, key, problem.New(problem.InvalidType, "The channel does not serve the model.").At("model")
	}
	if tested.Endpoint == "" {
		tested.Endpoint = string(probe.DialectOf(channel))
	}
	if key, err = h.testKey(channel, body.Fingerprint); err != nil {
		return tested, key, err
	}
	tested.Mask = key.Mask
	return tested, key, nil
}

// testKey returns the credential with the fingerprint or, for "", the first
// that is enabled, or the first at all.
func (h *handlers) testKey(channel *catalog.Channel, fingerprint string) (chosen probe.Credential, err error) {
	if len(channel.Credentials) == 0 && fingerprint == "" {
		return probe.Credential{}, nil
	}
	for _, key := range h.Prober.Credentials(channel) {
		switch {
		case key.Fingerprint == "":
		case key.Fingerprint == fingerprint, fingerprint == "" && channel.Disabled(key.Fingerprint) == nil:
			return key, nil
		case fingerprint == "" && chosen.Fingerprint == "":
			chosen = key
		}
	}
	if chosen.Fingerprint == "" {
		return chosen, problem.New(problem.InvalidType, "The channel has no such credential that can be read.").At("fingerprint")
	}
	return chosen, nil
}
