package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// check validates the values by the rules of their core packages, and the references between entries. channelCheck
// validates a channel by the rules of its type.
func (d *decoder) check(c *Manifest, channelCheck func(*catalog.Channel) error) {
	groups, models := d.checkGroups(c), d.checkModels(c)
	d.checkChannels(c, models, channelCheck)
	d.checkTenants(c, groups)
}

// names is the set of names that one kind of entry has used.
type names map[string]bool

// once adds a name to the set and records a fault if it is already there.
func (d *decoder) once(set names, path, name string) {
	if set[name] {
		d.faultAt(path, "%q is declared twice", name)
	}
	set[name] = true
}

// problem records the problem in err as a fault of the entry at path, or of the field in it that the problem names. It
// does nothing if err is nil.
func (d *decoder) problem(path string, err error) {
	if err == nil {
		return
	}
	p := problem.From(err)
	if p.Param != "" {
		path = join(path, p.Param)
	}
	d.faultAt(path, "%s", p.Text())
}

// checkGroups checks the groups and returns their names, for the references of users.
func (d *decoder) checkGroups(c *Manifest) names {
	set := names{}
	for i, group := range c.Groups {
		path := fmt.Sprintf("groups[%d]", i)
		d.once(set, path+".name", group.Name)
		d.problem(path, tenant.CheckName(group.Name))
		d.problem(path, catalog.CheckPatterns(group.Models))
		d.problem(path, tenant.CheckLimits(newLimits(group.Limits)))
	}
	return set
}

// checkModels checks the models and returns their ids, for the references of channels.
func (d *decoder) checkModels(c *Manifest) names {
	set := names{}
	for i, model := range c.Models {
		path := fmt.Sprintf("models[%d]", i)
		d.once(set, path+".id", model.ID)
		d.problem(path, catalog.CheckModelID(model.ID))
		d.problem(path, model.Price.Check(model.Free))
		d.problem(path, tenant.CheckLimits(newLimits(model.Limits)))
		switch {
		case model.MaxOutput == nil:
		case *model.MaxOutput < 1:
			d.faultAt(path+".max_output_tokens", "must be greater than zero")
		default:
			d.problem(path, catalog.CheckTokens("max_output_tokens", *model.MaxOutput))
		}
		if model.ContextLength != nil {
			d.problem(path, catalog.CheckTokens("context_length", *model.ContextLength))
		}
		if model.Modalities != nil {
			d.problem(path, catalog.CheckModalities("modalities.input", model.Modalities.Input))
			d.problem(path, catalog.CheckModalities("modalities.output", model.Modalities.Output))
		}
	}
	return set
}

// checkChannels checks the channels, their references to models, and with check the rules of their types.
func (d *decoder) checkChannels(c *Manifest, models names, check func(*catalog.Channel) error) {
	set := names{}
	for i := range c.Channels {
		channel := &c.Channels[i]
		path := fmt.Sprintf("channels[%d]", i)
		d.once(set, path+".name", channel.Name)
		for _, public := range slices.Sorted(maps.Keys(channel.Models)) {
			if !models[public] {
				d.faultAt(path+".models."+public, "the model is not declared")
			}
		}
		for k, key := range or(channel.Keys, nil) {
			if key == "" {
				d.faultAt(fmt.Sprintf("%s.api_keys[%d]", path, k), "must not be empty")
			}
		}
		d.checkCosts(path, channel.Costs)
		d.checkProxy(path, channel.Settings)
		d.problem(path, d.channelProblem(path, check(channel.fresh())))
	}
}

// checkCosts checks what the upstream of a channel charges.
func (d *decoder) checkCosts(path string, costs map[string]Cost) {
	for _, model := range slices.Sorted(maps.Keys(costs)) {
		cost := pricing.ChannelCost{Rates: costs[model].Rates, Factor: or(costs[model].Factor, money.One)}
		if p := problem.From(cost.Check()); p != nil {
			d.problem(path+".costs."+model, p.At(strings.TrimPrefix(strings.TrimPrefix(p.Param, "rates"), ".")))
		}
	}
}

// channelProblem renames the field of a problem where the key in the manifest differs from the API's field.
func (d *decoder) channelProblem(path string, err error) error {
	p := problem.From(err)
	switch {
	case p == nil:
		return nil
	case p.Param == "keys":
		return p.At("api_keys")
	case p.Param == "dialects" && !d.has(path, "dialects"): // then the file has the former key
		return p.At(formerDialects)
	}
	return err
}

// fresh returns the declared channel with all defaults, for validation and creation. Its credentials are empty and its
// proxy is not sealed yet; only their number and mask are right.
func (c *Channel) fresh() *catalog.Channel {
	channel := &catalog.Channel{
		Name: c.Name, Type: c.Type, BaseURL: or(c.BaseURL, ""), Dialects: c.Dialects, Models: c.Models,
		Priority: or(c.Priority, 0), Weight: or(c.Weight, 1), Status: or(c.Status, tenant.Enabled),
		OnDisconnect: or(c.OnDisconnect, catalog.DisconnectCancel), Unpriced: or(c.Unpriced, charge.Refuse),
		Tags:     c.Tags,
		Settings: c.Settings.unsealed(),
	}
	if c.Keys != nil {
		channel.Credentials = make([]catalog.SealedSecret, len(*c.Keys))
	}
	return channel
}

// newLimits returns the limits of a new resource with the declared ones.
func newLimits(change limit.Change) limit.Limits { return change.Apply(limit.Limits{}) }

// or returns the value of an optional key, or the default if the file omits the key.
func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// checkTenants checks tenants, users, tokens and operators. E-mail addresses and values of tokens must be unique in the
// whole manifest, names of tokens only for their user.
func (d *decoder) checkTenants(c *Manifest, groups names) {
	slugs, emails, values := names{}, names{}, names{}
	for i := range c.Tenants {
		t := &c.Tenants[i]
		path := fmt.Sprintf("tenants[%d]", i)
		d.once(slugs, path+".slug", t.Slug)
		d.problem(path, tenant.CheckSlug(t.Slug))
		d.problem(path, tenant.CheckName(t.Name))
		_, err := attribution.NamesOf(t.MetadataTags)
		d.problem(path, err)
		for j := range t.Users {
			user := &t.Users[j]
			at := fmt.Sprintf("%s.users[%d]", path, j)
			d.checkLogin(emails, at, &user.Email, user.Password)
			if d.has(at, "password") && user.Password == "" { // an omitted password is valid
				d.faultAt(at+".password", "must have 1 to %d characters", maxPassword)
			}
			if !groups[user.Group] {
				d.faultAt(at+".group", "the group %q is not declared", user.Group)
			}
			d.problem(at, tenant.CheckLimits(newLimits(user.Limits)))
			d.checkTokens(at, user.Tokens, values)
		}
	}
	for i := range c.Operators {
		operator := &c.Operators[i]
		at := fmt.Sprintf("operators[%d]", i)
		d.checkLogin(emails, at, &operator.Email, operator.Password)
		if operator.Password == "" {
			d.faultAt(at+".password", "must have 1 to %d characters", maxPassword)
		}
	}
}

// checkLogin checks the e-mail address and password of a user or operator and normalizes the address.
func (d *decoder) checkLogin(set names, path string, address *string, password string) {
	*address = email.Normalize(*address)
	d.once(set, path+".email", *address)
	d.problem(path, email.Check(*address))
	if len(password) > maxPassword {
		d.faultAt(path+".password", "must have 1 to %d characters", maxPassword)
	}
}

// maxPassword is the longest password that sign-in accepts, in bytes. The console's rule about short passwords does not
// apply here: the author of the manifest decides.
const maxPassword = 1024

// checkTokens checks the tokens of one user. values holds the token values of the whole manifest.
func (d *decoder) checkTokens(path string, tokens []Token, values names) {
	set := names{}
	for i, t := range tokens {
		at := fmt.Sprintf("%s.tokens[%d]", path, i)
		d.once(set, at+".name", t.Name)
		d.problem(at, tenant.CheckName(t.Name))
		d.problem(at, catalog.CheckPatterns(t.Models))
		d.problem(at, tenant.CheckLimits(newLimits(t.Limits)))
		if t.Value == "" {
			if d.has(at, "value") {
				d.faultAt(at+".value", "must not be empty: omit the key to generate a value")
			}
			continue
		}
		d.problem(at, token.CheckImported(t.Value))
		if values[t.Value] {
			d.faultAt(at+".value", "another token has the same value")
		}
		values[t.Value] = true
	}
}
