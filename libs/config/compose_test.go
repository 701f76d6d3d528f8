package config

import (
	"net/url"
	"os"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// composed is a part of deploy/compose.yaml.
type composed struct {
	Services map[string]struct {
		Networks    any               `yaml:"networks"` // a list of names, or a map
		Environment map[string]string `yaml:"environment"`
	} `yaml:"services"`
}

// names returns the services that one of the networks reaches, by the names that they have in it.
func (c *composed) names(network string) (found map[string][]string) {
	found = map[string][]string{}
	for service, s := range c.Services {
		switch networks := s.Networks.(type) {
		case []any:
			if slices.Contains(networks, any(network)) {
				found[service] = append(found[service], service)
			}
		case map[string]any:
			options, ok := networks[network].(map[string]any)
			if !ok {
				continue
			}
			found[service] = append(found[service], service)
			aliases, _ := options["aliases"].([]any)
			for _, alias := range aliases {
				if name, ok := alias.(string); ok {
					found[name] = append(found[name], service)
				}
			}
		}
	}
	return found
}

// The console's container reaches relays by their name in its network, but not by the URL for clients, whose localhost
// is another one there.
func TestCompose_PlaygroundCallsTheRelays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c composed
	// A key beside << replaces the one that is merged.
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(c.Services["console"].Environment["TOLLGATE_PLAYGROUND_RELAY_URL"])
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme != "http" || u.Port() != "8080" {
		t.Errorf("got the URL %q, want the port 8080, on which the images of relays listen", u)
	}
	called := c.names("programs")[u.Hostname()]
	slices.Sort(called)
	if !slices.Equal(called, []string{"relay-1", "relay-2"}) {
		t.Errorf("the host of %q is %q, want both relays", u, called)
	}
	if !slices.Contains(c.names("programs")["console"], "console") {
		t.Error("the console is not in the network of the relays")
	}
}
