package catalog_test

import (
	"slices"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

func TestMoved_NamesTheFieldsThatDecideWhereACredentialTravels(t *testing.T) {
	before := func() catalog.Channel {
		return catalog.Channel{
			Type: "openai", BaseURL: "https://a.example/v1", Models: map[string]string{"m": "m"},
			Settings: catalog.Settings{
				Headers: map[string]string{"X-Route": "a", "OpenAI-Organization": "o"}, CA: "a", Proxy: catalog.SealedSecret{Sealed: []byte{1}, Mask: "https://proxy"},
			},
		}
	}
	for name, c := range map[string]struct {
		change func(*catalog.Channel)
		want   []string
	}{
		"nothing":               {func(*catalog.Channel) {}, nil},
		"a name":                {func(c *catalog.Channel) { c.Name, c.Priority, c.Models = "b", 3, nil }, nil},
		"a text":                {func(c *catalog.Channel) { c.Settings.SystemPrompt, c.Settings.APIVersion = "x", "1" }, nil},
		"the type":              {func(c *catalog.Channel) { c.Type = "azure" }, []string{"type"}},
		"the host":              {func(c *catalog.Channel) { c.BaseURL = "https://b.example/v1" }, []string{"base_url"}},
		"the path":              {func(c *catalog.Channel) { c.BaseURL = "https://a.example/v2" }, []string{"base_url"}},
		"the scheme":            {func(c *catalog.Channel) { c.BaseURL = "http://a.example/v1" }, []string{"base_url"}},
		"another proxy":         {func(c *catalog.Channel) { c.Settings.Proxy.Sealed = []byte{2} }, []string{"settings.proxy"}},
		"no proxy":              {func(c *catalog.Channel) { c.Settings.Proxy = catalog.SealedSecret{} }, []string{"settings.proxy"}},
		"another authority":     {func(c *catalog.Channel) { c.Settings.CA = "b" }, []string{"settings.ca"}},
		"the system's":          {func(c *catalog.Channel) { c.Settings.CA = "" }, []string{"settings.ca"}},
		"a header":              {func(c *catalog.Channel) { c.Settings.Headers["X-Route"] = "b" }, []string{"settings.headers"}},
		"a new header":          {func(c *catalog.Channel) { c.Settings.Headers["Helicone-Target-Url"] = "https://b.example" }, []string{"settings.headers"}},
		"a removed header":      {func(c *catalog.Channel) { delete(c.Settings.Headers, "X-Route") }, []string{"settings.headers"}},
		"a provider's header":   {func(c *catalog.Channel) { c.Settings.Headers["openai-organization"] = "p" }, nil},
		"no header of its own":  {func(c *catalog.Channel) { delete(c.Settings.Headers, "OpenAI-Organization") }, nil},
		"the address and proxy": {func(c *catalog.Channel) { c.BaseURL, c.Settings.Proxy.Sealed = "https://b.example", nil }, []string{"base_url", "settings.proxy"}},
	} {
		t.Run(name, func(t *testing.T) {
			was, is := before(), before()
			c.change(&is)
			if got := catalog.Moved(&was, &is); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := catalog.Moved(&is, &was); !slices.Equal(got, c.want) {
				t.Errorf("the other way round: got %q, want %q", got, c.want)
			}
		})
	}
}
