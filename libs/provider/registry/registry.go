// Package registry maps channel types to their providers. A new provider needs one line in byType.
package registry

import (
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/anthropic"
	"github.com/tollgate/tollgate/libs/provider/azure"
	"github.com/tollgate/tollgate/libs/provider/echo"
	"github.com/tollgate/tollgate/libs/provider/gemini"
	"github.com/tollgate/tollgate/libs/provider/openai"
)

// byType maps the names of channel types to providers. It never changes.
var byType = map[string]provider.Provider{
	"openai":    openai.Provider{},
	"azure":     azure.Provider{},
	"anthropic": anthropic.Provider{},
	"gemini":    gemini.Provider{},
	"echo":      echo.Provider{},
}

// Types returns the names of all channel types, sorted.
func Types() []string { return slices.Sorted(maps.Keys(byType)) }

// Lookup returns the provider of a channel type, and false if there is none.
func Lookup(channelType string) (provider.Provider, bool) {
	p, ok := byType[channelType]
	return p, ok
}

// Check returns the problem of the first field of the channel that is invalid in general or for the channel's type, or
// nil if there is none.
func Check(channel *catalog.Channel) error {
	p, ok := Lookup(channel.Type)
	if !ok {
		return problem.New(problem.InvalidType, "unknown channel type %q: use one of %s", channel.Type,
			strings.Join(Types(), ", ")).At("type")
	}
	if err := channel.Check(); err != nil {
		return err
	}
	return p.Check(channel)
}
