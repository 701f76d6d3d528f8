package provider

import (
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// ChosenTier is the service tier with prices of its own that a provider can choose for a call which leaves the tier to
// it: where an account has set it as the default, or has bought capacity.
const ChosenTier = "priority"

// OrdinaryTier returns the name that the upstream of a channel has for its ordinary service tier, and "" if it has
// none. chooses reports whether the upstream chooses another tier by itself for a request without the field. base is
// the base URL of the channel, which may be nil.
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
