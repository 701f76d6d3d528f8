package operator

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
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

// ChannelSettingsPatch changes the settings whose fields are present. null unsets a setting.
type ChannelSettingsPatch struct {
	Headers       api.Nullable[map[string]string]          `json:"headers,omitzero" doc:"Headers to set on each request to the upstream. Not for credentials, because operators can read them"`
	Parameters    api.Nullable[map[string]json.RawMessage] `json:"parameters,omitzero" doc:"Fields to set at the top level of each request body. A null value removes the field"`
	SystemPrompt  api.Nullable[string]                     `json:"system_prompt,omitzero" maxLength:"65536" doc:"Text to put before the instructions of each request"`
	APIVersion    api.Nullable[string]                     `json:"api_version,omitzero" maxLength:"64" doc:"Version of the upstream's API, for types with dated versions"`
	AccountOf     api.Nullable[string]                     `json:"account_of,omitzero" maxLength:"63" doc:"Slug of the tenant to which the upstream's account belongs alone. Only its calls go to the channel, and they may refer to files, containers, vector stores, prompts and items of the account"`
	Quirks        api.Nullable[[]string]                   `json:"quirks,omitzero" enum:"no_stream_options,max_tokens,system_role,reasoning_content" doc:"Differences of an OpenAI-compatible server. no_stream_options: it refuses stream_options. max_tokens: it knows max_tokens but not max_completion_tokens. system_role: it knows the role system but not developer. reasoning_content: it needs the reasoning of earlier turns"`
	Lacks         api.Nullable[[]string]                   `json:"lacks,omitzero" enum:"stream,tools,vision,structured_output" doc:"Features that the upstream does not support. Calls that need one are not sent to this channel"`
	IgnoredFields api.Nullable[string]                     `json:"ignored_fields,omitzero" enum:"report,refuse" doc:"Whether calls may go to this channel of which the relay ignores something, see ChannelSettings; null: report"`
	Proxy         api.Nullable[string]                     `json:"proxy,omitzero" maxLength:"2000" doc:"URL of the proxy: http, https or socks5. Its credentials are stored encrypted and never shown again"`
	CA            api.Nullable[string]                     `json:"ca,omitzero" maxLength:"262144" doc:"Certificates of authorities, in PEM, that are trusted instead of the system's"`

	ConnectTimeout   api.Nullable[string] `json:"connect_timeout,omitzero" doc:"Time-out of one connection attempt, such as 5s; null or empty: the relay's default"`
	FirstByteTimeout api.Nullable[string] `json:"first_byte_timeout,omitzero" doc:"Time-out until the first byte of a response, such as 5m; null or empty: the relay's default"`
	IdleTimeout      api.Nullable[string] `json:"idle_timeout,omitzero" doc:"Longest silence during a response, such as 90s; null or empty: the relay's default"`
}

// applySettings changes the settings that the patch names, and encrypts
// the URL of a new proxy. It returns a problem of the field that is wrong.
func (o *Options) applySettings(s *catalog.Settings, p *ChannelSettingsPatch) error {
	put(&s.Headers, p.Headers)
	put(&s.Parameters, p.Parameters)
	put(&s.SystemPrompt, p.SystemPrompt)
	put(&s.APIVersion, p.APIVersion)
	put(&s.AccountOf, p.AccountOf)
	put(&s.CA, p.CA)
	if p.Quirks.Given() {
		s.Quirks = wordsOf[catalog.Quirk](null.Deref(p.Quirks.Value()))
	}
	if p.Lacks.Given() {
		s.Lacks = wordsOf[catalog.Feature](null.Deref(p.Lacks.Value()))
	}
	if p.IgnoredFields.Given() {
		s.IgnoredFields = tenant.IgnoredFields(null.Deref(p.IgnoredFields.Value()))
	}
	for _, row := range []struct {
		field string
		into  *time.Duration
		given api.Nullable[string]
	}{
		{"connect_timeout", &s.ConnectTimeout, p.ConnectTimeout},
		{"first_byte_timeout", &s.FirstByteTimeout, p.FirstByteTimeout},
		{"idle_timeout", &s.IdleTimeout, p.IdleTimeout},
	} {
		if err := putTimeout(row.into, row.given); err != nil {
			return err.At("settings." + row.field)
		}
	}
	return o.applyProxy(s, p.Proxy)
}

// settingsPatch returns the settings that the channel has after the patch, or nil if the body does not change them.
func (h *handlers) settingsPatch(current *catalog.Settings, body *ChannelPatch) (*catalog.Settings, error) {
	if !body.Settings.Given() {
		return nil, nil
	}
	settings := *current
	if err := h.applySettings(&settings, body.Settings.Pointer()); err != nil {
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

// put sets *field if the patch names it; null sets the zero value.
func put[T any](field *T, by api.Nullable[T]) {
	if by.Given() {
		*field = null.Deref(by.Value())
	}
}

// wordsOf returns the names as words of type T. Huma has checked them against the enum of the field.
func wordsOf[T ~string](names []string) []T {
	list := make([]T, len(names))
	for i, name := range names {
		list[i] = T(name)
	}
	return list
}

// putTimeout sets *field if the patch names it; null and "" set 0, the relay's default.
func putTimeout(field *time.Duration, by api.Nullable[string]) *problem.Problem {
	if !by.Given() {
		return nil
	}
	if null.Deref(by.Value()) == "" {
		*field = 0
		return nil
	}
	d, err := time.ParseDuration(*by.Value())
	if err != nil {
		return problem.New(problem.InvalidType, "A time-out must be a duration, such as 30s or 5m.")
	}
	*field = d
	return nil
}

// applyProxy encrypts the URL of a new proxy, because it may contain credentials. null and "" remove the proxy.
func (o *Options) applyProxy(s *catalog.Settings, by api.Nullable[string]) error {
	if !by.Given() {
		return nil
	}
	proxy := null.Deref(by.Value())
	if proxy == "" {
		s.Proxy = catalog.SealedSecret{}
		return nil
	}
	if err := catalog.CheckProxy(proxy); err != nil {
		return err
	}
	if current, err := o.Sealer.OpenProxy(s.Proxy); err == nil && current == proxy {
		return nil // sealed again, it would count as another proxy
	}
	secret, err := o.Sealer.SealProxy(proxy)
	s.Proxy = secret
	return err
}
