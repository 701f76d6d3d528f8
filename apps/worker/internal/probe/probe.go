// Package probe asks upstreams about credentials that nobody knows enough of:
// those of channels that are not well or had no calls for a while, and those
// that are disabled, which are enabled again where they are good.
package probe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
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
	// most bounds the probes of one run; concurrency, those at once.
	most        = 200
	concurrency = 4
	// quiet is the time without calls after which a channel is probed.
	quiet = time.Hour
	// idleEvery is the time between two probes of a channel that is only quiet.
	idleEvery = 15 * time.Minute
	// unpaidFor is how long a credential without money stays disabled at least:
	// a probe, which costs nothing, does not show that it has money again.
	unpaidFor = 10 * time.Minute
)

// Options describes a CredentialWatcher.
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

// Run probes what is due now.
func (w *CredentialWatcher) Run(ctx context.Context) error {
	known, err := w.read(ctx)
	if err != nil {
		return fmt.Errorf("find channels to probe: %w", err)
	}
	due := w.due(known)
	slots := make(chan struct{}, concurrency)
	var running sync.WaitGroup
	defer running.Wait()
	for _, subject := range due[:min(len(due), most)] {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		running.Go(func() {
			defer func() { <-slots }()
			w.ask(ctx, subject)
		})
	}
	return nil
}

// known is what the store says.
type known struct {
	channels []*catalog.Channel
	ill      map[uuid.UUID]bool
	serving  map[uuid.UUID]bool
	probed   map[catalogdb.Credential]time.Time
}

func (w *CredentialWatcher) read(ctx context.Context) (known, error) {
	k := known{ill: map[uuid.UUID]bool{}, serving: map[uuid.UUID]bool{}, probed: map[catalogdb.Credential]time.Time{}}
	snapshot, err := w.Store.Catalog.Snapshot(ctx, w.Scope)
	if err != nil {
		return k, err
	}
	k.channels = snapshot.Channels()
	ills, err := w.Store.Catalog.ChannelHealth(ctx, w.Scope, uuid.Nil)
	if err != nil {
		return k, err
	}
	for i := range ills {
		k.ill[ills[i].ChannelID] = true
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
		k.probed[probes[i].Credential] = probes[i].ProbedAt
	}
	return k, err
}

// subject is one credential of one channel.
type subject struct {
	channel  *catalog.Channel
	key      probe.Credential
	disabled *catalog.DisabledCredential
	serving  bool // the channel has served calls lately
}

func (s *subject) credential() catalogdb.Credential {
	return catalogdb.Credential{ChannelID: s.channel.ID, Fingerprint: s.key.Fingerprint}
}

// due returns what is to be probed: disabled credentials and those of channels
// that are ill before those of quiet ones.
func (w *CredentialWatcher) due(k known) []subject {
	var urgent, idle []subject
	for _, channel := range k.channels {
		if channel.Status != tenant.Enabled {
			continue
		}
		for _, s := range w.subjects(channel, k.serving[channel.ID]) {
			switch {
			case s.disabled != nil || k.ill[channel.ID]:
				urgent = append(urgent, s)
			case !s.serving && w.Now().Sub(k.probed[s.credential()]) >= idleEvery:
				idle = append(idle, s)
			}
		}
	}
	return append(urgent, idle...)
}

func (w *CredentialWatcher) subjects(channel *catalog.Channel, serving bool) (all []subject) {
	if len(channel.Credentials) == 0 {
		return []subject{{channel: channel, serving: serving}}
	}
	for _, key := range w.Prober.Credentials(channel) {
		if key.Fingerprint != "" {
			all = append(all, subject{channel, key, channel.Disabled(key.Fingerprint), serving})
		}
	}
	return all
}

// ask probes one credential, notes the result and draws the conclusion.
func (w *CredentialWatcher) ask(ctx context.Context, s subject) {
	result, able := w.Prober.Check(ctx, s.channel, s.key)
	if !able || ctx.Err() != nil {
		return
	}
	err := w.Store.Catalog.RecordProbe(ctx, w.Scope, catalogdb.Probe{
		Credential: s.credential(), Status: result.Status, Latency: result.Latency, Error: result.Error, ProbedAt: w.Now(),
	})
	if err == nil {
		err = w.conclude(ctx, s, result)
	}
	if err != nil {
		w.Log.ErrorContext(ctx, "probe not recorded", "channel", s.channel.Name, "key", s.key.Mask, "error", err)
	}
}

func (w *CredentialWatcher) conclude(ctx context.Context, s subject, result probe.Result) error {
	var changed bool
	var err error
	switch {
	case s.key.Fingerprint == "":
		return nil
	case s.disabled == nil && w.proves(s, result):
		changed, err = w.Store.Catalog.DisableCredential(ctx, w.Scope, s.credential(), result.Refusal)
	case result.Error == "" && s.disabled != nil && w.mayWork(s.disabled):
		changed, err = w.Store.Catalog.EnableCredential(ctx, w.Scope, s.credential())
	}
	if changed {
		w.Log.WarnContext(ctx, "a probe changed a credential", "channel", s.channel.Name, "key", s.key.Mask,
			"enabled", s.disabled != nil, "status", result.Status)
	}
	return err
}

// proves reports whether the credential is not to be used. Some may call models
// and not list them: where calls are served, the upstream must be certain.
func (w *CredentialWatcher) proves(s subject, result probe.Result) bool {
	return result.Certain || result.Status == http.StatusUnauthorized && !s.serving
}

// mayWork reports whether a good probe means that the credential works.
func (w *CredentialWatcher) mayWork(disabled *catalog.DisabledCredential) bool {
	return disabled.Reason != catalog.ReasonUnpaid || w.Now().Sub(disabled.Since) >= unpaidFor
}
