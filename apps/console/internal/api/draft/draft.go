// Package draft makes channels from the bodies of requests: the channel that createChannel stores, and those that are
// only tried. It encrypts the credentials and the proxy.
package draft

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
)

// Maker makes channels.
type Maker struct{ Sealer *seal.Sealer }

// NewChannel is the body of createChannel.
type NewChannel struct {
	Name      string               `json:"name" minLength:"1" maxLength:"200"`
	Type      string               `json:"type" doc:"Kind of upstream: openai, azure, anthropic, gemini or echo"`
	BaseURL   api.Optional[string] `json:"base_url,omitzero" maxLength:"2000" doc:"URL of the upstream. Required for all types except echo"`
	APIKeys   []string             `json:"api_keys,omitempty" maxItems:"100" doc:"API keys of the upstream. They are stored encrypted and never shown again"`
	Dialects  []string             `json:"dialects,omitempty" enum:"chat,responses,messages,gemini" doc:"Dialects that the upstream speaks. Required, unless the body has endpoints"`
	Endpoints []string             `json:"endpoints,omitempty" enum:"chat,responses,messages,gemini" deprecated:"true" doc:"The former name of dialects. A body with both has the same value in both"`
	Models    map[string]string    `json:"models" doc:"Maps public model ids to the ids at the upstream"`
	Priority  int                  `json:"priority,omitempty" minimum:"-1000000" maximum:"1000000" doc:"Channels with a lower number are tried first"`
	Weight    int                  `json:"weight,omitempty" minimum:"1" maximum:"1000000" default:"1" doc:"Share of the calls among channels with the same priority"`
	Status    string               `json:"status,omitempty" enum:"enabled,disabled" default:"enabled"`
	Tags      []string             `json:"tags,omitempty" maxItems:"10" doc:"Words of the operator, for lists of channels, see Channel"`

	OnDisconnect string `json:"on_disconnect,omitempty" enum:"cancel,drain" default:"cancel" doc:"What happens when a client disconnects during a response. cancel: cancel the upstream call. drain: read the rest of the response, to learn its usage"`

	Unpriced string `json:"unpriced,omitempty" enum:"refuse,allow" default:"refuse" doc:"What happens to calls that could cause a charge without a price, see Channel"`

	Settings ChannelSettingsPatch `json:"settings,omitzero"`
}

// Channel returns a channel with the values of the body, in which the credentials and the proxy are encrypted. It has
// the values of base where the body has none: those of a stored channel, or none. The result is neither checked nor
// stored.
func (m Maker) Channel(base catalog.Channel, body *NewChannel) (catalog.Channel, error) {
	spoken, err := Dialects{body.Dialects, body.Endpoints}.List()
	if err != nil {
		return base, err
	}
	if spoken != nil {
		base.Dialects = spoken
	}
	if len(body.APIKeys) > 0 {
		if base.Credentials, err = m.Seal(body.APIKeys, "api_keys"); err != nil {
			return base, err
		}
	}
	if body.Models != nil {
		base.Models = body.Models
	}
	if body.Tags != nil {
		base.Tags = displaytext.Trim(body.Tags)
	}
	base.Name, base.Type = cmp.Or(body.Name, base.Name), cmp.Or(body.Type, base.Type)
	if body.BaseURL.Given() { // an empty one is the provider's own
		base.BaseURL = body.BaseURL.Value()
	}
	base.Priority, base.Weight = body.Priority, cmp.Or(body.Weight, base.Weight)
	base.Status = cmp.Or(tenant.Status(body.Status), base.Status)
	base.OnDisconnect = cmp.Or(catalog.Disconnect(body.OnDisconnect), base.OnDisconnect)
	base.Unpriced = cmp.Or(charge.Policy(body.Unpriced), base.Unpriced)
	return base, m.ApplySettings(&base.Settings, &body.Settings)
}

// Dialects are the dialects in the body of a request. A list that the body does not have is nil.
type Dialects struct{ Dialects, Endpoints []string }

// List returns the dialects, nil if the body has none. Huma has checked them against the enum of the field. The error
// is an InvalidType problem if the body has different lists under the name and the former name.
func (s Dialects) List() ([]catalog.Dialect, error) {
	names := s.Dialects
	switch {
	case names == nil:
		names = s.Endpoints
	case s.Endpoints != nil && !slices.Equal(names, s.Endpoints):
		return nil, problem.New(problem.InvalidType, "The field endpoints is the former name of dialects and must "+
			"have the same value. Send only dialects.").At("endpoints")
	}
	if names == nil {
		return nil, nil
	}
	list := make([]catalog.Dialect, 0, len(names))
	for _, name := range names {
		list = append(list, catalog.Dialect(name))
	}
	return list, nil
}

// Named returns err. A problem of the dialects gets the name of the field under which the body has them.
func (s Dialects) Named(err error) error {
	if p := problem.From(err); s.Dialects == nil && s.Endpoints != nil && p.Param == "dialects" {
		return p.At("endpoints")
	}
	return err
}

// Seal encrypts the credentials of a field. It refuses credentials that
// cannot be sent in an HTTP header. A mask, which a client may send back by
// mistake, is refused too, because it contains a character that is not ASCII.
func (m Maker) Seal(keys []string, field string) ([]catalog.SealedSecret, error) {
	secrets := make([]catalog.SealedSecret, 0, len(keys))
	for i, key := range keys {
		if err := CheckCredential(key, fmt.Sprintf("%s[%d]", field, i)); err != nil {
			return nil, err
		}
		secret, err := m.Sealer.SealCredential(key)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// CheckCredential returns a problem of the field unless the credential of an upstream can be sent in a header.
func CheckCredential(credential, field string) error {
	if credential == "" || len(credential) > 4096 || strings.ContainsFunc(credential, isInvisible) {
		return problem.New(problem.InvalidType,
			"A credential must have 1 to 4,096 visible ASCII characters, without spaces.").At(field)
	}
	return nil
}

// isInvisible reports whether c is not a visible ASCII character.
func isInvisible(c rune) bool { return c <= ' ' || c > '~' }

// StoredChannel returns the channel from the current snapshot, which also
// knows its disabled credentials. It refuses callers who are not operators.
func StoredChannel(ctx context.Context, from *store.Store, id uuid.UUID) (*catalog.Channel, error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	snapshot, err := from.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	channel := snapshot.Channel(id)
	if channel == nil {
		return nil, problem.New(problem.NotFound, "There is no such channel.")
	}
	return channel, nil
}
