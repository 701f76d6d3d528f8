package queue

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestOpen_ReadsTheFormsOfTheURL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		url            string
		addrs          []string
		user, password string
		master         string
		database       int
		tlsName        string // "-": no TLS
	}{
		"one server": {url: "redis://cache", addrs: []string{"cache:6379"}, tlsName: "-"},
		"one server, all parts": {url: "redis://me:p%40ss@cache:1/3", addrs: []string{"cache:1"}, user: "me",
			password: "p@ss", database: 3, tlsName: "-"},
		"one server with TLS": {url: "rediss://cache:1", addrs: []string{"cache:1"}, tlsName: "cache"},
		"an IPv6 address":     {url: "redis://[::1]:1", addrs: []string{"[::1]:1"}, tlsName: "-"},
		"a socket":            {url: "unix:///run/redis.sock", addrs: []string{"/run/redis.sock"}, tlsName: "-"},
		"another name": {url: "rediss://10.1.2.3:1?tls_server_name=cache", addrs: []string{"10.1.2.3:1"},
			tlsName: "cache"},
		"Sentinels": {url: "redis-sentinel://me:p@a:1,b,c:3/2?master=m",
			addrs: []string{"a:1", "b:26379", "c:3"}, user: "me", password: "p", master: "m",
			database: 2, tlsName: "-"},
		"Sentinels with TLS": {url: "rediss-sentinel://a,b?master=m", addrs: []string{"a:26379", "b:26379"},
			master: "m"},
		"a cluster": {url: "redis-cluster://me:p@a,b:2,[::1]:3",
			addrs: []string{"a:6379", "b:2", "[::1]:3"}, user: "me", password: "p", tlsName: "-"},
		"a cluster, database 0": {url: "redis-cluster://a/0", addrs: []string{"a:6379"}, tlsName: "-"},
		"a cluster by its one name": {url: "rediss-cluster://clustercfg.example.com:1",
			addrs: []string{"clustercfg.example.com:1"}, tlsName: "clustercfg.example.com"},
		"a cluster by one address":   {url: "rediss-cluster://10.1.2.3", addrs: []string{"10.1.2.3:6379"}},
		"a cluster by several names": {url: "rediss-cluster://a,b", addrs: []string{"a:6379", "b:6379"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(test.url)
			if err != nil {
				t.Fatal(err)
			}
			var addrs []string
			var user, password, master string
			var database int
			var config *tls.Config
			switch {
			case got.cluster != nil:
				addrs, user, password, config = got.cluster.Addrs, got.cluster.Username, got.cluster.Password,
					got.cluster.TLSConfig
			case got.failover != nil:
				o := got.failover
				addrs, user, password, master, database, config = o.SentinelAddrs, o.Username, o.Password, o.MasterName,
					o.DB, o.TLSConfig
			default:
				o := got.single
				addrs, user, password, database, config = []string{o.Addr}, o.Username, o.Password, o.DB, o.TLSConfig
			}
			tlsName := "-"
			if config != nil {
				tlsName = config.ServerName
			}
			if !slices.Equal(addrs, test.addrs) || user != test.user || password != test.password ||
				master != test.master ||
				database != test.database || tlsName != test.tlsName {
				t.Errorf("got addrs %q, user %q, password %q, master %q, database %d, TLS name %q", addrs, user,
					password, master, database, tlsName)
			}
		})
	}
}

func TestOpen_SentinelsHaveAPasswordOfTheirOwn(t *testing.T) {
	t.Parallel()
	got, err := parse("redis-sentinel://me:secret@a?master=m&sentinel_username=watcher&sentinel_password=other")
	if err != nil {
		t.Fatal(err)
	}
	if o := got.failover; o.Username != "me" || o.Password != "secret" || o.SentinelUsername != "watcher" ||
		o.SentinelPassword != "other" {
		t.Errorf("got %s %s for the servers, %s %s for the Sentinels", o.Username, o.Password, o.SentinelUsername,
			o.SentinelPassword)
	}
}

func TestOpen_RefusesAndShowsNoPassword(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ url, says string }{
		"another scheme":             {"http://:hunter2@a", "cannot be read"},
		"no scheme":                  {"hunter2", "cannot be read"},
		"an unknown kind":            {"redis-ring://:hunter2@a", "cannot be read"},
		"an unknown parameter":       {"redis://:hunter2@a?colour=hunter2", "cannot be read"},
		"a slash in the password":    {"redis://:hunter2/x@a:1", "%2F"},
		"several hosts, no kind":     {"redis://:hunter2@a,b", "redis-sentinel:// for Sentinels or redis-cluster://"},
		"Sentinels without a master": {"redis-sentinel://:hunter2@a,b", "?master=NAME"},
		"a cluster with a database":  {"redis-cluster://:hunter2@a/1", "only number 0"},
		"a cluster without a host":   {"redis-cluster://:hunter2@", "cannot be read"},
		"certificates without TLS":   {"redis://:hunter2@a?tls_ca=/x", "rediss://"},
		"a missing CA": {"rediss://:hunter2@a?tls_ca=/nowhere/ca.pem",
			"tls_ca of the Redis URL: open /nowhere/ca.pem"},
		"a missing key": {"rediss://:hunter2@a?tls_cert=/nowhere/cert.pem",
			"tls_cert and tls_key of the Redis URL"},
		"a database in letters": {"redis://:hunter2@a/x", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(test.url, silent())
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want %q without the password", err, test.says)
			}
		})
	}
}

func TestOpen_RefusesACAFileWithoutCertificate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("rediss://a?tls_ca="+path, silent()); err == nil ||
		!strings.Contains(err.Error(), "no certificate in PEM") {
		t.Errorf("got %v", err)
	}
}

// A client that may not retry must still follow a cluster's redirections, and must notice a failover soon.
func TestClient_OfAClusterFollowsItsChanges(t *testing.T) {
	t.Parallel()
	cluster, err := parse("redis-cluster://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	client, ok := cluster.client(tuning{timeout: sendTimeout, retries: -1}).(*redis.ClusterClient)
	if !ok {
		t.Fatal("the client is not one for clusters")
	}
	defer client.Close() //nolint:errcheck // it has no connection
	if o := client.Options(); o.MaxRedirects < 1 || o.ClusterStateReloadInterval != reloadInterval {
		t.Errorf("got %d redirections and a reload after %s", o.MaxRedirects, o.ClusterStateReloadInterval)
	}
}
