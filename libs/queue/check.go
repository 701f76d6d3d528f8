package queue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// checkTimeout bounds each command of Check.
const checkTimeout = 2 * time.Second

// noEviction is the policy of a Redis that refuses writes when its memory is full, instead of deleting keys.
const noEviction = "noeviction"

// SettingError says why Tollgate cannot work with a Redis that answers, until the setting or that Redis is changed.
type SettingError struct{ text string }

// Error returns the reason and what to do.
func (e *SettingError) Error() string { return e.text }

var (
	errCluster = &SettingError{"the Redis URL names one server of a cluster: use redis-cluster:// (rediss-cluster:// " +
		"with TLS) and one or more of its nodes"}
	errNoCluster = &SettingError{"the Redis URL begins with redis-cluster:// or rediss-cluster://, but the server is " +
		"not a node of a cluster: use redis:// or rediss://"}
	errSentinel   = &SettingError{"the Redis URL names a Sentinel: use redis-sentinel://HOST:PORT,...?master=NAME"}
	errNoSentinel = &SettingError{"the Redis URL begins with redis-sentinel:// or rediss-sentinel://, but the server " +
		"is not a Sentinel: use redis:// or rediss://"}
	errReplica = &SettingError{"the Redis URL names a replica, which refuses writes: use the address of the master, " +
		"or redis-sentinel:// to follow it"}
	errNoMaster = &SettingError{"the Sentinels of the Redis URL do not have a master of that name: correct " +
		"?master=NAME"}
	errPassword = &SettingError{"Redis refuses the user or the password of the Redis URL"}
	errRights   = &SettingError{"the Redis user may not use Tollgate's keys, channel or commands: docs/redis.md has " +
		"the ACL rule that it needs"}
)

// Verdict holds the findings of Check about a Redis that works.
type Verdict struct {
	// Policy is Redis's maxmemory-policy if it permits Redis to delete keys, and "" if it does not or is not known.
	Policy string
}

// Check asks Redis whether Tollgate can work with it. It returns a *SettingError if it cannot, and another error if
// Redis does not answer, or cannot execute writes at the moment. An embedded Redis is not asked.
func (r *Redis) Check(ctx context.Context) (Verdict, error) {
	if r.Embedded() {
		return Verdict{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	client := r.target.client(tuning{timeout: checkTimeout, retries: 1, connections: 1, dials: 1, deadlines: true})
	defer func() { _ = client.Close() }() // no command is pending
	policy, err := r.target.read(ctx, client)
	if err != nil {
		return Verdict{}, fmt.Errorf("check Redis: %w", r.target.explain(err))
	}
	for _, key := range checkKeys {
		if err := checkScript.Run(ctx, client, []string{key}).Err(); err != nil {
			return Verdict{}, fmt.Errorf("check Redis: %w", r.target.explain(err))
		}
	}
	return Verdict{Policy: policy}, nil
}

// checkScript writes as the scripts of limits and of asynq do.
var checkScript = redis.NewScript("return redis.call('SET', KEYS[1], '1', 'PX', '1000')")

// checkKeys are keys next to those of the limits and of the queue: they are on the same nodes of a cluster, and an ACL
// that permits those permits these.
var checkKeys = []string{"tollgate:{limit}:check", "asynq:{" + queueName + "}:check"}

// read reads what the servers say about themselves. It returns a policy that permits them to delete keys, if they have
// one. It returns "" for servers that keep that to themselves.
func (t *target) read(ctx context.Context, client redis.UniversalClient) (policy string, err error) {
	if cluster, ok := client.(*redis.ClusterClient); ok {
		var mu sync.Mutex
		err := cluster.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error {
			text, err := master.Info(ctx).Result()
			if current := policyOf(infoOf(text)); current != "" {
				mu.Lock()
				policy = current
				mu.Unlock()
			}
			return permitted(err)
		})
		return policy, err //nolint:wrapcheck // the caller wraps it
	}
	text, err := client.Info(ctx).Result()
	if err != nil {
		return "", permitted(err)
	}
	info := infoOf(text)
	switch {
	case info["redis_mode"] == "sentinel":
		return "", errSentinel
	case info["cluster_enabled"] == "1":
		return "", errCluster
	case t.single != nil && info["role"] == "slave":
		return "", errReplica
	}
	return policyOf(info), nil
}

// permitted returns nil for the error of a command that the ACL forbids: then the writes decide.
func permitted(err error) error {
	if err != nil && (redis.HasErrorPrefix(err, "NOPERM") || strings.Contains(err.Error(), "unknown command")) {
		return nil
	}
	return err
}

// policyOf returns the maxmemory-policy if it permits Redis to delete keys, else "".
func policyOf(info map[string]string) string {
	if policy := info["maxmemory_policy"]; policy != noEviction {
		return policy
	}
	return ""
}

// infoOf returns the fields of an answer to INFO.
func infoOf(text string) map[string]string {
	fields := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			fields[name] = strings.TrimSpace(value)
		}
	}
	return fields
}

// explain returns the SettingError for an error that lasts until somebody changes a setting, and other errors as they
// are. Behind Sentinels and in a cluster a server may be a replica for a moment, during a failover. The driver has no
// types for most of these errors, and wraps them in texts of its own, so that only the text tells them apart.
func (t *target) explain(err error) error {
	for _, hint := range []struct {
		text    string
		setting *SettingError
		holds   bool
	}{
		{"MOVED ", errCluster, t.cluster == nil},
		{"CLUSTERDOWN ", errCluster, t.cluster == nil},
		{"READONLY ", errReplica, t.single != nil},
		{"NOPERM ", errRights, true},
		{"NOAUTH ", errPassword, true},
		{"WRONGPASS ", errPassword, true},
		// NOPERM within a script, until Redis 7.0
		{"The user executing the script can't run this command", errRights, true},
		{"This instance has cluster support disabled", errNoCluster, t.cluster != nil},
		{"unknown command 'cluster'", errNoCluster, t.cluster != nil},
		{"unknown command 'sentinel'", errNoSentinel, t.failover != nil},
	} {
		if hint.holds && strings.Contains(err.Error(), hint.text) {
			return hint.setting
		}
	}
	if t.failover != nil && errors.Is(err, redis.Nil) {
		return errNoMaster
	}
	return err
}
