package manifest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// Applied is the result of applying a manifest.
type Applied struct {
	Changes  []Change       // in order; none where everything was as declared
	Tokens   []CreatedToken // those without a declared value
	Warnings []string       // what the manifest asks for and Apply cannot do
}

// Change is one thing that Apply created or changed.
type Change struct {
	Action string // created or changed
	Thing  string // group, group_rule, model, price, channel, tenant, user, token or operator
	Name   string
}

func created(thing, name string) Change { return Change{"created", thing, name} }
func changed(thing, name string) Change { return Change{"changed", thing, name} }

// CreatedToken is a token that Apply created without a declared value. The
// value is stored nowhere: a caller that drops it loses it.
type CreatedToken struct {
	Tenant, User, Name, Value string
}

// ApplyFile reads the manifest at path and applies it.
func ApplyFile(ctx context.Context, path string, to Target) (Applied, error) {
	m, err := Read(path, Source{Lookup: to.Lookup, CheckChannel: registry.Check})
	if err != nil {
		return Applied{}, err
	}
	return m.Apply(ctx, to)
}

// ApplyText is ApplyFile for a manifest that is in no file; name is for errors.
func ApplyText(ctx context.Context, name string, text []byte, to Target) (Applied, error) {
	m, err := Parse(Source{File: name, Text: text, Lookup: to.Lookup, CheckChannel: registry.Check})
	if err != nil {
		return Applied{}, err
	}
	return m.Apply(ctx, to)
}

// Target is the installation that a manifest is applied to.
type Target struct {
	Store  *store.Store
	Sealer *seal.Sealer
	// Lookup gives ${NAME} its value, as Program.Lookup does.
	Lookup func(name string) (string, bool)
	// Scope is the caller that the audit log names; zero: the program.
	Scope tenant.Scope
	// Now is the clock by which price versions are compared; nil: time.Now.
	Now func() time.Time
}

// programScope names, in the audit log, the program that applies a manifest. The
// name is stored, so it stays what it was.
const programScope = "catalogue"

// Apply creates what is declared and missing, and changes what differs, in one
// transaction. Applying twice changes nothing the second time. It removes
// nothing: what the manifest does not name stays as it is. An error that
// concerns an entry wraps an *ApplyError.
func (m *Manifest) Apply(ctx context.Context, to Target) (Applied, error) {
	if to.Now == nil {
		to.Now = time.Now
	}
	program := tenant.SystemScope(programScope)
	if to.Scope == (tenant.Scope{}) {
		to.Scope = program
	}
	var applied Applied
	err := to.Store.Atomically(ctx, func(s *store.Store) error {
		a := &applier{
			manifest: m, store: s, sealer: to.Sealer, now: to.Now(), scope: to.Scope, program: program,
			groups: map[string]tenant.Group{},
		}
		err := a.all(ctx)
		applied = a.applied
		return err
	})
	if err != nil {
		return Applied{}, fmt.Errorf("apply manifest: %w", err)
	}
	return applied, nil
}

// applier applies one manifest in one transaction.
type applier struct {
	manifest *Manifest
	store    *store.Store
	sealer   *seal.Sealer
	scope    tenant.Scope // of the caller
	program  tenant.Scope // for lookups that only programs may do
	now      time.Time
	applied  Applied

	was    *snapshot.Snapshot      // before
	groups map[string]tenant.Group // by name
}

func (a *applier) all(ctx context.Context) (err error) {
	if a.was, err = a.store.Catalog.Snapshot(ctx, a.scope); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{a.allGroups, a.allModels, a.allChannels, a.allTenants, a.allOperators} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ApplyError says why an entry of a manifest cannot be applied.
type ApplyError struct {
	Line int
	Key  string // of the entry
	Err  error
}

// Error names the line and the entry.
func (e *ApplyError) Error() string { return fmt.Sprintf("line %d: %s: %v", e.Line, e.Key, e.Err) }

// Unwrap returns the cause: problems keep their kind.
func (e *ApplyError) Unwrap() error { return e.Err }

// at adds the place in the file to an error that has none yet.
func (a *applier) at(err error, path string, args ...any) error {
	if inner := (*ApplyError)(nil); err == nil || errors.As(err, &inner) {
		return err
	}
	path = fmt.Sprintf(path, args...)
	return &ApplyError{Line: a.manifest.lines[path], Key: path, Err: err}
}

// did records a change, unless it failed, and returns its error.
func (a *applier) did(change Change, err error) error {
	if err == nil {
		a.applied.Changes = append(a.applied.Changes, change)
	}
	return err
}

func (a *applier) allGroups(ctx context.Context) error {
	existing, err := everyPage(func(page storepage.Page) (storepage.List[tenant.Group], error) {
		return a.store.Catalog.Groups(ctx, a.scope, page)
	})
	if err != nil {
		return err
	}
	for _, group := range existing {
		a.groups[group.Name] = group
	}
	for i := range a.manifest.Groups {
		if err := a.group(ctx, &a.manifest.Groups[i]); err != nil {
			return a.at(err, "groups[%d]", i)
		}
	}
	return nil
}

// everyPage reads a list to its end.
func everyPage[T any](read func(storepage.Page) (storepage.List[T], error)) ([]T, error) {
	var all []T
	page := storepage.Page{Limit: 200}
	for {
		list, err := read(page)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if page.After = list.Next; page.After == "" {
			return all, nil
		}
	}
}

func (a *applier) group(ctx context.Context, want *Group) error {
	group, exists := a.groups[want.Name]
	if !exists {
		made, err := a.store.Catalog.CreateGroup(ctx, a.scope, want.Name, want.Models)
		if err := a.did(created("group", want.Name), err); err != nil {
			return err
		}
		group = made
	}
	var patch catalogdb.GroupPatch
	if !slices.Equal(group.Models, want.Models) {
		patch.Models = &want.Models
	}
	patch.Status, patch.Limits = differs(want.Status, group.Status), want.Limits.From(group.Limits)
	if patch != (catalogdb.GroupPatch{}) {
		updated, err := a.store.Catalog.UpdateGroup(ctx, a.scope, group.ID, patch)
		if err := a.did(changed("group", want.Name), err); err != nil {
			return err
		}
		group = updated
	}
	a.groups[want.Name] = group
	return a.multiplier(ctx, group, want.Multiplier)
}

// differs returns want where it is given and not what is there.
func differs[T comparable](want *T, is T) *T {
	if want == nil || *want == is {
		return nil
	}
	return want
}

// multiplier adds a version of the group's rule for all models where the
// current one, if any, multiplies by another factor or fixes a price.
func (a *applier) multiplier(ctx context.Context, group tenant.Group, want *money.Factor) error {
	if want == nil {
		return nil
	}
	if rule := a.was.Book.Rule("", group.ID, a.now); rule.Multiplier == *want && rule.Fixed == nil {
		return nil
	}
	_, err := a.store.Catalog.CreateRule(ctx, a.scope, pricing.Rule{GroupID: group.ID, Multiplier: *want})
	return a.did(created("group_rule", group.Name), err)
}

func (a *applier) allModels(ctx context.Context) error {
	for i := range a.manifest.Models {
		if err := a.model(ctx, &a.manifest.Models[i]); err != nil {
			return a.at(err, "models[%d]", i)
		}
	}
	return nil
}

func (a *applier) model(ctx context.Context, want *Model) error {
	model := a.was.Model(want.ID)
	if model == nil {
		_, err := a.store.Catalog.CreateModel(ctx, a.scope, catalog.Model{
			ID: want.ID, OwnedBy: want.OwnedBy, Free: want.Free,
			Status: or(want.Status, tenant.Enabled), MaxOutput: or(want.MaxOutput, 0), Limits: made(want.Limits),
		}, want.Price)
		return a.did(created("model", want.ID), err)
	}
	patch := catalogdb.ModelPatch{
		OwnedBy: differs(&want.OwnedBy, model.OwnedBy), Status: differs(want.Status, model.Status),
		Free: differs(&want.Free, model.Free), MaxOutput: differs(want.MaxOutput, model.MaxOutput),
		Limits: want.Limits.From(model.Limits),
	}
	steps := []func() error{
		func() error { return a.patchModel(ctx, want.ID, patch) },
		func() error { return a.price(ctx, want) },
	}
	if !want.Free {
		slices.Reverse(steps) // a model that is no longer free has its price first
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) patchModel(ctx context.Context, id string, patch catalogdb.ModelPatch) error {
	if patch == (catalogdb.ModelPatch{}) {
		return nil
	}
	_, err := a.store.Catalog.UpdateModel(ctx, a.scope, id, patch)
	return a.did(changed("model", id), err)
}

// price adds a version where the current one has other rates.
func (a *applier) price(ctx context.Context, want *Model) error {
	terms, priced := a.was.Book.Terms(want.ID, uuid.Nil, a.now)
	if priced && terms.Price.Rates.Equal(want.Price) || !priced && want.Free && want.Price.Equal(pricing.Rates{}) {
		return nil
	}
	_, err := a.store.Catalog.CreatePrice(ctx, a.scope, pricing.Price{Model: want.ID, Rates: want.Price})
	return a.did(created("price", want.ID), err)
}

func (a *applier) allChannels(ctx context.Context) error {
	existing := map[string]*catalog.Channel{}
	for _, channel := range a.was.Channels() {
		existing[channel.Name] = channel
	}
	for i := range a.manifest.Channels {
		want := &a.manifest.Channels[i]
		var err error
		if channel := existing[want.Name]; channel == nil {
			err = a.makeChannel(ctx, want)
		} else {
			err = a.channel(ctx, channel, want)
		}
		if err != nil {
			return a.at(err, "channels[%d]", i)
		}
	}
	return nil
}

func (a *applier) makeChannel(ctx context.Context, want *Channel) error {
	channel := want.fresh()
	keys, err := a.sealed(or(want.Keys, nil))
	if err != nil {
		return err
	}
	channel.Credentials = keys
	if channel.Settings, err = a.settings(want.Settings, &catalog.Settings{}); err != nil {
		return err
	}
	_, err = a.store.Catalog.CreateChannel(ctx, a.scope, *channel)
	return a.did(created("channel", want.Name), err)
}

func (a *applier) channel(ctx context.Context, channel *catalog.Channel, want *Channel) error {
	if channel.Type != want.Type {
		return problem.New(problem.Conflict, "the channel has type %s, which cannot be changed", channel.Type).At("type")
	}
	patch := catalogdb.ChannelPatch{
		BaseURL: differs(want.BaseURL, channel.BaseURL), Priority: differs(want.Priority, channel.Priority),
		Weight: differs(want.Weight, channel.Weight), Status: differs(want.Status, channel.Status),
		OnDisconnect: differs(want.OnDisconnect, channel.OnDisconnect),
	}
	if !slices.Equal(channel.Dialects, want.Endpoints) {
		patch.Dialects = &want.Endpoints
	}
	if !maps.Equal(channel.Models, want.Models) {
		patch.Models = &want.Models
	}
	if want.Keys != nil && !a.holds(channel.Credentials, *want.Keys) {
		keys, err := a.sealed(*want.Keys)
		if err != nil {
			return err
		}
		patch.Keys = &keys
	}
	if want.Settings != nil {
		settings, err := a.settings(want.Settings, &channel.Settings)
		if err != nil {
			return err
		}
		if !settings.Equal(&channel.Settings) {
			patch.Settings = &settings
		}
	}
	if patch == (catalogdb.ChannelPatch{}) {
		return nil
	}
	_, err := a.store.Catalog.UpdateChannel(ctx, a.scope, channel.ID, patch)
	return a.did(changed("channel", want.Name), err)
}

// holds reports whether the sealed keys are the wanted ones. Keys that do not
// open, for the secret key is another, are not.
func (a *applier) holds(sealed []catalog.SealedSecret, want []string) bool {
	return slices.EqualFunc(sealed, want, func(key catalog.SealedSecret, want string) bool {
		is, err := a.sealer.OpenCredential(key)
		return err == nil && is == want
	})
}

func (a *applier) sealed(keys []string) ([]catalog.SealedSecret, error) {
	sealed := make([]catalog.SealedSecret, len(keys))
	for i, key := range keys {
		var err error
		if sealed[i], err = a.sealer.SealCredential(key); err != nil {
			return nil, err
		}
	}
	return sealed, nil
}
