package provider

import (
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ChosenTier is the service tier with prices of its own that a provider can choose for a call which leaves the tier to it: where an
// account has set it as the default, or has bought capacity.
const ChosenTier = "priority"

// OrdinaryTier returns the name that the upstream of a channel has for its ordinary service tier, and "" if it has none. chooses
// reports whether the upstream chooses another tier by itself for a request without the field. base is the base URL of the channel,
// which may be nil.
func OrdinaryTier(channel *catalog.Channel, base *url.URL) (name string, chooses bool) {
	host := ""
	if base != nil {
		host = base.Hostname()
	}
	switch channel.Type {
	case "openai":
		if host == "api.groq.com" {
			return "on_demand", false
		}
		return "default", host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
	case "azure":
		version := channel.Settings.APIVersion // those with a date before 2025-10 do not know the field
		return "default", version == "" || version == "v1" || version == "preview" || version >= "2025-10"
	case "anthropic":
		return "standard_only", host == "api.anthropic.com"
	}
	return "", false
}

// serviceTier is the field of the service tier in all dialects that have one.
const serviceTier = "service_tier"

// WithOrdinaryTier returns the request with the service tier in place of "auto", or if always is true of no tier. set reports
// whether it has changed. The error is a *rawjson.SyntaxError of a malformed body.
func (r Request) WithOrdinaryTier(tier string, always bool) (changed Request, set bool, err error) {
	draft, err := rawjson.NewDraft(r.Body.Bytes())
	if err != nil {
		return r, false, err
	}
	if has(draft, serviceTier) {
		asked := rawjson.Text(draft.Find(serviceTier).Value.Of(draft.Body))
		set = strings.EqualFold(string(asked), "auto")
	} else {
		set = always
	}
	if !set {
		return r, false, nil
	}
	draft.Set(serviceTier, rawjson.Quote(tier))
	r.Body = draft.Finish()
	return r, true, nil
}
