// Package probe checks the credentials of channels that traffic tells nothing about: credentials of channels
// that relays report as unhealthy, of channels without calls for an hour, and disabled ones. A probe asks the
// upstream for something that costs nothing, such as its list of models. It disables a credential that the
// upstream refuses and enables a disabled one that works again.
package probe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

const (
	// maxProbes is the highest number of probes in one run, concurrency the highest number of probes at the same
	// time.
	maxProbes   = 200
	concurrency = 4
	// runTime is the time after which a run starts no more probes. An upstream that does not answer takes the whole
	// time of each probe.
	runTime = 45 * time.Second
	// quiet is the time without calls after which a channel is probed.
	quiet = time.Hour
	// urgentEvery is the time between two probes of a disabled credential, or of one of an unhealthy channel. Each
	// worker has a schedule of its own, of a minute; the few seconds less are for runs that begin a little earlier.
	urgentEvery = 55 * time.Second
	// idleEvery is the time between two probes of a credential that is enabled and on a healthy channel
	// without calls.
	idleEvery = 15 * time.Minute
	// unpaidFor is the least time that a credential without money stays disabled. A probe costs nothing, so a
	// successful probe does not prove that the account has money again. After this time a successful probe
	// enables the credential anyway, and the next call shows whether the account has money.
	unpaidFor = 10 * time.Minute
)

// Options configures a CredentialWatcher.
type Options struct {
	Store  *store.Store
	Prober *probe.Prober
	Scope  tenant.Scope
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// CredentialWatcher probes the credentials that are due. It is safe for concurrent use.
type CredentialWatcher struct{ Options }

// New returns a CredentialWatcher.
func New(o Options) *CredentialWatcher {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &CredentialWatcher{o}
}

// Run probes the credentials that are due now, up to 200 in 45 seconds, and waits for the probes. After a probe without
// an answer, it leaves out the other credentials of the channel. It returns an error if it cannot read the state that
// decides which probes are due, or if ctx ends; failures of single probes are recorded or logged.
func (w *CredentialWatcher) Run(ctx context.Context) error {
	state, err := w.read(ctx)
	if err != nil {
		return fmt.Errorf("find channels to probe: %w", err)
	}
	due, end := w.due(state), w.Now().Add(runTime)
	var silent sync.Map // the ids of channels that did not answer
	slots := make(chan struct{}, concurrency)
	var running sync.WaitGroup
	defer running.Wait()
	asked := 0
	for _, subject := range due {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		if asked == maxProbes || !w.Now().Before(end) {
			return nil
		}
		if _, isSilent := silent.Load(subject.channel.ID); isSilent {
			<-slots
			continue
		}
		asked++
		running.Go(func() {
			defer func() { <-slots }()
			if answered := w.ask(ctx, subject); !answered {
				silent.Store(subject.channel.ID, nil)
			}
		})
	}
	return nil
}

// known is the state of channels and credentials that decides which probes are due.
type known struct {
	channels  []*catalog.Channel
	unhealthy map[uuid.UUID]bool // channels with a reported fault
	serving   map[uuid.UUID]bool // channels with calls in the last hour
	probes    map[catalogdb.Credential]time.Time
}

// read reads the state from the store.
func (w *CredentialWatcher) read(ctx context.Context) (known, error) {
	k := known{unhealthy: map[uuid.UUID]bool{}, serving: map[uuid.UUID]bool{},
		probes: map[catalogdb.Credential]time.Time{}}
	snapshot, err := w.Store.Catalog.Snapshot(ctx, w.Scope)
	if err != nil {
		return k, err
	}
	k.channels = snapshot.Channels()
	faults, err := w.Store.Catalog.ChannelHealth(ctx, w.Scope, uuid.Nil)
	if err != nil {
		return k, err
	}
	for i := range faults {
		k.unhealthy[faults[i].ChannelID] = true
	}
	serving, err := w.Store.Catalog.ChannelsServing(ctx, w.Scope, w.Now().Add(-quiet))
	if err != nil {
		return k, err
	}
	for _, id := range serving {
		k.serving[id] = true
	}
	probes, err := w.Store.Catalog.Probes(ctx, w.Scope, uuid.Nil)
	for i := range probes {
		k.probes[probes[i].Credential] = probes[i].ProbedAt
	}
	return k, err
}

// subject is a credential of a channel that may be probed.
type subject struct {
	channel  *catalog.Channel
	key      probe.Credential            // zero for a channel without credentials
	disabled *catalog.DisabledCredential // nil: the credential is enabled
	serving  bool                        // the channel had calls in the last hour
}

// credential returns the key under which the store keeps the probe.
func (s *subject) credential() catalogdb.Credential {
	return catalogdb.Credential{ChannelID: s.channel.ID, Fingerprint: s.key.Fingerprint}
}

// due returns the credentials to probe: disabled ones and those of unhealthy channels that were not probed for a minute
// first, then those of channels without calls that were not probed for 15 minutes. Among each, those come first whose
// last probe is the oldest. A probe of the far future counts as old: the clock of its worker was ahead.
func (w *CredentialWatcher) due(k known) []subject {
	var urgent, idle []subject
	for _, channel := range k.channels {
		if channel.Status != tenant.Enabled {
			continue
		}
		for _, s := range w.subjects(channel, k.serving[channel.ID]) {
			isUrgent, age := s.disabled != nil || k.unhealthy[channel.ID], w.Now().Sub(k.probes[s.credential()]).Abs()
			switch {
			case isUrgent && age >= urgentEvery:
				urgent = append(urgent, s)
			case !isUrgent && !s.serving && age >= idleEvery:
				idle = append(idle, s)
			}
		}
	}
	for _, list := range [][]subject{urgent, idle} {
		slices.SortStableFunc(list, func(a, b subject) int {
			return k.probes[a.credential()].Compare(k.probes[b.credential()])
		})
	}
	return append(urgent, idle...)
}

// subjects returns the credentials of a channel that can be unsealed, or one subject without a credential if
// the channel has none.
func (w *CredentialWatcher) subjects(channel *catalog.Channel, serving bool) (list []subject) {
	if len(channel.Credentials) == 0 {
		return []subject{{channel: channel, serving: serving}}
	}
	for _, key := range w.Prober.Credentials(channel) {
		if key.Fingerprint != "" {
			list = append(list, subject{channel, key, channel.Disabled(key.Fingerprint), serving})
		}
	}
	return list
}

// ask probes one credential, records the result, and disables or enables the credential accordingly. It reports whether
// the upstream may answer further probes.
func (w *CredentialWatcher) ask(ctx context.Context, s subject) (answered bool) {
	result, able := w.Prober.Check(ctx, s.channel, s.key)
	if !able || ctx.Err() != nil {
		return true
	}
	err := w.Store.Catalog.RecordProbe(ctx, w.Scope, catalogdb.Probe{
		Credential: s.credential(), Status: result.Status, Latency: result.Latency, Error: result.Error,
		ProbedAt: w.Now(),
	})
	if err == nil {
		err = w.conclude(ctx, s, result)
	}
	if err != nil {
		w.Log.ErrorContext(ctx, "the result of a probe was not recorded", "channel", s.channel.Name, "key",
			s.key.Mask, "error", err)
	}
	return result.Error != probe.ErrorTimedOut && result.Error != probe.ErrorUnreachable
}

// conclude disables an enabled credential that is refused and enables a disabled one that works.
func (w *CredentialWatcher) conclude(ctx context.Context, s subject, result probe.Result) error {
	var changed bool
	var err error
	switch {
	case s.key.Fingerprint == "":
		return nil
	case s.disabled == nil && w.refused(s, result):
		changed, err = w.Store.Catalog.DisableCredential(ctx, w.Scope, s.credential(), result.Refusal)
	case result.Error == "" && s.disabled != nil && w.mayEnable(s.disabled):
		changed, err = w.Store.Catalog.EnableCredential(ctx, w.Scope, s.credential())
	}
	if changed {
		w.Log.WarnContext(ctx, "a probe enabled or disabled a credential", "channel", s.channel.Name, "key", s.key.Mask,
			"enabled", s.disabled != nil, "status", result.Status)
	}
	return err
}

// refused reports whether the result proves that the upstream refuses the credential. Some credentials may
// call models but not list them and get a 401 for the probe. So while the channel serves calls, a 401 alone
// is no proof.
func (w *CredentialWatcher) refused(s subject, result probe.Result) bool {
	return result.Certain || result.Status == http.StatusUnauthorized && !s.serving
}

// mayEnable reports whether a probe without an error is enough to enable the credential again.
func (w *CredentialWatcher) mayEnable(credential *catalog.DisabledCredential) bool {
	return credential.Reason != catalog.ReasonUnpaid || w.Now().Sub(credential.Since) >= unpaidFor
}
