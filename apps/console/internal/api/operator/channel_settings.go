package operator

import (
	"encoding/json"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// ChannelSettings are how a channel departs from its type. Texts are "" where
// nothing is set.
type ChannelSettings struct {
	Headers      map[string]string          `json:"headers" doc:"Set on each request"`
	Parameters   map[string]json.RawMessage `json:"parameters" doc:"Set at the top level of each body; null takes one out"`
	SystemPrompt string                     `json:"system_prompt" doc:"Put before the client's instructions"`
	APIVersion   string                     `json:"api_version"`
	Quirks       []string                   `json:"quirks" doc:"Departures of a compatible server"`
	Lacks        []string                   `json:"lacks" doc:"What calls may ask for and the upstream has not"`
	Proxy        string                     `json:"proxy" doc:"URL of the proxy, without its credentials"`
	Authorities  []Authority                `json:"authorities" doc:"Certificates that are trusted in place of the system's"`

	ConnectTimeout   string `json:"connect_timeout" doc:"Duration such as 5s; empty: the relay's own"`
	FirstByteTimeout string `json:"first_byte_timeout" doc:"Duration such as 5m; empty: the relay's own"`
	IdleTimeout      string `json:"idle_timeout" doc:"Duration such as 90s; empty: the relay's own"`
}

// Authority is a trusted certificate.
type Authority struct {
	Subject   string    `json:"subject"`
	ExpiresAt time.Time `json:"expires_at"`
}

func settingsOf(s *catalog.Settings) ChannelSettings {
	shown := ChannelSettings{
		Headers: s.Headers, Parameters: s.Parameters, SystemPrompt: s.SystemPrompt, APIVersion: s.APIVersion,
		Quirks: texts(s.Quirks), Lacks: texts(s.Lacks), Proxy: s.Proxy.Mask, Authorities: []Authority{},
		ConnectTimeout: wait(s.ConnectTimeout), FirstByteTimeout: wait(s.FirstByteTimeout), IdleTimeout: wait(s.IdleTimeout),
	}
	if shown.Headers == nil {
		shown.Headers = map[string]string{}
	}
	if shown.Parameters == nil {
		shown.Parameters = map[string]json.RawMessage{}
	}
	authorities, _ := s.Authorities() // they were checked before they were stored
	for _, authority := range authorities {
		shown.Authorities = append(shown.Authorities, Authority{authority.Subject, authority.ExpiresAt.UTC()})
	}
	return shown
}

func texts[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = string(word)
	}
	return all
}

// wait is "" for the zero duration, which stands for the relay's own.
func wait(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// ChannelSettingsPatch sets settings one by one: absent ones stay as they are,
// null unsets one.
type ChannelSettingsPatch struct {
	Headers      api.Nullable[map[string]string]          `json:"headers,omitzero" doc:"Set on each request; not for credentials"`
	Parameters   api.Nullable[map[string]json.RawMessage] `json:"parameters,omitzero" doc:"Set at the top level of each body; null takes one out"`
	SystemPrompt api.Nullable[string]                     `json:"system_prompt,omitzero" maxLength:"65536"`
	APIVersion   api.Nullable[string]                     `json:"api_version,omitzero" maxLength:"64"`
	Quirks       api.Nullable[[]string]                   `json:"quirks,omitzero" enum:"no_stream_options,max_tokens,system_role,reasoning_content"`
	Lacks        api.Nullable[[]string]                   `json:"lacks,omitzero" enum:"stream,tools,vision,structured_output"`
	Proxy        api.Nullable[string]                     `json:"proxy,omitzero" maxLength:"2000" doc:"http, https or socks5 URL; its credentials are never shown again"`
	CA           api.Nullable[string]                     `json:"ca,omitzero" maxLength:"262144" doc:"Certificates in PEM"`

	ConnectTimeout   api.Nullable[string] `json:"connect_timeout,omitzero" doc:"Duration such as 5s"`
	FirstByteTimeout api.Nullable[string] `json:"first_byte_timeout,omitzero" doc:"Duration such as 5m"`
	IdleTimeout      api.Nullable[string] `json:"idle_timeout,omitzero" doc:"Duration such as 90s"`
}

// applySettings changes s as the patch says and seals a new proxy.
func (h *handlers) applySettings(s *catalog.Settings, p *ChannelSettingsPatch) error {
	put(&s.Headers, p.Headers)
	put(&s.Parameters, p.Parameters)
	put(&s.SystemPrompt, p.SystemPrompt)
	put(&s.APIVersion, p.APIVersion)
	put(&s.CA, p.CA)
	if p.Quirks.Given() {
		s.Quirks = wordsOf[catalog.Quirk](api.Deref(p.Quirks.Value()))
	}
	if p.Lacks.Given() {
		s.Lacks = wordsOf[catalog.Feature](api.Deref(p.Lacks.Value()))
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
		if err := putWait(row.into, row.given); err != nil {
			return err.At("settings." + row.field)
		}
	}
	return h.applyProxy(s, p.Proxy)
}

// settingsPatch returns the settings that the channel will have, nil where the
// body names none.
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

// put sets a field that the patch names; null makes it zero.
func put[T any](field *T, by api.Nullable[T]) {
	if by.Given() {
		*field = api.Deref(by.Value())
	}
}

func wordsOf[T ~string](names []string) []T {
	all := make([]T, len(names))
	for i, name := range names {
		all[i] = T(name)
	}
	return all
}

func putWait(field *time.Duration, by api.Nullable[string]) *problem.Problem {
	if !by.Given() {
		return nil
	}
	if api.Deref(by.Value()) == "" {
		*field = 0
		return nil
	}
	d, err := time.ParseDuration(*by.Value())
	if err != nil {
		return problem.New(problem.InvalidType, "A time-out is a duration such as 30s.")
	}
	*field = d
	return nil
}

func (h *handlers) applyProxy(s *catalog.Settings, by api.Nullable[string]) error {
	if !by.Given() {
		return nil
	}
	proxy := api.Deref(by.Value())
	if proxy == "" {
		s.Proxy = catalog.SealedSecret{}
		return nil
	}
	if err := catalog.CheckProxy(proxy); err != nil {
		return err
	}
	sealed, err := h.Sealer.SealProxy(proxy)
	s.Proxy = sealed
	return err
}
