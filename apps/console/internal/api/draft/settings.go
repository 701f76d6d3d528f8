package draft

import (
	"encoding/json"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

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

// ApplySettings changes the settings that the patch names, and encrypts
// the URL of a new proxy. It returns a problem of the field that is wrong.
func (m Maker) ApplySettings(s *catalog.Settings, p *ChannelSettingsPatch) error {
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
	return m.applyProxy(s, p.Proxy)
}

// put sets *field if the patch names it; null sets the zero value.
func put[T any](field *T, patch api.Nullable[T]) {
	if patch.Given() {
		*field = null.Deref(patch.Value())
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
func putTimeout(field *time.Duration, patch api.Nullable[string]) *problem.Problem {
	if !patch.Given() {
		return nil
	}
	if null.Deref(patch.Value()) == "" {
		*field = 0
		return nil
	}
	d, err := time.ParseDuration(*patch.Value())
	if err != nil {
		return problem.New(problem.InvalidType, "A time-out must be a duration, such as 30s or 5m.")
	}
	*field = d
	return nil
}

// applyProxy encrypts the URL of a new proxy, because it may contain credentials. null and "" remove the proxy.
func (m Maker) applyProxy(s *catalog.Settings, patch api.Nullable[string]) error {
	if !patch.Given() {
		return nil
	}
	proxy := null.Deref(patch.Value())
	if proxy == "" {
		s.Proxy = catalog.SealedSecret{}
		return nil
	}
	if err := catalog.CheckProxy(proxy); err != nil {
		return err
	}
	if current, err := m.Sealer.OpenProxy(s.Proxy); err == nil && current == proxy {
		return nil // sealed again, it would count as another proxy
	}
	secret, err := m.Sealer.SealProxy(proxy)
	s.Proxy = secret
	return err
}
