package snapshot

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
)

// Target is a channel made ready. It is immutable.
type Target struct {
	Provider    provider.Provider
	Base        *url.URL
	Credentials []Credential
	Header      http.Header       // of the channel's settings, for each request
	Transport   http.RoundTripper // shared by all channels that are reached the same way

	way egress.TransportConfig
}

// Credential is an API key of a channel, decrypted.
type Credential struct {
	Plain       string
	Mask        string
	Fingerprint string
	Disabled    bool // the upstream has refused it
}

// AllDisabled reports whether the channel has credentials and none of them may be used.
func (t *Target) AllDisabled() bool {
	for i := range t.Credentials {
		if !t.Credentials[i].Disabled {
			return false
		}
	}
	return len(t.Credentials) > 0
}

func (v *Loader) target(channel *catalog.Channel) (*Target, error) {
	p, ok := v.Lookup(channel.Type)
	if !ok {
		return nil, fmt.Errorf("unknown type %q", channel.Type)
	}
	target := &Target{Provider: p, Header: headerOf(&channel.Settings)}
	if channel.BaseURL != "" {
		base, err := url.Parse(channel.BaseURL)
		if err != nil {
			return nil, fmt.Errorf("base URL: %w", err)
		}
		base.Path = strings.TrimRight(base.Path, "/")
		target.Base = base
	}
	for _, key := range channel.Credentials {
		plain, err := v.Opener.OpenCredential(key)
		if err != nil {
			return nil, fmt.Errorf("unseal a credential: %w", err)
		}
		fingerprint := v.Opener.Fingerprint(plain)
		target.Credentials = append(target.Credentials, Credential{plain, key.Mask, fingerprint, channel.Disabled(fingerprint) != nil})
	}
	return target, v.connect(target, &channel.Settings)
}

// connect finds the target's transport.
func (v *Loader) connect(target *Target, s *catalog.Settings) (err error) {
	if target.way, err = egress.TransportConfigOf(s, v.Opener.OpenProxy); err != nil {
		return fmt.Errorf("read the transport settings: %w", err)
	}
	transport, err := v.Pool.Transport(target.way)
	if err != nil {
		return fmt.Errorf("make the transport: %w", err)
	}
	target.Transport = transport
	return nil
}

func headerOf(s *catalog.Settings) http.Header {
	header := make(http.Header, len(s.Headers))
	for name, value := range s.Headers {
		header.Set(name, value)
	}
	return header
}
