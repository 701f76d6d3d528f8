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

// Target is a channel prepared for calls: URL parsed, credentials decrypted, transport chosen. It is immutable.
type Target struct {
	Provider    provider.Provider
	Base        *url.URL
	Credentials []Credential
	Header      http.Header       // from the channel's settings, added to each request
	Transport   http.RoundTripper // shared by all channels with the same transport settings

	transportConfig egress.TransportConfig
}

// Credential is a decrypted API key of a channel. Only Mask and Fingerprint may be shown or logged.
type Credential struct {
	Plain       string
	Mask        string
	Fingerprint string
	Disabled    bool // the upstream has refused the key for good
}

// AllDisabled reports whether the channel has credentials and all of them are disabled.
func (t *Target) AllDisabled() bool {
	for i := range t.Credentials {
		if !t.Credentials[i].Disabled {
			return false
		}
	}
	return len(t.Credentials) > 0
}

// target prepares a channel.
func (l *Loader) target(channel *catalog.Channel) (*Target, error) {
	p, ok := l.Lookup(channel.Type)
	if !ok {
		return nil, fmt.Errorf("unknown channel type %q", channel.Type)
	}
	if err := channel.CheckPaths(); err != nil { // it may be stored since before the check of what is stored
		return nil, err
	}
	target := &Target{Provider: p, Header: headerOf(&channel.Settings)}
	if channel.BaseURL != "" {
		base, err := url.Parse(channel.BaseURL)
		if err != nil {
			return nil, fmt.Errorf("base URL: %w", err)
		}
		// Providers append paths that begin with a slash.
		base.Path = strings.TrimRight(base.Path, "/")
		target.Base = base
	}
	for _, key := range channel.Credentials {
		secret, err := l.Opener.OpenCredential(key)
		if err != nil {
			return nil, fmt.Errorf("decrypt a credential: %w", err)
		}
		fingerprint := l.Opener.Fingerprint(secret)
		target.Credentials = append(target.Credentials,
			Credential{secret, key.Mask, fingerprint, channel.Disabled(fingerprint) != nil})
	}
	return target, l.connect(target, &channel.Settings)
}

// connect sets the target's transport, which the pool shares among channels with equal transport settings.
func (l *Loader) connect(target *Target, s *catalog.Settings) (err error) {
	if target.transportConfig, err = egress.TransportConfigOf(s, l.Opener.OpenProxy); err != nil {
		return fmt.Errorf("read the transport settings: %w", err)
	}
	transport, err := l.Pool.Transport(target.transportConfig)
	if err != nil {
		return fmt.Errorf("make the transport: %w", err)
	}
	target.Transport = transport
	return nil
}

// headerOf returns the headers that the settings add to each request.
func headerOf(s *catalog.Settings) http.Header {
	header := make(http.Header, len(s.Headers))
	for name, value := range s.Headers {
		header.Set(name, value)
	}
	return header
}
