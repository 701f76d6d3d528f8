package catalog

import (
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/store/field"
)

// settingsDetail returns the channel's settings for the audit log. Headers and parameters may hold secrets, so
// it has only their names; long texts are given as a size in bytes, and the proxy as its mask. Settings that
// are unset are left out.
func settingsDetail(s *catalog.Settings) field.Changes {
	detail := field.Changes{}
	for _, row := range []struct {
		name  string
		value any
		given bool
	}{
		{"headers", slices.Sorted(maps.Keys(s.Headers)), len(s.Headers) > 0},
		{"parameters", slices.Sorted(maps.Keys(s.Parameters)), len(s.Parameters) > 0},
		{"system_prompt_bytes", len(s.SystemPrompt), s.SystemPrompt != ""},
		{"api_version", s.APIVersion, s.APIVersion != ""},
		{"account_of", s.AccountOf, s.AccountOf != ""},
		{"quirks", s.Quirks, len(s.Quirks) > 0},
		{"lacks", s.Lacks, len(s.Lacks) > 0},
		{"ignored_fields", s.IgnoredFields, s.IgnoredFields != ""},
		{"proxy", s.Proxy.Mask, s.Proxy.Mask != ""},
		{"ca_bytes", len(s.CA), s.CA != ""},
		{"connect_timeout", s.ConnectTimeout.String(), s.ConnectTimeout > 0},
		{"first_byte_timeout", s.FirstByteTimeout.String(), s.FirstByteTimeout > 0},
		{"idle_timeout", s.IdleTimeout.String(), s.IdleTimeout > 0},
	} {
		if row.given {
			detail[row.name] = row.value
		}
	}
	return detail
}
