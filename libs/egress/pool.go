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

// TransportConfig has the settings of a channel that concern its connections. Channels with an equal
// TransportConfig share a Transport; most have the zero value. It is comparable, so that it can be a key of a
// map.
type TransportConfig struct {
	Proxy          string        // URL with credentials; "" for none
	CA             string        // certificates in PEM; "": trust the roots of the system
	ConnectTimeout time.Duration // 0: the timeout of the pool
}

// TransportConfigOf returns the TransportConfig of a channel with the settings. open unseals the URL of the
// proxy; its error is returned.
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

// Pool keeps one Transport for every TransportConfig in use. It is safe for concurrent use.
type Pool struct {
	options Options // defaults of the transports

	mu   sync.Mutex
	open map[TransportConfig]*Transport
}

// NewPool returns an empty Pool. Its transports have the options o, changed by their TransportConfig.
func NewPool(o Options) *Pool { return &Pool{options: o, open: map[TransportConfig]*Transport{}} }

// Transport returns the Transport of the config and makes it if there is none. It fails if the proxy is not a
// URL or the CA has no certificate.
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

// options returns o with the changes of the config. Errors do not show the URL of the proxy, which may hold a password.
func (c TransportConfig) options(o Options) (Options, error) {
	if c.Proxy != "" {
		proxy, err := url.Parse(c.Proxy)
		if err != nil {
			return o, errors.New("the proxy is not a URL")
		}
		o.Proxy = proxy
	}
	if c.CA != "" {
		o.Roots = x509.NewCertPool()
		if !o.Roots.AppendCertsFromPEM([]byte(c.CA)) {
			return o, errors.New("the CA has no certificate")
		}
	}
	if c.ConnectTimeout > 0 {
		o.ConnectTimeout = c.ConnectTimeout
	}
	return o, nil
}

// Retain drops all transports except those of the given configs and closes their idle connections. Requests
// that use a dropped transport continue.
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

// Close drops all transports, as Retain does. The pool can still be used.
func (p *Pool) Close() { p.Retain(nil) }
