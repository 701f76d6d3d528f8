package queue

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// check checks the Redis at the URL.
func check(t *testing.T, url string) (Verdict, error) {
	t.Helper()
	return open(t, url).Check(t.Context())
}

func TestCheck_AcceptsEveryKindOfRedis(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		if verdict, err := r.Check(t.Context()); err != nil || verdict != (Verdict{}) {
			t.Errorf("got %+v, error %v", verdict, err)
		}
	})
}

func TestCheck_SaysWhatIsWrongWithTheSetting(t *testing.T) {
	t.Parallel()
	single, cluster, sentinels := newNode(t), newCluster(t), newSentinels(t)
	replica := newNode(t, "--replicaof", strings.Replace(single.addr, ":", " ", 1))
	secret := newNode(t, "--requirepass", "hunter2")
	sentinel, _, _ := strings.Cut(strings.TrimPrefix(sentinels.url, "redis-sentinel://"), ",")
	single.do(t, "ACL", "SETUSER", "stranger", "on", ">pass", "~other:*", "+@all")
	single.do(t, "ACL", "SETUSER", "reader", "on", ">pass", "~*", "+@read", "+@connection", "+info",
		"+eval", "+evalsha")
	for name, test := range map[string]struct {
		url  string
		want *SettingError
	}{
		"a node of a cluster":       {"redis://" + cluster.masters[0].addr, errCluster},
		"another node of a cluster": {"redis://" + cluster.masters[2].addr, errCluster},
		"Sentinels as a cluster":    {"redis-cluster://" + sentinel, errNoCluster},
		"no cluster":                {"redis-cluster://" + single.addr, errNoCluster},
		"a Sentinel":                {"redis://" + sentinel, errSentinel},
		"a server, as a Sentinel":   {"redis-sentinel://" + single.addr + "?master=main", errNoSentinel},
		"a replica":                 {"redis://" + replica.addr, errReplica},
		"an unknown name of the master": {strings.Replace(sentinels.url, "master=main", "master=other", 1),
			errNoMaster},
		"no password":                   {"redis://" + secret.addr, errPassword},
		"a wrong password":              {"redis://:wrong@" + secret.addr, errPassword},
		"a password that is not needed": {"redis://stranger:wrong@" + single.addr, errPassword},
		"a user without our keys":       {"redis://stranger:pass@" + single.addr, errRights},
		"a user without write commands": {"redis://reader:pass@" + single.addr, errRights},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := check(t, test.url); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestCheck_AnOutageIsNoFaultOfTheSetting(t *testing.T) {
	t.Parallel()
	full := newNode(t, "--maxmemory", "1")
	for name, url := range map[string]string{
		"one server": "redis://127.0.0.1:1", "Sentinels": "redis-sentinel://127.0.0.1:1?master=main",
		"a cluster": "redis-cluster://127.0.0.1:1",
		"no memory": "redis://" + full.addr,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := check(t, url)
			if setting := (*SettingError)(nil); err == nil || errors.As(err, &setting) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCheck_ReportsAPolicyThatDeletesKeys(t *testing.T) {
	t.Parallel()
	single, cluster := newNode(t), newCluster(t)
	single.do(t, "CONFIG", "SET", "maxmemory-policy", "volatile-lru")
	cluster.masters[1].do(t, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	for url, want := range map[string]string{"redis://" + single.addr: "volatile-lru", cluster.url: "allkeys-lru"} {
		if verdict, err := check(t, url); err != nil || verdict.Policy != want {
			t.Errorf("got %+v, error %v; want the policy %s", verdict, err, want)
		}
	}
}

// The ACL rule is that of docs/redis.md.
func TestCheck_AcceptsAUserWithTheDocumentedRights(t *testing.T) {
	t.Parallel()
	single, cluster := newNode(t), newCluster(t)
	for name, test := range map[string]struct {
		url     string
		servers []*node
	}{
		"one server": {"redis://tollgate:pass@" + single.addr, []*node{single}},
		"a cluster":  {strings.Replace(cluster.url, "://", "://tollgate:pass@", 1), cluster.masters},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, server := range test.servers {
				server.do(t, "ACL", "SETUSER", "tollgate", "on", ">pass", "~asynq:*", "~tollgate:*", "&asynq:cancel",
					"+@all", "-@admin", "-@dangerous", "+info")
			}
			r := open(t, test.url)
			if _, err := r.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			ran := make(chan struct{}, 10)
			serve(t, r, PeriodicTask{Task: RollUpUsage, Every: time.Second, Handler: tell(ran)})
			<-ran
			<-ran
			if states, err := inspect(t, r).Queues(); err != nil || len(states) != 1 {
				t.Errorf("got queues %+v, error %v", states, err)
			}
			for _, server := range test.servers {
				if refused, err := server.Do(t.Context(), "ACL", "LOG").Slice(); err != nil || len(refused) > 0 {
					t.Errorf("Redis refused commands: %v, error %v", refused, err)
				}
			}
		})
	}
}

// tell returns a handler that reports each run to ran.
func tell(ran chan<- struct{}) Handler {
	return func(context.Context) error {
		select {
		case ran <- struct{}{}:
		default:
		}
		return nil
	}
}

// inspect returns an inspector that is closed when the test ends.
func inspect(t *testing.T, r *Redis) *Inspector {
	t.Helper()
	i := NewInspector(r)
	t.Cleanup(i.Close)
	return i
}
