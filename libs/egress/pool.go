package egress

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// TransportConfig is how an upstream is reached. Upstreams with an equal
// TransportConfig share a Transport. Most have the zero value.
type TransportConfig struct {
	Proxy          string        // URL with its credentials, "" for none
	CA             string        // certificates in PEM, "": the system's
	ConnectTimeout time.Duration // 0: the pool's own
}

// TransportConfigOf returns the TransportConfig of a channel with the settings.
// open unseals the URL of its proxy.
func TransportConfigOf(s *catalog.Settings, open func(catalog.SealedSecret) (string, error)) (TransportConfig, error) {
	config := TransportConfig{CA: s.CA, ConnectTimeout: s.ConnectTimeout}
	if len(s.Proxy.Sealed) == 0 {
		return config, nil
	}
	proxy, err := open(s.Proxy)
	if err != nil {
		return config, fmt.Errorf("unseal the proxy: %w", err)
	}
	config.Proxy = proxy
	return config, nil
}

// Pool keeps one Transport for every TransportConfig in use. It is safe for
// concurrent use.
type Pool struct {
	options Options

	mu   sync.Mutex
	open map[TransportConfig]*Transport
}

// NewPool returns a Pool. Its transports have the options o where a
// TransportConfig gives none.
func NewPool(o Options) *Pool { return &Pool{options: o, open: map[TransportConfig]*Transport{}} }

// Transport returns the Transport of the config, which it makes if there is
// none.
func (p *Pool) Transport(config TransportConfig) (*Transport, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.open[config]; t != nil {
		return t, nil
	}
	o, err := config.options(p.options)
	if err != nil {
		return nil, err
	}
	t := New(o)
	p.open[config] = t
	return t, nil
}

// options are the given ones as the config changes them. Errors do not show the
// proxy's URL.
func (w TransportConfig) options(o Options) (Options, error) {
	if w.Proxy != "" {
		proxy, err := url.Parse(w.Proxy)
		if err != nil {
			return o, errors.New("the proxy is not a URL")
		}
		o.Proxy = proxy
	}
	if w.CA != "" {
		o.Roots = x509.NewCertPool()
		if !o.Roots.AppendCertsFromPEM([]byte(w.CA)) {
			return o, errors.New("the CA has no certificate")
		}
	}
	if w.ConnectTimeout > 0 {
		o.ConnectTimeout = w.ConnectTimeout
	}
	return o, nil
}

// Retain drops all transports except those of the given configs and closes
// their idle connections. Calls that still use a dropped transport go on.
func (p *Pool) Retain(configs map[TransportConfig]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for config, t := range p.open {
		if !configs[config] {
			delete(p.open, config)
			t.CloseIdle()
		}
	}
}

// Close drops all transports, as Retain does.
func (p *Pool) Close() { p.Retain(nil) }
