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

// TransportConfig is how an upstream is reached. Upstreams with the same one share a
// Transport; most have the zero value.
type TransportConfig struct {
	Proxy          string        // URL with its credentials, "" for none
	CA             string        // certificates in PEM, "": the system's
	ConnectTimeout time.Duration // 0: the pool's own
}

// TransportConfigOf returns how a channel with the settings is reached. open unseals the
// URL of its proxy.
func TransportConfigOf(s *catalog.Settings, open func(catalog.SealedSecret) (string, error)) (TransportConfig, error) {
	way := TransportConfig{CA: s.CA, ConnectTimeout: s.ConnectTimeout}
	if len(s.Proxy.Sealed) == 0 {
		return way, nil
	}
	proxy, err := open(s.Proxy)
	if err != nil {
		return way, fmt.Errorf("unseal the proxy: %w", err)
	}
	way.Proxy = proxy
	return way, nil
}

// Pool keeps one Transport for every Way that is in use. It is safe for
// concurrent use.
type Pool struct {
	options Options

	mu   sync.Mutex
	open map[TransportConfig]*Transport
}

// NewPool returns a Pool whose transports have the options where a Way says
// nothing else.
func NewPool(o Options) *Pool { return &Pool{options: o, open: map[TransportConfig]*Transport{}} }

// Transport returns the one of the way, which is made where there is none.
func (p *Pool) Transport(way TransportConfig) (*Transport, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.open[way]; t != nil {
		return t, nil
	}
	o, err := way.options(p.options)
	if err != nil {
		return nil, err
	}
	t := New(o)
	p.open[way] = t
	return t, nil
}

// options are the given ones as the way changes them. Errors do not show the
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

// Retain forgets all transports but those of the given ways and closes their
// idle connections. Calls that still use one go on.
func (p *Pool) Retain(ways map[TransportConfig]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for way, t := range p.open {
		if !ways[way] {
			delete(p.open, way)
			t.CloseIdle()
		}
	}
}

// Close forgets all transports, as Retain does.
func (p *Pool) Close() { p.Retain(nil) }
