package operator

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/token"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// ChannelHealth holds what is known about the health of a channel:
// the state of its credentials, and the faults that relays report.
type ChannelHealth struct {
	State            ChannelState       `json:"state" enum:"healthy,degraded,failing,unknown" doc:"State of an enabled channel, by all of its credentials and faults. failing: no credential works. degraded: a credential does not work, or a relay reports a fault that concerns all tenants. unknown: nothing has failed, and no probe has succeeded"`
	Credentials      []CredentialHealth `json:"credentials" doc:"State of each credential. A channel without credentials has one entry with an empty fingerprint once it was probed. A list of channels has the first 20 of each channel"`
	CredentialsCount int                `json:"credentials_count" doc:"Number of the entries of credentials"`
	Relays           []RelayHealth      `json:"relays" doc:"Faults that relays report; empty if there are none. A list of channels has the first 20 of each channel"`
	RelaysCount      int                `json:"relays_count" doc:"Number of these faults"`
}

// ChannelState is the state of an enabled channel.
type ChannelState string

// The states.
const (
	channelHealthy  ChannelState = "healthy"
	channelDegraded ChannelState = "degraded"
	channelFailing  ChannelState = "failing"
	channelUnknown  ChannelState = "unknown"
)

// state returns the state of an enabled channel with these credentials and faults. A fault of single tenants does not
// count: their own requests may be the cause. Neither does a credential that no probe has checked.
func (h *ChannelHealth) state() ChannelState {
	failures, hasProbe := 0, false
	for _, c := range h.Credentials {
		if c.Status != "enabled" || c.Probe != nil && c.Probe.Error != "" {
			failures++
		}
		hasProbe = hasProbe || c.Status == "enabled" && c.Probe != nil
	}
	isFault := func(r RelayHealth) bool { return len(r.Tenants) == 0 }
	switch {
	case failures > 0 && failures == len(h.Credentials):
		return channelFailing
	case failures > 0 || slices.ContainsFunc(h.Relays, isFault):
		return channelDegraded
	case hasProbe:
		return channelHealthy
	}
	return channelUnknown
}

// CredentialHealth describes the state of a credential, which it names by mask and fingerprint only.
type CredentialHealth struct {
	Mask        string     `json:"mask" doc:"Part of the credential by which people recognize it"`
	Fingerprint string     `json:"fingerprint" doc:"Identifies the credential; empty if it cannot be decrypted"`
	Status      string     `json:"status" enum:"enabled,disabled,unreadable" doc:"disabled: the upstream refused it. unreadable: it was encrypted with another secret key"`
	Reason      string     `json:"reason,omitempty" enum:"denied,unpaid" doc:"Why it is disabled. denied: the upstream does not accept it. unpaid: its account has no money or quota left"`
	Since       *time.Time `json:"since" nullable:"true" doc:"When it was disabled; null otherwise"`
	Probe       *Probe     `json:"probe,omitempty" doc:"Result of the last probe; absent if there was none"`
}

// Probe is the result of a probe, with which the worker checks channels at intervals.
type Probe struct {
	Status    int       `json:"status" doc:"HTTP status of the upstream; 0 if it did not respond"`
	LatencyMS int64     `json:"latency_ms"`
	Error     string    `json:"error" doc:"Error code; empty if the credential works"`
	ProbedAt  time.Time `json:"probed_at"`
}

// RelayHealth describes a fault that one relay reports for one
// model of the channel: the state of its circuit breaker.
type RelayHealth struct {
	RelayID     uuid.UUID   `json:"relay_id"`
	Tenants     []uuid.UUID `json:"tenants" doc:"Ids of the only tenants whose calls the fault concerns, at most 100; empty if it concerns all tenants. A list of channels has the first 20"`
	Count       int         `json:"tenants_count" doc:"Number of these tenants"`
	Model       string      `json:"model" doc:"Id of the model at the upstream; empty if the relay cannot reach the channel"`
	Fingerprint string      `json:"fingerprint" doc:"Fingerprint of the credential; empty if the fault concerns all credentials"`
	Mask        string      `json:"mask" doc:"Mask of the credential"`
	State       string      `json:"state" enum:"cooling,trial" doc:"cooling: used only after all other channels. trial: one call at a time tests whether it works again"`
	Error       string      `json:"error" doc:"Error code of the last failure"`
	Failures    int64       `json:"failures" doc:"Number of consecutive failures"`
	Until       time.Time   `json:"until" doc:"When the state changes from cooling to trial, or when the relay probes the channel again"`
	SaidAt      time.Time   `json:"said_at" doc:"When the relay reported the fault"`
}

// ChannelsHealth holds the health of all channels.
type ChannelsHealth struct {
	Items []HealthOfChannel `json:"items" doc:"Ordered by channel_id"`
	Next  string            `json:"next" doc:"Pass it as after to get the following channels; empty if there are none. A page ends at about 1 MiB"`
}

type channelsHealthQuery struct {
	part.AfterQuery
	part.CompleteQuery
}

// HealthOfChannel holds the health of one channel in a list of channels.
type HealthOfChannel struct {
	ChannelID uuid.UUID `json:"channel_id"`
	ChannelHealth
}

// EnableCredential is the body of enableChannelCredential.
type EnableCredential struct {
	Fingerprint string `json:"fingerprint" minLength:"1" maxLength:"64" doc:"Fingerprint of the credential, as getChannelHealth returns it"`
}

type enableCredentialInput struct {
	api.ByID
	Body EnableCredential
}

func registerChannelHealth(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getChannelHealth", Method: http.MethodGet, Path: "/operator/channels/{id}/health", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Get the health of a channel",
		Description: "Returns what relays report about the channel and its credentials, and the results of the last " +
			"probes.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.channelHealth)
	api.Register(h.API, api.Operation{
		ID: "listChannelHealth", Method: http.MethodGet, Path: "/operator/channel-health", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "List the health of all channels",
		Description: "Returns what relays report about each channel and its credentials, and the results of the " +
			"last probes. Each channel has the first 20 of its credentials, faults and their tenants; " +
			"getChannelHealth has all.",
		Errors: []int{http.StatusForbidden},
	}, h.channelsHealth)
	api.Register(h.API, api.Operation{
		ID: "enableChannelCredential", Method: http.MethodPost, Path: "/operator/channels/{id}/credentials/enable",
		Tag:         "operator",
		Summary:     "Enable a credential that an upstream refused",
		Description: "Relays use the credential again at once.", Errors: []int{http.StatusNotFound},
	}, h.enableCredential)
}

func (h *handlers) channelHealth(ctx context.Context, in *api.ByID) (*api.Answer[ChannelHealth], error) {
	channel, err := draft.StoredChannel(ctx, h.Store, in.ID)
	if err != nil {
		return nil, err
	}
	health, err := h.healthOf(ctx, channel)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(health), nil
}

// channelsHealth reads the probes and the reports of all channels
// with one query each, and then selects those of each channel.
func (h *handlers) channelsHealth(ctx context.Context, in *channelsHealthQuery) (*api.Answer[ChannelsHealth], error) {
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
	channels := snapshot.Channels()
	slices.SortFunc(channels, func(a, b *catalog.Channel) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	key := func(c *catalog.Channel) string { return c.ID.String() }
	page, err := part.Of(storepage.OldestFirst, in.After, channels, key,
		func(c *catalog.Channel) (HealthOfChannel, bool) {
			health := h.knownOf(c, probes, reports)
			if !in.Complete {
				health = shortened(health)
			}
			return HealthOfChannel{c.ID, health}, true
		})
	return api.NewAnswer(ChannelsHealth(page)), err
}

// shortened returns the health with the first members of its lists, for a list of channels.
func shortened(h ChannelHealth) ChannelHealth {
	h.Credentials, h.Relays = part.Few(h.Credentials), part.Few(h.Relays)
	for i := range h.Relays {
		h.Relays[i].Tenants = part.Few(h.Relays[i].Tenants)
	}
	return h
}

// knownOf selects the probes and reports of one channel from those of all channels.
func (h *handlers) knownOf(channel *catalog.Channel, probes []catalogdb.Probe,
	reports []catalogdb.ChannelHealth) ChannelHealth {
	var channelProbes []catalogdb.Probe
	for _, probe := range probes {
		if probe.ChannelID == channel.ID {
			channelProbes = append(channelProbes, probe)
		}
	}
	health := ChannelHealth{Credentials: h.credentialsOf(channel, channelProbes), Relays: []RelayHealth{}}
	for i := range reports {
		if reports[i].ChannelID == channel.ID {
			health.Relays = append(health.Relays, relayHealthOf(&reports[i]))
		}
	}
	health.CredentialsCount, health.RelaysCount = len(health.Credentials), len(health.Relays)
	health.State = health.state()
	return health
}

// healthOf reads the probes and the reports of one channel.
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

// credentialsOf lists the channel's credentials with their last probes.
// The probe of a channel without credentials has an empty fingerprint.
func (h *handlers) credentialsOf(channel *catalog.Channel, probes []catalogdb.Probe) []CredentialHealth {
	lastProbes := map[string]*Probe{}
	for _, p := range probes {
		lastProbes[p.Fingerprint] = &Probe{Status: p.Status, LatencyMS: p.Latency.Milliseconds(), Error: p.Error,
			ProbedAt: p.ProbedAt.UTC()}
	}
	list := make([]CredentialHealth, 0, len(channel.Credentials)+1)
	for _, key := range h.Prober.Credentials(channel) {
		body := CredentialHealth{Mask: key.Mask, Fingerprint: key.Fingerprint, Status: "enabled",
			Probe: lastProbes[key.Fingerprint]}
		if key.Fingerprint == "" {
			body.Status, body.Probe = "unreadable", nil
		} else if entry := channel.Disabled(key.Fingerprint); entry != nil {
			body.Status, body.Reason, body.Since = "disabled", string(entry.Reason), null.Time(entry.Since)
		}
		list = append(list, body)
	}
	if len(channel.Credentials) == 0 && lastProbes[""] != nil {
		list = append(list, CredentialHealth{Status: "enabled", Probe: lastProbes[""]})
	}
	return list
}

func relayHealthOf(h *catalogdb.ChannelHealth) RelayHealth {
	return RelayHealth{
		RelayID: h.RelayID, Tenants: append([]uuid.UUID{}, h.Tenants...), Count: len(h.Tenants), Model: h.Model,
		Fingerprint: h.Fingerprint, Mask: h.Mask, State: h.State, Error: h.Code,
		Failures: h.Failures, Until: h.Until.UTC(), SaidAt: h.SaidAt.UTC(),
	}
}

// enableCredential enables a credential that relays have disabled, and returns the new
// health of the channel. It is idempotent: a credential that is not disabled stays enabled.
func (h *handlers) enableCredential(ctx context.Context,
	in *enableCredentialInput) (*api.Answer[ChannelHealth], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.WritePlatform); err != nil {
		return nil, err
	}
	if _, err := draft.StoredChannel(ctx, h.Store, in.ID); err != nil {
		return nil, err
	}
	_, err := h.Store.Catalog.EnableCredential(ctx, api.ScopeOf(ctx),
		catalogdb.Credential{ChannelID: in.ID, Fingerprint: in.Body.Fingerprint})
	if err != nil {
		return nil, err
	}
	return h.channelHealth(ctx, &in.ByID)
}
