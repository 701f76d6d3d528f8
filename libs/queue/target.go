package queue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// reloadInterval is the age at which a client of a cluster reads again which node has which keys, when it is used. The
// driver reads that at once when a node that answers names another one, but not when a node is unreachable, and its
// default of a minute would be the duration of each failover.
const reloadInterval = time.Second

// target holds the options of the driver for the Redis that a URL names. Exactly one of the fields is set.
type target struct {
	single   *redis.Options         // one server
	failover *redis.FailoverOptions // servers behind Sentinels, of which one is the master
	cluster  *redis.ClusterOptions
}

// tuning holds the properties in which clients differ. A zero value is the default of the driver or what the URL says.
type tuning struct {
	timeout     time.Duration // of a read or a write, and of a dial
	dialTimeout time.Duration // of a dial, if it differs
	retries     int           // after a broken connection; -1: none
	backoff     time.Duration // before a retry
	connections int           // to a node
	idle        int           // connections to a node that are kept open
	dials       int           // attempts to dial before a command fails
	deadlines   bool          // commands end at the deadlines of their contexts
}

// client returns a new client. A client of a cluster always follows redirections, whatever the number of retries.
func (t *target) client(u tuning) redis.UniversalClient {
	switch {
	case t.cluster != nil:
		o := *t.cluster
		o.ContextTimeoutEnabled, o.ClusterStateReloadInterval, o.TLSConfig = u.deadlines, reloadInterval,
			cloneTLS(o.TLSConfig)
		u.apply(fields{
			&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.MinRetryBackoff, &o.MaxRetryBackoff, &o.PoolSize,
			&o.MinIdleConns, &o.DialerRetries,
		})
		return redis.NewClusterClient(&o)
	case t.failover != nil:
		o := *t.failover
		o.MaxRetries, o.ContextTimeoutEnabled, o.TLSConfig = or(u.retries, o.MaxRetries), u.deadlines,
			cloneTLS(o.TLSConfig)
		u.apply(fields{
			&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.MinRetryBackoff, &o.MaxRetryBackoff, &o.PoolSize,
			&o.MinIdleConns, &o.DialerRetries,
		})
		return redis.NewFailoverClient(&o)
	default:
		o := *t.single
		o.MaxRetries, o.ContextTimeoutEnabled, o.TLSConfig = or(u.retries, o.MaxRetries), u.deadlines,
			cloneTLS(o.TLSConfig)
		u.apply(fields{
			&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.MinRetryBackoff, &o.MaxRetryBackoff, &o.PoolSize,
			&o.MinIdleConns, &o.DialerRetries,
		})
		return redis.NewClient(&o)
	}
}

// fields are the fields that the options of all kinds of clients have.
type fields struct {
	dial, read, write, minBackoff, maxBackoff *time.Duration
	connections, idle, dials                  *int
}

// apply sets the fields.
func (u *tuning) apply(f fields) {
	*f.dial, *f.read, *f.write = or(u.dialTimeout, u.timeout), u.timeout, u.timeout
	*f.minBackoff, *f.maxBackoff = or(u.backoff, *f.minBackoff), or(u.backoff, *f.maxBackoff)
	*f.connections, *f.idle, *f.dials = or(u.connections, *f.connections), or(u.idle, *f.idle), or(u.dials, *f.dials)
}

// or returns the first value, or the second if the first is zero.
func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// cloneTLS returns a copy of a TLS configuration, or nil for nil.
func cloneTLS(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	return config.Clone()
}

var (
	errURL = errors.New("the Redis URL cannot be read: docs/redis.md has its forms; in a user or password, write " +
		"characters such as / ? # @ % as %2F %3F %23 %40 %25")
	errManyHosts = errors.New("the Redis URL names several hosts: use redis-sentinel:// for Sentinels or " +
		"redis-cluster:// for a cluster")
	errMaster = errors.New("the Redis URL of Sentinels must have ?master=NAME, the name under which they know the " +
		"master")
	errDatabase = errors.New("the Redis URL of a cluster must not have a database number: a cluster has only number 0")
	errPlainTLS = errors.New("the Redis URL has tls_ parameters without TLS: use rediss://, rediss-sentinel:// or " +
		"rediss-cluster://")
)

// parse returns what the URL names. Its errors show nothing of the URL but the paths of TLS files.
//
// The driver has its own forms for Sentinels and clusters, with the scheme redis and the further hosts as parameters.
// They look like the URL of one server, so that a forgotten parameter would be a client of the wrong kind.
func parse(raw string) (*target, error) {
	scheme, tail, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, errURL
	}
	if scheme == "unix" {
		options, err := redis.ParseURL(raw)
		if err != nil {
			return nil, errURL // err would quote the URL, which may hold a password
		}
		return &target{single: options}, nil
	}
	secure, kind, ok := schemeOf(scheme)
	if !ok {
		return nil, errURL
	}
	// net/url does not accept several hosts with ports.
	end := strings.IndexAny(tail, "/?#")
	if end < 0 {
		end = len(tail)
	}
	user, hosts := "", tail[:end]
	if at := strings.LastIndex(hosts, "@"); at >= 0 {
		user, hosts = hosts[:at+1], hosts[at+1:]
	}
	addrs, err := hostsOf(hosts, kind)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(secure + "://" + user + addrs[0] + tail[end:])
	if err != nil {
		return nil, errURL
	}
	query := u.Query()
	certificates, hasTLS := takeTLS(query)
	if hasTLS && secure != "rediss" {
		return nil, errPlainTLS
	}
	certificates.name = or(certificates.name, commonName(addrs, kind))
	return build(u, query, addrs, certificates, kind)
}

// The kinds of Redis, as in the URL's scheme.
const (
	singleKind   = ""
	sentinelKind = "sentinel"
	clusterKind  = "cluster"
)

// schemeOf splits a scheme such as rediss-cluster into rediss and cluster.
func schemeOf(scheme string) (secure, kind string, ok bool) {
	secure, kind, hasKind := strings.Cut(scheme, "-")
	ok = (secure == "redis" || secure == "rediss") && (!hasKind || kind == sentinelKind || kind == clusterKind)
	return secure, kind, ok
}

// hostsOf splits hosts at commas, and adds the usual port to those without.
func hostsOf(hosts, kind string) ([]string, error) {
	port := "6379"
	if kind == sentinelKind {
		port = "26379"
	}
	addrs := strings.Split(hosts, ",")
	if len(addrs) > 1 && kind == singleKind {
		return nil, errManyHosts
	}
	for i, addr := range addrs {
		u, err := url.Parse("redis://" + addr)
		if err != nil || u.Host != addr || kind != singleKind && u.Hostname() == "" {
			return nil, errURL
		}
		addrs[i] = net.JoinHostPort(or(u.Hostname(), "localhost"), or(u.Port(), port))
	}
	return addrs, nil
}

// build returns the options that the driver reads from its own form of the URL.
func build(u *url.URL, query url.Values, addrs []string, certificates certificates, kind string) (*target, error) {
	if kind != singleKind {
		query["addr"] = addrs[1:]
	}
	t := &target{}
	var err error
	switch kind {
	case clusterKind:
		if strings.Trim(u.Path, "/0") != "" || query.Has("db") {
			return nil, errDatabase
		}
		u.Path, u.RawQuery = "", query.Encode()
		if t.cluster, err = redis.ParseClusterURL(u.String()); err == nil {
			err = certificates.apply(t.cluster.TLSConfig)
		}
	case sentinelKind:
		if !query.Has("master") {
			return nil, errMaster
		}
		rename(query, "master", "master_name")
		// In the driver's form, user and password are those of the Sentinels.
		password, _ := u.User.Password()
		userinfo := url.UserPassword(query.Get("sentinel_username"), query.Get("sentinel_password"))
		query.Set("username", u.User.Username())
		query.Set("password", password)
		query.Del("sentinel_username")
		query.Del("sentinel_password")
		u.User, u.RawQuery = userinfo, query.Encode()
		if t.failover, err = redis.ParseFailoverURL(u.String()); err == nil {
			err = certificates.apply(t.failover.TLSConfig)
		}
	default:
		u.RawQuery = query.Encode()
		if t.single, err = redis.ParseURL(u.String()); err == nil {
			err = certificates.apply(t.single.TLSConfig)
		}
	}
	var unreadable *fileError
	if err != nil && !errors.As(err, &unreadable) {
		err = errURL // err would quote the URL
	}
	return t, err
}

// rename gives a parameter the name that the driver expects.
func rename(query url.Values, from, to string) {
	query[to] = query[from]
	delete(query, from)
}

// certificates says how connections with TLS are verified.
type certificates struct {
	ca, cert, key string // paths of PEM files; "": the system's authorities, and no certificate of our own
	name          string // that the servers' certificates must have; "": the host of each connection
}

// takeTLS removes the TLS parameters from the query and returns them, and whether there are any.
func takeTLS(query url.Values) (c certificates, ok bool) {
	for name, value := range map[string]*string{"tls_ca": &c.ca, "tls_cert": &c.cert, "tls_key": &c.key,
		"tls_server_name": &c.name} {
		*value = query.Get(name)
		ok = ok || query.Has(name)
		query.Del(name)
	}
	return c, ok
}

// commonName returns the name that all servers' certificates must have, or "" if each must have the name of its own
// host. Managed clusters are reached by one name, which the certificates of all nodes have, while the nodes name each
// other by address.
func commonName(addrs []string, kind string) string {
	host, _, _ := net.SplitHostPort(addrs[0])
	if kind == sentinelKind || len(addrs) > 1 || kind == clusterKind && net.ParseIP(host) != nil {
		return ""
	}
	return host
}

// fileError is the error of a TLS file. It shows the path and nothing else of the URL.
type fileError struct {
	parameter string
	cause     error
}

func (e *fileError) Error() string {
	return fmt.Sprintf("%s of the Redis URL: %v", e.parameter, e.cause)
}
func (e *fileError) Unwrap() error { return e.cause }

// errNoCertificate says that a file holds no certificate.
var errNoCertificate = errors.New("the file has no certificate in PEM")

// apply sets the files and the name in a TLS configuration. A nil configuration stands for a connection without TLS.
func (c *certificates) apply(config *tls.Config) error {
	if config == nil {
		return nil
	}
	config.ServerName, config.MinVersion = c.name, tls.VersionTLS12
	if c.ca != "" {
		text, err := os.ReadFile(c.ca)
		if err != nil {
			return &fileError{"tls_ca", err}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return &fileError{"tls_ca", errNoCertificate}
		}
	}
	if c.cert != "" || c.key != "" {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return &fileError{"tls_cert and tls_key", err}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return nil
}
