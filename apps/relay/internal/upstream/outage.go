package upstream

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/probe"
)

const (
	// probeEvery is the least time between two probes of a credential that failed calls ask for, so that a caller
	// cannot make the relay flood an upstream with probes.
	probeEvery = time.Second
	// concurrentProbes is the highest number of probes at the same time. Further ones wait.
	concurrentProbes = 8
	// longestPause is the longest time between two probes of a channel that cannot be reached.
	longestPause = 30 * time.Second
)

// Prober asks the upstream of a channel for something that costs nothing, such as its list of models. A
// *probe.Prober is one.
type Prober interface {
	// Check returns false if the type of the channel has no such request.
	Check(ctx context.Context, channel *catalog.Channel, key probe.Credential) (probe.Result, bool)
}

// outages probes channels and credentials after calls that failed, and keeps the channels that cannot be reached. A
// failed call is no proof that its channel is down, because its caller may have provoked the failure; a failed probe
// is. The circuit breaker of such a channel is open for all callers, until a probe reaches the channel or a call
// succeeds.
type outages struct {
	prober   Prober
	current  func() *snapshot.Snapshot
	now      func() time.Time
	requests context.Context // ends all probes
	onProbe  func(channel *catalog.Channel, code string)
	onChange func() // called when an outage begins, changes or ends
	// Called after a probe that proves that a credential is invalid.
	refuse func(c credential, reason catalog.DisabledReason)

	byChannel atomic.Pointer[map[uuid.UUID]*outage] // replaced and never changed, so that readers need no lock
	slots     chan struct{}
	running   sync.WaitGroup

	mu     sync.Mutex
	probes map[credential]lastProbe // of the last minute
}

// lastProbe describes the last probe of a credential that a call asked for.
type lastProbe struct {
	begun   time.Time
	running bool // the probe, or the watch that follows it, has not ended
}

// outage is the state of a channel that cannot be reached. It is immutable; each failed probe makes a new one.
type outage struct {
	code     string        // of the last probe
	failures int           // failed probes in a row
	until    time.Time     // when the next probe begins
	ended    chan struct{} // closed at the end of the outage
}

// find returns the outage of a channel, or nil.
func (o *outages) find(channel uuid.UUID) *outage {
	if byChannel := o.byChannel.Load(); byChannel != nil {
		return (*byChannel)[channel]
	}
	return nil
}

// replace replaces the outage of a channel by another one, or removes it if the other one is nil. It returns false, and
// changes nothing, if the outage of the channel is not old.
func (o *outages) replace(channel uuid.UUID, old, other *outage) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.find(channel) != old {
		return false
	}
	byChannel := map[uuid.UUID]*outage{}
	if current := o.byChannel.Load(); current != nil {
		maps.Copy(byChannel, *current)
	}
	if other == nil {
		delete(byChannel, channel)
	} else {
		byChannel[channel] = other
	}
	if o.byChannel.Store(&byChannel); len(byChannel) == 0 {
		o.byChannel.Store(nil)
	}
	o.onChange()
	return true
}

// end ends the outage of a channel, because a call succeeded or a probe got a response.
func (o *outages) end(channel uuid.UUID) {
	if outage := o.find(channel); outage != nil && o.replace(channel, outage, nil) {
		close(outage.ended)
	}
}

// suspect starts a probe of the channel with the credential, unless one is running or began within the last second.
// It returns at once.
func (o *outages) suspect(channel *catalog.Channel, key *snapshot.Credential) {
	if o.prober == nil || o.find(channel.ID) != nil || o.requests.Err() != nil {
		return
	}
	subject, now := credential{channel.ID, key.Fingerprint}, o.now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if probe, ok := o.probes[subject]; ok && (probe.running || now.Sub(probe.begun) < probeEvery) {
		return
	}
	o.probes[subject] = lastProbe{now, true}
	o.running.Go(func() {
		o.watch(channel, key)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.probes[subject] = lastProbe{now, false}
	})
}

// watch probes the channel. If it cannot be reached, watch probes it again and again, until it can, a call succeeds,
// the channel is removed, or the relay stops.
func (o *outages) watch(channel *catalog.Channel, key *snapshot.Credential) {
	id, end, pause := channel.ID, make(chan struct{}), routing.FirstCooldown
	var current *outage
	for failures := 1; channel != nil; failures++ {
		code := o.probe(channel, key)
		if code == "" || o.requests.Err() != nil {
			break
		}
		outage := &outage{code, failures, o.now().Add(pause), end}
		if !o.replace(id, current, outage) {
			return // a call succeeded, or a probe of another credential was first
		}
		if current = outage; !o.sleep(pause, end) {
			return
		}
		pause = min(2*pause, longestPause)
		channel, key = o.currentChannel(id)
	}
	if current != nil {
		o.end(id)
	}
}

// sleep waits. It returns false if the outage or the relay's life ends before.
func (o *outages) sleep(pause time.Duration, end <-chan struct{}) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-end:
	case <-o.requests.Done():
	}
	return false
}

// currentChannel returns the channel with its present settings and one of its enabled credentials; nil if the channel
// is gone or cannot be called.
func (o *outages) currentChannel(id uuid.UUID) (*catalog.Channel, *snapshot.Credential) {
	current := o.current()
	channel, target := current.Channel(id), current.Target(id)
	if channel == nil || target == nil {
		return nil, nil
	}
	for i := range target.Credentials {
		if !target.Credentials[i].Disabled {
			return channel, &target.Credentials[i]
		}
	}
	return channel, noCredential
}

// probe probes the channel once. It returns the code of the failure if the channel cannot be reached, and "" if
// there was any response, because only calls show what works on a channel that can be reached. A response that proves
// that the credential is invalid disables the credential.
func (o *outages) probe(channel *catalog.Channel, key *snapshot.Credential) (code string) {
	select {
	case o.slots <- struct{}{}:
		defer func() { <-o.slots }()
	case <-o.requests.Done():
		return ""
	}
	result, supported := o.prober.Check(o.requests, channel,
		probe.Credential{Plain: key.Plain, Mask: key.Mask, Fingerprint: key.Fingerprint})
	if !supported || o.requests.Err() != nil {
		return ""
	}
	if o.onProbe != nil {
		o.onProbe(channel, result.Error)
	}
	if result.Certain {
		o.refuse(credential{channel.ID, key.Fingerprint}, result.Refusal)
	}
	if result.Status != 0 {
		return ""
	}
	return result.Error
}

// sweep forgets probes that are too old to matter.
func (o *outages) sweep(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.probes, func(_ credential, probe lastProbe) bool {
		return !probe.running && now.Sub(probe.begun) >= probeEvery
	})
}

// appendUnhealthy appends the channels that cannot be reached.
func (o *outages) appendUnhealthy(breakers []BreakerStatus) []BreakerStatus {
	byChannel := o.byChannel.Load()
	if byChannel == nil {
		return breakers
	}
	for id, outage := range *byChannel {
		breakers = append(breakers, BreakerStatus{ChannelID: id, State: routing.Open, Code: outage.code,
			Failures: outage.failures, Until: outage.until})
	}
	return breakers
}
