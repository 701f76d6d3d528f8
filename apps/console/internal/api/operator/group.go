package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// Group describes a user group: the models that its users may use, and the price that they pay.
type Group struct {
	ID         uuid.UUID    `json:"id"`
	Name       string       `json:"name"`
	Models     []string     `json:"models" doc:"Models that the users may use: ids, prefixes with a trailing *, or * for all models. A list of groups has the first 20 of each group"`
	Count      int          `json:"models_count" doc:"Number of the entries of models"`
	Status     string       `json:"status" enum:"enabled,disabled"`
	Multiplier money.Factor `json:"multiplier" doc:"Multiplier of the current price rule for all models; 1 if there is no rule"`
	CreatedAt  time.Time    `json:"created_at"`

	Fixed *money.Amount `json:"fixed" nullable:"true" doc:"Fixed price per request of the same rule, instead of the prices of the models; null if there is none"`

	Limits resource.Limits `json:"limits" doc:"Rate limits for all users of the group in one tenant together. Each tenant has its own allowance"`
}

// NewGroup is the body of createGroup.
type NewGroup struct {
	Name       string             `json:"name" minLength:"1" maxLength:"200"`
	Models     []string           `json:"models" maxItems:"1000" doc:"Models that the users may use: ids, prefixes with a trailing *, or * for all models"`
	Multiplier *money.Factor      `json:"multiplier,omitempty" doc:"Multiplier of the group's first price rule; absent: no rule"`
	Limits     resource.NewLimits `json:"limits,omitzero"`
}

// GroupPatch is the body of updateGroup.
type GroupPatch struct {
	Name       api.Optional[string]               `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Models     api.Optional[[]string]             `json:"models,omitzero" maxItems:"1000" doc:"Replaces the models that the users may use"`
	Status     api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: users of the group may use no models"`
	Multiplier api.Optional[money.Factor]         `json:"multiplier,omitzero" doc:"Adds a price rule for all models that takes effect now"`
	Limits     api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
}

type groupUpdate struct {
	api.ByID
	Body GroupPatch
}

func registerGroups(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createGroup", Method: http.MethodPost, Path: "/operator/groups", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Create a user group",
		Description: "A group determines which models its users may use and what they pay.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict},
		Needs: permission.WritePlatform, Body: api.ListBody,
	}, h.createGroup)
	api.Register(h.API, api.Operation{
		ID: "listGroups", Method: http.MethodGet, Path: "/operator/groups", Tag: "operator", Scope: token.ReadCatalog,
		Summary:     "List user groups",
		Description: "Oldest first. Each group has the first 20 of its models; getGroup has all.",
		Errors:      []int{http.StatusForbidden},
	}, h.listGroups)
	api.Register(h.API, api.Operation{
		ID: "getGroup", Method: http.MethodGet, Path: "/operator/groups/{id}", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Get a user group",
		Description: "Returns the group with all of its models.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getGroup)
	api.Register(h.API, api.Operation{
		ID: "updateGroup", Method: http.MethodPatch, Path: "/operator/groups/{id}", Tag: "operator",
		Summary:     "Edit, disable or enable a user group",
		Description: "Changes only the fields that are sent. Relays apply the change within a second.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
		Needs:       permission.WritePlatform, Body: api.ListBody,
	}, h.updateGroup)
}

// groupBodies returns a function that translates a group, with the price rule that is current now.
func (h *handlers) groupBodies(ctx context.Context) (func(*tenant.Group) Group, error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return func(g *tenant.Group) Group {
		rule := snapshot.Book.Rule("", g.ID, now)
		return Group{
			ID: g.ID, Name: g.Name, Models: null.List(g.Models), Count: len(g.Models), Status: string(g.Status),
			CreatedAt:  g.CreatedAt.UTC(),
			Multiplier: rule.Multiplier, Fixed: rule.Fixed, Limits: resource.Limits(g.Limits),
		}
	}, nil
}

func (h *handlers) showGroup(ctx context.Context, g *tenant.Group) (*api.Answer[Group], error) {
	show, err := h.groupBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(show(g)), nil
}

// createGroup creates the group, its rate limits and its first price rule in one transaction.
func (h *handlers) createGroup(ctx context.Context, in *struct{ Body NewGroup }) (*api.Answer[Group], error) {
	var group tenant.Group
	err := h.Store.Atomically(ctx, func(s *store.Store) (err error) {
		group, err = s.Catalog.CreateGroup(ctx, api.ScopeOf(ctx), in.Body.Name, in.Body.Models)
		if err != nil {
			return err
		}
		group, err = s.Catalog.UpdateGroup(ctx, api.ScopeOf(ctx), group.ID,
			catalogdb.GroupPatch{Limits: in.Body.Limits.Change()})
		if err != nil || in.Body.Multiplier == nil {
			return err
		}
		return addMultiplierRule(ctx, s, group.ID, *in.Body.Multiplier)
	})
	if err != nil {
		return nil, err
	}
	return h.showGroup(ctx, &group)
}

// addMultiplierRule adds a price rule for all models that takes effect now.
func addMultiplierRule(ctx context.Context, s *store.Store, group uuid.UUID, factor money.Factor) error {
	_, err := s.Catalog.CreateRule(ctx, api.ScopeOf(ctx), pricing.Rule{GroupID: group, Multiplier: factor})
	return err
}

type groupQuery struct {
	api.PageQuery
	part.CompleteQuery
}

func (h *handlers) listGroups(ctx context.Context, in *groupQuery) (*api.Answer[api.List[Group]], error) {
	page, err := h.Store.Catalog.Groups(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	show, err := h.groupBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(g *tenant.Group) Group {
		body := show(g)
		if !in.Complete {
			body.Models = part.Few(body.Models)
		}
		return body
	}), nil
}

func (h *handlers) getGroup(ctx context.Context, in *api.ByID) (*api.Answer[Group], error) {
	group, err := h.Store.Catalog.Group(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showGroup(ctx, &group)
}

// updateGroup changes the group and, if the body has a multiplier, adds a price rule, in one transaction.
func (h *handlers) updateGroup(ctx context.Context, in *groupUpdate) (*api.Answer[Group], error) {
	body := &in.Body
	var group tenant.Group
	err := h.Store.Atomically(ctx, func(s *store.Store) (err error) {
		group, err = s.Catalog.UpdateGroup(ctx, api.ScopeOf(ctx), in.ID, catalogdb.GroupPatch{
			Name: body.Name.Pointer(), Models: body.Models.Pointer(), Status: (*tenant.Status)(body.Status.Pointer()),
			Limits: body.Limits.Value().Change(),
		})
		if err != nil || !body.Multiplier.Given() {
			return err
		}
		return addMultiplierRule(ctx, s, in.ID, body.Multiplier.Value())
	})
	if err != nil {
		return nil, err
	}
	return h.showGroup(ctx, &group)
}

// Rule describes one version of a price rule: what a group pays for one model or for all models.
type Rule struct {
	ID            uuid.UUID     `json:"id"`
	GroupID       uuid.UUID     `json:"group_id"`
	Model         string        `json:"model" doc:"Id of the model; empty: all models that have no rule of their own"`
	EffectiveFrom time.Time     `json:"effective_from" doc:"When the rule takes effect"`
	Multiplier    money.Factor  `json:"multiplier" doc:"Factor on the price of the model"`
	Fixed         *money.Amount `json:"fixed" nullable:"true" doc:"Fixed price per request, instead of the price of the model; null if there is none"`
	CreatedAt     time.Time     `json:"created_at"`
	State         string        `json:"state" enum:"scheduled,current,past,withdrawn" doc:"scheduled: takes effect later. past: replaced by a newer version. withdrawn: never takes effect"`
	WithdrawnAt   *time.Time    `json:"withdrawn_at" nullable:"true" doc:"null unless withdrawn"`
}

// ruleBodies returns a function that translates a price rule, with its state as of now.
func (h *handlers) ruleBodies(ctx context.Context) (func(*pricing.Rule) Rule, error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return func(r *pricing.Rule) Rule {
		return Rule{
			ID: r.ID, GroupID: r.GroupID, Model: r.Model, EffectiveFrom: r.EffectiveFrom.UTC(),
			Multiplier: r.Multiplier, Fixed: r.Fixed, CreatedAt: r.CreatedAt.UTC(),
			State: string(snapshot.Book.RuleState(r, now)), WithdrawnAt: null.Time(r.WithdrawnAt),
		}
	}, nil
}

func (h *handlers) showRule(ctx context.Context, r *pricing.Rule) (*api.Answer[Rule], error) {
	show, err := h.ruleBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(show(r)), nil
}

// NewRule is the body of createGroupRule.
type NewRule struct {
	GroupID       uuid.UUID     `json:"group_id"`
	Model         string        `json:"model,omitempty" maxLength:"200" doc:"Id of the model. Absent: all models that have no rule of their own"`
	Multiplier    *money.Factor `json:"multiplier,omitempty" doc:"Factor on the price of the model. Defaults to 1"`
	Fixed         *money.Amount `json:"fixed,omitempty" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Fixed price per request, instead of the price of the model"`
	EffectiveFrom *time.Time    `json:"effective_from,omitempty" doc:"When the rule takes effect. Defaults to now; must not be in the past"`
}

type ruleQuery struct {
	api.PageQuery
	GroupID uuid.UUID `query:"group_id" doc:"Only rules of this group"`
	Model   string    `query:"model" maxLength:"200" doc:"Only rules that name this model. Rules for all models are not included"`
}

func registerRules(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createGroupRule", Method: http.MethodPost, Path: "/operator/group-rules", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Add a price rule of a group",
		Description: "The rule takes effect at once or at effective_from. Earlier versions are kept, so that old " +
			"charges can be recomputed.",
		Status: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createRule)
	api.Register(h.API, api.Operation{
		ID: "listGroupRules", Method: http.MethodGet, Path: "/operator/group-rules", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "List price rules of groups",
		Description: "Lists all versions, newest first.", Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listRules)
	api.Register(h.API, api.Operation{
		ID: "withdrawGroupRule", Method: http.MethodPost, Path: "/operator/group-rules/{id}/withdraw", Tag: "operator",
		Scope: token.WriteCatalog, Summary: "Withdraw a scheduled price rule",
		Description: "A withdrawn rule never takes effect. A rule that takes effect within a minute cannot be " +
			"withdrawn, because relays may already know it.", Status: http.StatusOK,
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.withdrawRule)
}

// createRule adds a version of a price rule. Existing versions are never changed, because usage logs refer to them.
func (h *handlers) createRule(ctx context.Context, in *struct{ Body NewRule }) (*api.Answer[Rule], error) {
	body := &in.Body
	rule := pricing.Rule{
		GroupID: body.GroupID, Model: body.Model, Multiplier: money.One, Fixed: body.Fixed,
		EffectiveFrom: null.Deref(body.EffectiveFrom),
	}
	if body.Multiplier != nil {
		rule.Multiplier = *body.Multiplier
	}
	created, err := h.Store.Catalog.CreateRule(ctx, api.ScopeOf(ctx), rule)
	if err != nil {
		return nil, err
	}
	return h.showRule(ctx, &created)
}

func (h *handlers) listRules(ctx context.Context, in *ruleQuery) (*api.Answer[api.List[Rule]], error) {
	page, err := h.Store.Catalog.Rules(ctx, api.ScopeOf(ctx), catalogdb.RuleQuery{GroupID: in.GroupID, Model: in.Model},
		in.Page())
	if err != nil {
		return nil, err
	}
	show, err := h.ruleBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, show), nil
}

func (h *handlers) withdrawRule(ctx context.Context, in *api.ByID) (*api.Answer[Rule], error) {
	withdrawn, err := h.Store.Catalog.WithdrawRule(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showRule(ctx, &withdrawn)
}
