package operator

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// ChannelSettings holds the differences of a channel from the
// defaults of its type. A setting that is not set is empty.
type ChannelSettings struct {
	Headers       map[string]string          `json:"headers" doc:"Headers that are set on each request to the upstream"`
	HeaderCount   int                        `json:"headers_count" doc:"Number of these headers"`
	Parameters    map[string]json.RawMessage `json:"parameters" doc:"Fields that are set at the top level of each request body. A null value removes the field"`
	FieldCount    int                        `json:"parameters_count" doc:"Number of these fields"`
	SystemPrompt  string                     `json:"system_prompt" doc:"Text that is put before the instructions of each request"`
	APIVersion    string                     `json:"api_version" doc:"Version of the upstream's API, for types with dated versions"`
	AccountOf     string                     `json:"account_of" doc:"Slug of the tenant to which the upstream's account belongs alone; empty if tenants share it"`
	Quirks        []string                   `json:"quirks" maxItems:"20" doc:"Differences of an OpenAI-compatible server from OpenAI's protocol"`
	Lacks         []string                   `json:"lacks" maxItems:"20" doc:"Features that the upstream does not support. Calls that need one are not sent to this channel"`
	IgnoredFields string                     `json:"ignored_fields" enum:"report,refuse" doc:"Whether calls may go to this channel of which the relay ignores something: a field that only restricts the answer or gives a hint, if the channel's API does not have it, or an optional tool of the provider that no channel has. report: it is ignored, and listed in the header x-tollgate-ignored-fields and in the usage log. refuse: such calls are not sent to this channel"`
	Proxy         string                     `json:"proxy" doc:"URL of the proxy that leads to the upstream, without its credentials"`
	Authorities   []Authority                `json:"authorities" doc:"Certificate authorities that are trusted instead of the system's"`
	Trusted       int                        `json:"authorities_count" doc:"Number of certificate authorities"`

	ConnectTimeout   string `json:"connect_timeout" doc:"Time-out of one connection attempt, such as 5s; empty: the relay's default"`
	FirstByteTimeout string `json:"first_byte_timeout" doc:"Time-out until the first byte of a response, such as 5m; empty: the relay's default"`
	IdleTimeout      string `json:"idle_timeout" doc:"Longest silence during a response, such as 90s; empty: the relay's default"`
}

// Authority describes the certificate of a trusted certificate authority.
type Authority struct {
	Subject   string    `json:"subject"`
	ExpiresAt time.Time `json:"expires_at"`
}

// settingsOf returns the settings as the API shows them: the proxy
// without its credentials, and certificates by subject and expiry.
func settingsOf(s *catalog.Settings) ChannelSettings {
	body := ChannelSettings{
		Headers: s.Headers, HeaderCount: len(s.Headers), Parameters: s.Parameters, FieldCount: len(s.Parameters),
		SystemPrompt: s.SystemPrompt, APIVersion: s.APIVersion, AccountOf: s.AccountOf,
		Quirks: texts(s.Quirks), Lacks: texts(s.Lacks),
		IgnoredFields: string(cmp.Or(s.IgnoredFields, tenant.ReportIgnored)), Proxy: s.Proxy.Mask,
		Authorities:    []Authority{},
		ConnectTimeout: durationText(s.ConnectTimeout), FirstByteTimeout: durationText(s.FirstByteTimeout),
		IdleTimeout: durationText(s.IdleTimeout),
	}
	if body.Headers == nil {
		body.Headers = map[string]string{}
	}
	if body.Parameters == nil {
		body.Parameters = map[string]json.RawMessage{}
	}
	authorities, _ := s.Authorities() // no error: CheckChannel parsed them before they were stored
	for _, authority := range authorities {
		body.Authorities = append(body.Authorities, Authority{authority.Subject, authority.ExpiresAt.UTC()})
	}
	body.Trusted = len(authorities)
	return body
}

// texts returns the words as strings; never nil.
func texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return list
}

// durationText returns the text of a time-out, or "" for 0, which means the relay's default.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// settingsPatch returns the settings that the channel has after the patch, or nil if the body does not change them.
func (h *handlers) settingsPatch(current *catalog.Settings, body *ChannelPatch) (*catalog.Settings, error) {
	if !body.Settings.Given() {
		return nil, nil
	}
	settings := *current
	if err := h.maker().ApplySettings(&settings, body.Settings.Pointer()); err != nil {
		return nil, err
	}
	return &settings, nil
}

// checkAccount returns an InvalidType problem if the setting account_of names a tenant that does not exist.
func checkAccount(ctx context.Context, s *store.Store, slug string) error {
	if slug == "" {
		return nil
	}
	_, err := s.Identity.TenantBySlug(ctx, api.ScopeOf(ctx), slug)
	if problem.Is(err, problem.NotFound) {
		return problem.New(problem.InvalidType, "account_of must be the slug of a tenant. There is no tenant %q.",
			slug).At("settings.account_of")
	}
	return err
}
