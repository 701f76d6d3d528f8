package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// Group is a user group.
type Group struct {
	ID         uuid.UUID    `json:"id"`
	Name       string       `json:"name"`
	Models     []string     `json:"models" doc:"Model ids its users may use; * for all, a trailing * for a prefix"`
	Status     string       `json:"status" enum:"enabled,disabled"`
	Multiplier money.Factor `json:"multiplier" doc:"Of the rule for all models that holds now; 1 where there is none"`
	CreatedAt  time.Time    `json:"created_at"`

	Fixed *money.Amount `json:"fixed" nullable:"true" doc:"Of the same rule: price per request in place of the formula"`

	Limits resource.Limits `json:"limits" doc:"Of all its users of one tenant together: every tenant has them for itself"`
}

// NewGroup is the body of createGroup.
type NewGroup struct {
	Name       string             `json:"name" minLength:"1" maxLength:"200"`
	Models     []string           `json:"models" maxItems:"1000" doc:"* for all, a trailing * for a prefix"`
	Multiplier *money.Factor      `json:"multiplier,omitempty" doc:"Makes the group's first rule; no rule if absent"`
	Limits     resource.NewLimits `json:"limits,omitzero"`
}

// GroupPatch is the body of updateGroup.
type GroupPatch struct {
	Name       api.Optional[string]               `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Models     api.Optional[[]string]             `json:"models,omitzero" maxItems:"1000"`
	Status     api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: its users may use no model"`
	Multiplier api.Optional[money.Factor]         `json:"multiplier,omitzero" doc:"Adds a rule for all models that holds from now on"`
	Limits     api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
}

type groupUpdate struct {
	api.ByID
	Body GroupPatch
}

func groups(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createGroup", Method: http.MethodPost, Path: "/operator/groups", Tag: "operator", Summary: "Create a user group",
		Description: "A group decides which models its users may call and what they pay.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict},
	}, h.createGroup)
	api.Register(h.API, api.Operation{
		ID: "listGroups", Method: http.MethodGet, Path: "/operator/groups", Tag: "operator", Summary: "List user groups",
		Description: "Oldest first.",
		Errors:      []int{http.StatusForbidden},
	}, h.listGroups)
	api.Register(h.API, api.Operation{
		ID: "updateGroup", Method: http.MethodPatch, Path: "/operator/groups/{id}", Tag: "operator", Summary: "Edit, disable or enable a user group",
		Description: "Only the fields that are sent change. Relays follow within a second.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, h.updateGroup)
}

// groupBodies returns how to show groups with the multipliers that hold now.
func (h *handlers) groupBodies(ctx context.Context) (func(*tenant.Group) Group, error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return func(g *tenant.Group) Group {
		rule := snapshot.Book.Rule("", g.ID, now)
		return Group{
			ID: g.ID, Name: g.Name, Models: api.NonNil(g.Models), Status: string(g.Status), CreatedAt: g.CreatedAt.UTC(),
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

func (h *handlers) createGroup(ctx context.Context, in *struct{ Body NewGroup }) (*api.Answer[Group], error) {
	var created tenant.Group
	err := h.Store.Atomically(ctx, func(s *store.Store) (err error) {
		created, err = s.Catalog.CreateGroup(ctx, api.ScopeOf(ctx), in.Body.Name, in.Body.Models)
		if err != nil {
			return err
		}
		created, err = s.Catalog.UpdateGroup(ctx, api.ScopeOf(ctx), created.ID, catalogdb.GroupPatch{Limits: in.Body.Limits.Change()})
		if err != nil || in.Body.Multiplier == nil {
			return err
		}
		return multiply(ctx, s, created.ID, *in.Body.Multiplier)
	})
	if err != nil {
		return nil, err
	}
	return h.showGroup(ctx, &created)
}

// multiply adds a rule for all models from now on.
func multiply(ctx context.Context, s *store.Store, group uuid.UUID, by money.Factor) error {
	_, err := s.Catalog.CreateRule(ctx, api.ScopeOf(ctx), pricing.Rule{GroupID: group, Multiplier: by})
	return err
}

func (h *handlers) listGroups(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[Group]], error) {
	page, err := h.Store.Catalog.Groups(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	show, err := h.groupBodies(ctx)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, show), nil
}

func (h *handlers) updateGroup(ctx context.Context, in *groupUpdate) (*api.Answer[Group], error) {
	body := &in.Body
	var updated tenant.Group
	err := h.Store.Atomically(ctx, func(s *store.Store) (err error) {
		updated, err = s.Catalog.UpdateGroup(ctx, api.ScopeOf(ctx), in.ID, catalogdb.GroupPatch{
			Name: body.Name.Pointer(), Models: body.Models.Pointer(), Status: (*tenant.Status)(body.Status.Pointer()),
			Limits: body.Limits.Value().Change(),
		})
		if err != nil || !body.Multiplier.Given() {
			return err
		}
		return multiply(ctx, s, in.ID, body.Multiplier.Value())
	})
	if err != nil {
		return nil, err
	}
	return h.showGroup(ctx, &updated)
}

// Rule is one version of what a group pays.
type Rule struct {
	ID            uuid.UUID     `json:"id"`
	GroupID       uuid.UUID     `json:"group_id"`
	Model         string        `json:"model" doc:"Empty: all models"`
	EffectiveFrom time.Time     `json:"effective_from"`
	Multiplier    money.Factor  `json:"multiplier"`
	Fixed         *money.Amount `json:"fixed" nullable:"true" doc:"Price per request in place of the formula"`
	CreatedAt     time.Time     `json:"created_at"`
	State         string        `json:"state" enum:"scheduled,current,past,withdrawn" doc:"withdrawn: it never holds"`
	WithdrawnAt   *time.Time    `json:"withdrawn_at" nullable:"true"`
}

// ruleBodies returns how to show versions with what has become of them by now.
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
			State: string(snapshot.Book.RuleState(r, now)), WithdrawnAt: api.NullableTime(r.WithdrawnAt),
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
	Model         string        `json:"model,omitempty" maxLength:"200" doc:"Absent: all models"`
	Multiplier    *money.Factor `json:"multiplier,omitempty" doc:"1 if absent"`
	Fixed         *money.Amount `json:"fixed,omitempty" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Price per request in place of the formula"`
	EffectiveFrom *time.Time    `json:"effective_from,omitempty" doc:"Now if absent; never in the past"`
}

type ruleQuery struct {
	api.PageQuery
	GroupID uuid.UUID `query:"group_id" doc:"Only of this group"`
	Model   string    `query:"model" maxLength:"200" doc:"Rules for all models are none of it"`
}

func rules(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createGroupRule", Method: http.MethodPost, Path: "/operator/group-rules", Tag: "operator", Summary: "Add a version of what a group pays",
		Description: "Takes effect at once or at the moment that it names. Versions before it stay, for the bills made by them.",
		Status:      http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createRule)
	api.Register(h.API, api.Operation{
		ID: "listGroupRules", Method: http.MethodGet, Path: "/operator/group-rules", Tag: "operator", Summary: "List versions of what groups pay",
		Description: "Newest first.", Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listRules)
	api.Register(h.API, api.Operation{
		ID: "withdrawGroupRule", Method: http.MethodPost, Path: "/operator/group-rules/{id}/withdraw", Tag: "operator", Summary: "Withdraw a scheduled version of what a group pays",
		Description: "Until a minute before it holds: then it never does.", Status: http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.withdrawRule)
}

func (h *handlers) createRule(ctx context.Context, in *struct{ Body NewRule }) (*api.Answer[Rule], error) {
	body := &in.Body
	rule := pricing.Rule{
		GroupID: body.GroupID, Model: body.Model, Multiplier: money.One, Fixed: body.Fixed, EffectiveFrom: api.Deref(body.EffectiveFrom),
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
	page, err := h.Store.Catalog.Rules(ctx, api.ScopeOf(ctx), catalogdb.RuleQuery{GroupID: in.GroupID, Model: in.Model}, in.Page())
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
