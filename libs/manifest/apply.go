package manifest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	Changes  []Change       // in the order in which they were made; empty if everything was as declared
	Tokens   []CreatedToken // tokens that were created without a declared value
	Warnings []string       // declarations that Apply could not carry out, as sentences
}

// Change names one resource that Apply created or changed.
type Change struct {
	Action string // created or changed
	Thing  string // group, group_rule, model, price, channel, tenant, user, token or operator
	Name   string // name, id, slug or e-mail address of the resource
}

// created and changed return the change of one resource.
func created(thing, name string) Change { return Change{"created", thing, name} }
func changed(thing, name string) Change { return Change{"changed", thing, name} }

// CreatedToken is a token that Apply created without a declared value, with the value that it generated. The database
// keeps only a hash, so the caller must hand the value on.
type CreatedToken struct {
	Tenant, User, Name, Value string
}

// ApplyFile reads the manifest at path and applies it. The error is an *Error if the manifest has faults.
func ApplyFile(ctx context.Context, path string, to Target) (Applied, error) {
	m, err := Read(path, Source{Lookup: to.Lookup, CheckChannel: registry.Check})
	if err != nil {
		return Applied{}, err
	}
	return m.Apply(ctx, to)
}

// ApplyText applies a manifest that is not in a file. Errors call it name.
func ApplyText(ctx context.Context, name string, text []byte, to Target) (Applied, error) {
	m, err := Parse(Source{File: name, Text: text, Lookup: to.Lookup, CheckChannel: registry.Check})
	if err != nil {
		return Applied{}, err
	}
	return m.Apply(ctx, to)
}

// Target is the installation to which a manifest is applied.
type Target struct {
	Store  *store.Store
	Sealer *seal.Sealer
	// Lookup returns the value of ${NAME} in the manifest, see Source.
	Lookup func(name string) (string, bool)
	// Scope is the caller that the audit log names. The zero Scope stands for the program itself.
	Scope tenant.Scope
	// Now is the clock by which price versions are compared; nil: time.Now.
	Now func() time.Time
}

// programScope is the name in the audit log for a program that applies a manifest. It is stored in existing entries,
// so it keeps the former word for the manifest.
const programScope = "catalogue"

// Apply creates the declared resources that are missing and changes those that differ, in one transaction. It is
// idempotent, and it never deletes: resources that the manifest does not name stay as they are. An error that concerns
// an entry wraps an *ApplyError.
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
	scope    tenant.Scope // the caller, for changes and the audit log
	program  tenant.Scope // for what only programs may do
	now      time.Time
	applied  Applied

	before *snapshot.Snapshot      // state before the transaction
	groups map[string]tenant.Group // existing and new groups by name; users refer to them
}

// all applies the entries in the order of their references: users refer to groups, prices to models.
func (a *applier) all(ctx context.Context) (err error) {
	if a.before, err = a.store.Catalog.Snapshot(ctx, a.scope); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{a.allGroups, a.allModels, a.allChannels, a.allTenants,
		a.allOperators} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ApplyError means that an entry of a manifest could not be applied. Nothing of the manifest was applied then.
type ApplyError struct {
	Line int
	Key  string // path of the entry, such as tenants[0].users[1]
	Err  error
}

// Error returns the line, the entry and the cause.
func (e *ApplyError) Error() string { return fmt.Sprintf("line %d: %s: %v", e.Line, e.Key, e.Err) }

// Unwrap returns the cause, so that problem.From still finds a problem and its kind.
func (e *ApplyError) Unwrap() error { return e.Err }

// at returns err with its place in the file, unless it is nil or already has one.
func (a *applier) at(err error, path string, args ...any) error {
	if inner := (*ApplyError)(nil); err == nil || errors.As(err, &inner) {
		return err
	}
	path = fmt.Sprintf(path, args...)
	return &ApplyError{Line: a.manifest.lines[path], Key: path, Err: err}
}

// record records a change if err is nil, and returns err.
func (a *applier) record(change Change, err error) error {
	if err == nil {
		a.applied.Changes = append(a.applied.Changes, change)
	}
	return err
}

// allGroups applies the groups. It also loads the existing ones that the manifest does not name into a.groups.
func (a *applier) allGroups(ctx context.Context) error {
	existing, err := storepage.All(func(page storepage.Page) (storepage.List[tenant.Group], error) {
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

// group creates or changes a group and its rule for all models.
func (a *applier) group(ctx context.Context, want *Group) error {
	group, exists := a.groups[want.Name]
	if !exists {
		newGroup, err := a.store.Catalog.CreateGroup(ctx, a.scope, want.Name, want.Models)
		if err := a.record(created("group", want.Name), err); err != nil {
			return err
		}
		group = newGroup
	}
	var patch catalogdb.GroupPatch
	if !slices.Equal(group.Models, want.Models) {
		patch.Models = &want.Models
	}
	patch.Status, patch.Limits = differs(want.Status, group.Status), want.Limits.Diff(group.Limits)
	if patch != (catalogdb.GroupPatch{}) {
		newGroup, err := a.store.Catalog.UpdateGroup(ctx, a.scope, group.ID, patch)
		if err := a.record(changed("group", want.Name), err); err != nil {
			return err
		}
		group = newGroup
	}
	a.groups[want.Name] = group
	return a.multiplier(ctx, group, want.Multiplier)
}

// differs returns want if it is given and differs from the present value, else nil.
func differs[T comparable](want *T, current T) *T {
	if want == nil || *want == current {
		return nil
	}
	return want
}

// multiplier adds a version of the group's rule for all models, unless the current one already has the multiplier and
// no fixed price.
func (a *applier) multiplier(ctx context.Context, group tenant.Group, want *money.Factor) error {
	if want == nil {
		return nil
	}
	if rule := a.before.Book.Rule("", group.ID, a.now); rule.Multiplier == *want && rule.Fixed == nil {
		return nil
	}
	_, err := a.store.Catalog.CreateRule(ctx, a.scope, pricing.Rule{GroupID: group.ID, Multiplier: *want})
	return a.record(created("group_rule", group.Name), err)
}

func (a *applier) allModels(ctx context.Context) error {
	for i := range a.manifest.Models {
		if err := a.model(ctx, &a.manifest.Models[i]); err != nil {
			return a.at(err, "models[%d]", i)
		}
	}
	return nil
}

// model creates or changes a model and its price.
func (a *applier) model(ctx context.Context, want *Model) error {
	model := a.before.Model(want.ID)
	if model == nil {
		_, err := a.store.Catalog.CreateModel(ctx, a.scope, catalog.Model{
			ID: want.ID, OwnedBy: want.OwnedBy, Free: want.Free,
			Status: or(want.Status, tenant.Enabled), MaxOutput: or(want.MaxOutput, 0), Limits: newLimits(want.Limits),
			ContextLength: or(want.ContextLength, 0), Modalities: catalog.Modalities(or(want.Modalities, Modalities{})),
			Routing: or(want.Routing, catalog.Weighted),
		}, want.Price)
		return a.record(created("model", want.ID), err)
	}
	patch := catalogdb.ModelPatch{
		OwnedBy: differs(&want.OwnedBy, model.OwnedBy), Status: differs(want.Status, model.Status),
		Free: differs(&want.Free, model.Free), MaxOutput: differs(want.MaxOutput, model.MaxOutput),
		Limits: want.Limits.Diff(model.Limits), ContextLength: differs(want.ContextLength, model.ContextLength),
		Routing: differs(want.Routing, model.Routing),
	}
	if m := want.Modalities; m != nil && !slices.Equal(m.Input, model.Modalities.Input) {
		patch.InputModalities = &m.Input
	}
	if m := want.Modalities; m != nil && !slices.Equal(m.Output, model.Modalities.Output) {
		patch.OutputModalities = &m.Output
	}
	steps := []func() error{
		func() error { return a.patchModel(ctx, want.ID, patch) },
		func() error { return a.price(ctx, want) },
	}
	if !want.Free {
		slices.Reverse(steps) // the store refuses a model that is neither free nor priced: add the price first
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// patchModel changes a model. It does nothing for an empty patch, which must not appear among the changes.
func (a *applier) patchModel(ctx context.Context, id string, patch catalogdb.ModelPatch) error {
	if patch == (catalogdb.ModelPatch{}) {
		return nil
	}
	_, err := a.store.Catalog.UpdateModel(ctx, a.scope, id, patch)
	return a.record(changed("model", id), err)
}

// price adds a version of the model's price, unless the current one has the same rates or a free model declares none.
func (a *applier) price(ctx context.Context, want *Model) error {
	terms, hasPrice := a.before.Book.Terms(want.ID, uuid.Nil, a.now)
	if hasPrice && terms.Price.Rates.Equal(want.Price) || !hasPrice && want.Free && want.Price.Equal(pricing.Rates{}) {
		return nil
	}
	_, err := a.store.Catalog.CreatePrice(ctx, a.scope, pricing.Price{Model: want.ID, Rates: want.Price})
	return a.record(created("price", want.ID), err)
}

// allChannels applies the channels. The manifest identifies them by name, the database by id.
func (a *applier) allChannels(ctx context.Context) error {
	existing := map[string]*catalog.Channel{}
	for _, channel := range a.before.Channels() {
		existing[channel.Name] = channel
	}
	for i := range a.manifest.Channels {
		want := &a.manifest.Channels[i]
		if err := a.accountOf(ctx, want); err != nil {
			return a.at(err, "channels[%d].settings.account_of", i)
		}
		var err error
		channel := existing[want.Name]
		if channel == nil {
			channel, err = a.makeChannel(ctx, want)
		} else {
			err = a.channel(ctx, channel, want)
		}
		if err == nil {
			err = a.costs(ctx, channel.ID, want)
		}
		if err != nil {
			return a.at(err, "channels[%d]", i)
		}
	}
	return nil
}

// accountOf returns an InvalidType problem if the setting account_of names a tenant that neither exists nor is
// declared. Tenants are applied after channels.
func (a *applier) accountOf(ctx context.Context, want *Channel) error {
	slug := want.Settings.unsealed().AccountOf
	if slug == "" || slices.ContainsFunc(a.manifest.Tenants, func(t Tenant) bool { return t.Slug == slug }) {
		return nil
	}
	_, err := a.store.Identity.TenantBySlug(ctx, a.scope, slug)
	if problem.Is(err, problem.NotFound) {
		return problem.New(problem.InvalidType, "there is no tenant %q, and the manifest does not declare it", slug)
	}
	return err
}

// makeChannel creates a channel with sealed credentials and settings.
func (a *applier) makeChannel(ctx context.Context, want *Channel) (*catalog.Channel, error) {
	channel := want.fresh()
	keys, err := a.sealed(or(want.Keys, nil))
	if err != nil {
		return nil, err
	}
	channel.Credentials = keys
	if channel.Settings, err = a.settings(want.Settings, &catalog.Settings{}); err != nil {
		return nil, err
	}
	newChannel, err := a.store.Catalog.CreateChannel(ctx, a.scope, *channel)
	return &newChannel, a.record(created("channel", want.Name), err)
}

// channel changes an existing channel where it differs. It returns a Conflict problem if the type differs.
func (a *applier) channel(ctx context.Context, channel *catalog.Channel, want *Channel) error {
	if channel.Type != want.Type {
		return problem.New(problem.Conflict, "the channel has type %s, which cannot be changed", channel.Type).
			At("type")
	}
	patch := catalogdb.ChannelPatch{
		BaseURL: differs(want.BaseURL, channel.BaseURL), Priority: differs(want.Priority, channel.Priority),
		Weight: differs(want.Weight, channel.Weight), Status: differs(want.Status, channel.Status),
		OnDisconnect: differs(want.OnDisconnect, channel.OnDisconnect),
		Unpriced:     differs(want.Unpriced, channel.Unpriced),
	}
	if !slices.Equal(channel.Dialects, want.Dialects) {
		patch.Dialects = &want.Dialects
	}
	if !maps.Equal(channel.Models, want.Models) {
		patch.Models = &want.Models
	}
	if want.Tags != nil && !slices.Equal(channel.Tags, want.Tags) {
		patch.Tags = &want.Tags
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
	if err := a.keys(channel, want, &patch); err != nil || patch == (catalogdb.ChannelPatch{}) {
		return err
	}
	_, err := a.store.Catalog.UpdateChannel(ctx, a.scope, channel.ID, patch)
	return a.record(changed("channel", want.Name), err)
}

// keys puts the declared credentials into the patch, unless the channel has them already. The store drops stored
// credentials with a change of where they travel, so that they must be declared again; keys then warns if none are.
func (a *applier) keys(channel *catalog.Channel, want *Channel, patch *catalogdb.ChannelPatch) error {
	after := *channel
	after.BaseURL, after.Settings = or(patch.BaseURL, after.BaseURL), or(patch.Settings, after.Settings)
	fields := catalog.CredentialRouteChanges(channel, &after)
	if want.Keys == nil {
		if len(fields) > 0 && len(channel.Credentials) > 0 {
			a.warn("The channel %q lost its credentials, because its %s changed. Declare them in api_keys.", want.Name,
				strings.Join(fields, ", "))
		}
		return nil
	}
	if len(fields) == 0 && a.holds(channel.Credentials, *want.Keys) {
		return nil
	}
	secrets, err := a.sealed(*want.Keys)
	patch.Keys = &secrets
	return err
}

// holds reports whether the sealed keys are the wanted ones. Sealing the same key twice gives different bytes, so it
// opens them. A key that cannot be opened, because the secret key has changed, counts as different and is replaced.
func (a *applier) holds(secrets []catalog.SealedSecret, want []string) bool {
	return slices.EqualFunc(secrets, want, func(key catalog.SealedSecret, want string) bool {
		current, err := a.sealer.OpenCredential(key)
		return err == nil && current == want
	})
}

// sealed returns the keys sealed with the current secret key.
func (a *applier) sealed(keys []string) ([]catalog.SealedSecret, error) {
	secrets := make([]catalog.SealedSecret, len(keys))
	for i, key := range keys {
		var err error
		if secrets[i], err = a.sealer.SealCredential(key); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}
