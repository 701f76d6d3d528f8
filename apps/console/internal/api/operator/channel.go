package operator

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// Channel describes a configured upstream. It contains no credentials.
type Channel struct {
	ID          uuid.UUID         `json:"id"`
	Name        string            `json:"name"`
	Type        string            `json:"type" doc:"Kind of upstream: openai, azure, anthropic, gemini or echo"`
	BaseURL     string            `json:"base_url" doc:"URL of the upstream; empty only for the type echo"`
	APIKeyMasks []string          `json:"api_key_masks" doc:"Part of each credential by which people recognize it; useless for authentication. A list of channels has the first 20 of each channel"`
	Masks       int               `json:"api_key_masks_count" doc:"Number of credentials"`
	Dropped     []string          `json:"dropped_api_key_masks,omitempty" maxItems:"100" doc:"Only in the answer of updateChannel: the masks of the credentials that the change dropped, because it changes where they would be sent"`
	Dialects    []string          `json:"dialects" maxItems:"20" doc:"Dialects that the upstream speaks: chat, responses, messages or gemini. Calls in other dialects are translated"`
	Endpoints   []string          `json:"endpoints" maxItems:"20" deprecated:"true" doc:"The former name of dialects, with the same value"`
	Models      map[string]string `json:"models" doc:"Maps public model ids to the ids at the upstream. A list of channels has the first 20 of each channel, in the order of the public ids"`
	Count       int               `json:"models_count" doc:"Number of models"`
	Priority    int               `json:"priority" doc:"Channels with a lower number are tried first"`
	Weight      int               `json:"weight" doc:"Share of the calls among channels with the same priority"`
	Status      string            `json:"status" enum:"enabled,disabled"`
	CreatedAt   time.Time         `json:"created_at"`
	Tags        []string          `json:"tags" maxItems:"10" doc:"Words of the operator, for lists of channels: each is unique in its channel and has 1 to 40 characters. They decide nothing, and tenants never see them"`

	OnDisconnect string `json:"on_disconnect" enum:"cancel,drain" doc:"What happens when a client disconnects during a response. cancel: cancel the upstream call. drain: read the rest of the response, to learn its usage"`

	Unpriced string `json:"unpriced" enum:"refuse,allow" doc:"What happens to calls that could cause a charge of the provider for which the model has no price, such as a service tier or a tool that the provider runs. refuse: they go to other channels, or are refused. allow: the channel serves them, and the operator pays the difference"`

	Settings ChannelSettings `json:"settings"`
}

// channelOf returns the channel as the API shows it, with masks in place of its credentials.
func channelOf(c *catalog.Channel) Channel {
	body := Channel{
		ID: c.ID, Name: c.Name, Type: c.Type, BaseURL: c.BaseURL, APIKeyMasks: []string{}, Masks: len(c.Credentials),
		Dialects: []string{},
		Models:   c.Models, Count: len(c.Models), Priority: c.Priority, Weight: c.Weight, Status: string(c.Status),
		CreatedAt: c.CreatedAt.UTC(), Tags: texts(c.Tags),
		OnDisconnect: string(c.OnDisconnect), Unpriced: string(c.Unpriced), Settings: settingsOf(&c.Settings),
	}
	if body.Models == nil {
		body.Models = map[string]string{}
	}
	for _, key := range c.Credentials {
		body.APIKeyMasks = append(body.APIKeyMasks, key.Mask)
	}
	for _, dialect := range c.Dialects {
		body.Dialects = append(body.Dialects, string(dialect))
	}
	body.Endpoints = body.Dialects
	return body
}

// fewOf returns the channel with the first members of its lists, for a list of channels.
func fewOf(c Channel) Channel {
	c.APIKeyMasks, c.Models = part.Few(c.APIKeyMasks), part.FewOf(c.Models)
	s := &c.Settings
	s.Headers, s.Parameters, s.Authorities = part.FewOf(s.Headers), part.FewOf(s.Parameters), part.Few(s.Authorities)
	return c
}

// ChannelPatch is the body of updateChannel.
type ChannelPatch struct {
	Name      api.Optional[string]            `json:"name,omitzero" minLength:"1" maxLength:"200"`
	BaseURL   api.Optional[string]            `json:"base_url,omitzero" maxLength:"2000"`
	APIKeys   api.Optional[[]string]          `json:"api_keys,omitzero" maxItems:"100" doc:"Replaces all API keys of the channel. They are stored encrypted and never shown again"`
	Rotation  CredentialRotation              `json:"rotation,omitzero" doc:"Adds and removes single API keys. Cannot be combined with api_keys, or with a change of where API keys are sent"`
	Dialects  api.Optional[[]string]          `json:"dialects,omitzero" enum:"chat,responses,messages,gemini" doc:"Dialects that the upstream speaks"`
	Endpoints api.Optional[[]string]          `json:"endpoints,omitzero" enum:"chat,responses,messages,gemini" deprecated:"true" doc:"The former name of dialects. A body with both has the same value in both"`
	Models    api.Optional[map[string]string] `json:"models,omitzero" doc:"Replaces the map of public model ids to the ids at the upstream"`
	Priority  api.Optional[int]               `json:"priority,omitzero" minimum:"-1000000" maximum:"1000000"`
	Weight    api.Optional[int]               `json:"weight,omitzero" minimum:"1" maximum:"1000000"`
	Status    api.Optional[string]            `json:"status,omitzero" enum:"enabled,disabled"`
	Tags      api.Optional[[]string]          `json:"tags,omitzero" maxItems:"10" doc:"Replaces the tags, see Channel"`

	OnDisconnect api.Optional[string] `json:"on_disconnect,omitzero" enum:"cancel,drain" doc:"What happens when a client disconnects during a response, see Channel"`

	Unpriced api.Optional[string] `json:"unpriced,omitzero" enum:"refuse,allow" doc:"What happens to calls that could cause a charge without a price, see Channel"`

	Settings api.Optional[draft.ChannelSettingsPatch] `json:"settings,omitzero"`
}

type channelUpdate struct {
	api.ByID
	Body ChannelPatch
}

func registerChannels(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createChannel", Method: http.MethodPost, Path: "/operator/channels", Tag: "operator",
		Scope: token.WriteChannels, Summary: "Create a channel",
		Description: "Relays use the channel within a second. Credentials are stored encrypted and never shown " +
			"again. An access key may create disabled channels without credentials, proxy, certificate authorities, " +
			"account_of and such headers and parameters.",
		Status: http.StatusCreated, Errors: []int{http.StatusConflict},
		Needs: permission.WritePlatform, Confirm: "the channel is enabled, or the body contains API keys, a proxy, " +
			"certificate authorities, headers that route requests, account_of or parameters that may give prompts to " +
			"others",
		Body: api.DocumentBody,
	}, h.createChannel)
	api.Register(h.API, api.Operation{
		ID: "listChannels", Method: http.MethodGet, Path: "/operator/channels", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "List channels",
		Description: "Oldest first. Credentials are shown only as masks. Each channel has the first 20 of its " +
			"models, masks, headers, parameters and authorities; getChannel has all.",
		Errors: []int{http.StatusForbidden},
	}, h.listChannels)
	api.Register(h.API, api.Operation{
		ID: "getChannel", Method: http.MethodGet, Path: "/operator/channels/{id}", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Get a channel",
		Description: "Returns the channel with its settings. Credentials are shown only as masks.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getChannel)
	api.Register(h.API, api.Operation{
		ID: "updateChannel", Method: http.MethodPatch, Path: "/operator/channels/{id}", Tag: "operator",
		Scope: token.WriteChannels, Summary: "Edit, disable or enable a channel",
		Description: "Changes only the fields that are sent. Relays apply the change within a second. A change of " +
			"base_url, settings.proxy, settings.ca or of headers that may route requests drops the channel's " +
			"credentials, unless api_keys has them again; dropped_api_key_masks names them. " +
			"An access key may not change these, settings.account_of, the credentials and parameters that may give " +
			"prompts to others, or enable a channel without credentials.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
		Needs:  permission.WritePlatform, Confirm: "the request changes API keys, base_url, settings.proxy, " +
			"settings.ca, settings.account_of, headers that route requests or parameters that may give prompts to " +
			"others, or enables a channel without API keys", Body: api.DocumentBody,
	}, h.updateChannel)
}

// maker returns the maker of channels.
func (h *handlers) maker() draft.Maker { return draft.Maker{Sealer: h.Sealer} }

func (h *handlers) createChannel(ctx context.Context,
	in *struct{ Body draft.NewChannel }) (*api.Answer[Channel], error) {
	body := &in.Body
	dialects := draft.Dialects{Dialects: body.Dialects, Endpoints: body.Endpoints}
	channel, err := h.maker().Channel(catalog.Channel{}, body)
	if err != nil {
		return nil, err
	}
	if channel.Dialects == nil {
		return nil, problem.New(problem.MissingParameter, "The field dialects is required.").At("dialects")
	}
	if err := checkCreateByAccessKey(ctx, &channel); err != nil {
		return nil, err
	}
	bare := catalog.Channel{Type: channel.Type, BaseURL: channel.BaseURL}
	if channel.Status == tenant.Enabled || len(channel.Credentials) > 0 ||
		len(catalog.RouteChanges(&bare, &channel)) > 0 {
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
	}
	if err := h.CheckChannel(&channel); err != nil {
		return nil, dialects.Named(err)
	}
	if err := checkAccount(ctx, h.Store, channel.Settings.AccountOf); err != nil {
		return nil, err
	}
	row, err := h.Store.Catalog.CreateChannel(ctx, api.ScopeOf(ctx), channel)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(channelOf(&row)), nil
}

type channelQuery struct {
	api.PageQuery
	part.CompleteQuery
	Tag string `query:"tag" maxLength:"160" doc:"Lists only channels with this tag, exactly"`
}

func (h *handlers) listChannels(ctx context.Context, in *channelQuery) (*api.Answer[api.List[Channel]], error) {
	var tags []string
	if tag := strings.TrimSpace(in.Tag); tag != "" {
		tags = []string{tag}
	}
	page, err := h.Store.Catalog.Channels(ctx, api.ScopeOf(ctx), tags, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(c *catalog.Channel) Channel {
		if in.Complete {
			return channelOf(c)
		}
		return fewOf(channelOf(c))
	}), nil
}

func (h *handlers) getChannel(ctx context.Context, in *api.ByID) (*api.Answer[Channel], error) {
	channel, err := h.Store.Catalog.Channel(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(channelOf(&channel)), nil
}

// updateChannel applies the patch to the locked channel, checks the complete result, and stores it,
// in one transaction: a patch may be valid only together with the values that it does not change.
func (h *handlers) updateChannel(ctx context.Context, in *channelUpdate) (*api.Answer[Channel], error) {
	patch, err := h.channelPatch(&in.Body)
	if err != nil {
		return nil, err
	}
	var before, after catalog.Channel
	err = h.Store.Atomically(ctx, func(s *store.Store) error {
		current, err := s.Catalog.LockChannel(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return err
		}
		before = current
		if err := h.rotate(&current, &in.Body, &patch); err != nil {
			return err
		}
		if patch.Settings, err = h.settingsPatch(&current.Settings, &in.Body); err != nil {
			return err
		}
		applyPatch(&current, &patch)
		if err := checkUpdateByAccessKey(ctx, &before, &current, &in.Body); err != nil {
			return err
		}
		if patch.Keys != nil || len(catalog.RouteChanges(&before, &current)) > 0 || enablesBare(&before, &current) {
			if _, err := h.Confirm(ctx); err != nil {
				return err
			}
		}
		if err := h.CheckChannel(&current); err != nil {
			return (draft.Dialects{Dialects: in.Body.Dialects.Value(),
				Endpoints: in.Body.Endpoints.Value()}).Named(err)
		}
		if account := current.Settings.AccountOf; account != before.Settings.AccountOf {
			if err := checkAccount(ctx, s, account); err != nil {
				return err
			}
		}
		after, err = s.Catalog.UpdateChannel(ctx, api.ScopeOf(ctx), in.ID, patch)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := channelOf(&after)
	if patch.Keys == nil && len(after.Credentials) == 0 {
		answer.Dropped = channelOf(&before).APIKeyMasks
	}
	return api.NewAnswer(answer), nil
}

// enablesBare reports whether a change enables a channel that had no credentials. Nobody has confirmed the base URL of
// such a channel if it was created disabled.
func enablesBare(before, after *catalog.Channel) bool {
	return before.Status != tenant.Enabled && after.Status == tenant.Enabled && len(before.Credentials) == 0
}

// channelPatch returns the store's form of the patch, with new credentials
// encrypted. Settings and rotation are missing: they depend on the current channel.
func (h *handlers) channelPatch(body *ChannelPatch) (catalogdb.ChannelPatch, error) {
	patch := catalogdb.ChannelPatch{
		Name: body.Name.Pointer(), BaseURL: body.BaseURL.Pointer(), Models: body.Models.Pointer(),
		Priority: body.Priority.Pointer(), Weight: body.Weight.Pointer(),
		Status:       (*tenant.Status)(body.Status.Pointer()),
		OnDisconnect: (*catalog.Disconnect)(body.OnDisconnect.Pointer()),
		Unpriced:     (*charge.Policy)(body.Unpriced.Pointer()),
	}
	dialects, err := draft.Dialects{Dialects: body.Dialects.Value(), Endpoints: body.Endpoints.Value()}.List()
	if err != nil {
		return patch, err
	}
	if dialects != nil {
		patch.Dialects = &dialects
	}
	if body.Tags.Given() {
		tags := displaytext.Trim(body.Tags.Value())
		patch.Tags = &tags
	}
	if body.APIKeys.Given() {
		keys, err := h.maker().Seal(body.APIKeys.Value(), "api_keys")
		if err != nil {
			return patch, err
		}
		patch.Keys = &keys
	}
	return patch, nil
}

// applyPatch changes c to what the patch will make of it, so
// that the complete channel can be checked before it is stored.
func applyPatch(c *catalog.Channel, p *catalogdb.ChannelPatch) {
	replace(&c.Name, p.Name)
	replace(&c.BaseURL, p.BaseURL)
	replace(&c.Credentials, p.Keys)
	replace(&c.Dialects, p.Dialects)
	replace(&c.Models, p.Models)
	replace(&c.Priority, p.Priority)
	replace(&c.Weight, p.Weight)
	replace(&c.Status, p.Status)
	replace(&c.Tags, p.Tags)
	replace(&c.OnDisconnect, p.OnDisconnect)
	replace(&c.Unpriced, p.Unpriced)
	replace(&c.Settings, p.Settings)
}

// replace sets *field to *value unless value is nil.
func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
