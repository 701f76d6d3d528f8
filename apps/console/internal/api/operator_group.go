package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
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

	Limits Limits `json:"limits" doc:"Of all its users of one tenant together: every tenant has them for itself"`
}

// NewGroup is the body of createGroup.
type NewGroup struct {
	Name       string        `json:"name" minLength:"1" maxLength:"200"`
	Models     []string      `json:"models" maxItems:"1000" doc:"* for all, a trailing * for a prefix"`
	Multiplier *money.Factor `json:"multiplier,omitempty" doc:"Makes the group's first rule; no rule if absent"`
	Limits     NewLimits     `json:"limits,omitzero"`
}

// GroupPatch is the body of updateGroup.
type GroupPatch struct {
	Name       Optional[string]       `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Models     Optional[[]string]     `json:"models,omitzero" maxItems:"1000"`
	Status     Optional[string]       `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: its users may use no model"`
	Multiplier Optional[money.Factor] `json:"multiplier,omitzero" doc:"Adds a rule for all models that holds from now on"`
	Limits     Optional[LimitsPatch]  `json:"limits,omitzero"`
}

type groupUpdate struct {
	ByID
	Body GroupPatch
}

func operatorGroups(a *API) {
	register(a, operation{
		id: "createGroup", method: http.MethodPost, path: "/operator/groups", tag: "operator", summary: "Create a user group",
		description: "A group decides which models its users may call and what they pay.",
		status:      http.StatusCreated, errors: []int{http.StatusConflict},
	}, a.createGroup)
	register(a, operation{
		id: "listGroups", method: http.MethodGet, path: "/operator/groups", tag: "operator", summary: "List user groups",
		description: "Oldest first.",
		errors:      []int{http.StatusForbidden},
	}, a.listGroups)
	register(a, operation{
		id: "updateGroup", method: http.MethodPatch, path: "/operator/groups/{id}", tag: "operator", summary: "Edit, disable or enable a user group",
		description: "Only the fields that are sent change. Relays follow within a second.",
		errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, a.updateGroup)
}

// groupBodies returns how to show groups with the multipliers that hold now.
func (a *API) groupBodies(ctx context.Context) (func(*tenant.Group) Group, error) {
	snapshot, err := a.Store.Snapshot(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := a.Now()
	return func(g *tenant.Group) Group {
		rule := snapshot.Book.Rule("", g.ID, now)
		return Group{
			ID: g.ID, Name: g.Name, Models: list(g.Models), Status: string(g.Status), CreatedAt: g.CreatedAt.UTC(),
			Multiplier: rule.Multiplier, Fixed: rule.Fixed, Limits: Limits(g.Limits),
		}
	}, nil
}

func (a *API) showGroup(ctx context.Context, g *tenant.Group) (*Answer[Group], error) {
	show, err := a.groupBodies(ctx)
	if err != nil {
		return nil, err
	}
	return answer(show(g)), nil
}

func (a *API) createGroup(ctx context.Context, in *struct{ Body NewGroup }) (*Answer[Group], error) {
	var created tenant.Group
	err := a.Store.Atomically(ctx, func(s *store.Store) (err error) {
		created, err = s.CreateGroup(ctx, scopeOf(ctx), in.Body.Name, in.Body.Models)
		if err != nil {
			return err
		}
		created, err = s.UpdateGroup(ctx, scopeOf(ctx), created.ID, store.GroupPatch{Limits: in.Body.Limits.core()})
		if err != nil || in.Body.Multiplier == nil {
			return err
		}
		return multiply(ctx, s, created.ID, *in.Body.Multiplier)
	})
	if err != nil {
		return nil, err
	}
	return a.showGroup(ctx, &created)
}

// multiply adds a rule for all models from now on.
func multiply(ctx context.Context, s *store.Store, group uuid.UUID, by money.Factor) error {
	_, err := s.CreateRule(ctx, scopeOf(ctx), pricing.Rule{GroupID: group, Multiplier: by})
	return err
}

func (a *API) listGroups(ctx context.Context, in *PageQuery) (*Answer[List[Group]], error) {
	page, err := a.Store.Groups(ctx, scopeOf(ctx), in.page())
	if err != nil {
		return nil, err
	}
	show, err := a.groupBodies(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(page, show), nil
}

func (a *API) updateGroup(ctx context.Context, in *groupUpdate) (*Answer[Group], error) {
	body := &in.Body
	var updated tenant.Group
	err := a.Store.Atomically(ctx, func(s *store.Store) (err error) {
		updated, err = s.UpdateGroup(ctx, scopeOf(ctx), in.ID, store.GroupPatch{
			Name: body.Name.pointer(), Models: body.Models.pointer(), Status: (*tenant.Status)(body.Status.pointer()),
			Limits: body.Limits.value.core(),
		})
		if err != nil || !body.Multiplier.set {
			return err
		}
		return multiply(ctx, s, in.ID, body.Multiplier.value)
	})
	if err != nil {
		return nil, err
	}
	return a.showGroup(ctx, &updated)
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
func (a *API) ruleBodies(ctx context.Context) (func(*pricing.Rule) Rule, error) {
	snapshot, err := a.Store.Snapshot(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	now := a.Now()
	return func(r *pricing.Rule) Rule {
		return Rule{
			ID: r.ID, GroupID: r.GroupID, Model: r.Model, EffectiveFrom: r.EffectiveFrom.UTC(),
			Multiplier: r.Multiplier, Fixed: r.Fixed, CreatedAt: r.CreatedAt.UTC(),
			State: string(snapshot.Book.RuleState(r, now)), WithdrawnAt: moment(r.WithdrawnAt),
		}
	}, nil
}

func (a *API) showRule(ctx context.Context, r *pricing.Rule) (*Answer[Rule], error) {
	show, err := a.ruleBodies(ctx)
	if err != nil {
		return nil, err
	}
	return answer(show(r)), nil
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
	PageQuery
	GroupID uuid.UUID `query:"group_id" doc:"Only of this group"`
	Model   string    `query:"model" maxLength:"200" doc:"Rules for all models are none of it"`
}

func operatorRules(a *API) {
	register(a, operation{
		id: "createGroupRule", method: http.MethodPost, path: "/operator/group-rules", tag: "operator", summary: "Add a version of what a group pays",
		description: "Takes effect at once or at the moment that it names. Versions before it stay, for the bills made by them.",
		status:      http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.createRule)
	register(a, operation{
		id: "listGroupRules", method: http.MethodGet, path: "/operator/group-rules", tag: "operator", summary: "List versions of what groups pay",
		description: "Newest first.", errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listRules)
	register(a, operation{
		id: "withdrawGroupRule", method: http.MethodPost, path: "/operator/group-rules/{id}/withdraw", tag: "operator", summary: "Withdraw a scheduled version of what a group pays",
		description: "Until a minute before it holds: then it never does.", status: http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.withdrawRule)
}

func (a *API) createRule(ctx context.Context, in *struct{ Body NewRule }) (*Answer[Rule], error) {
	body := &in.Body
	rule := pricing.Rule{
		GroupID: body.GroupID, Model: body.Model, Multiplier: money.One, Fixed: body.Fixed, EffectiveFrom: value(body.EffectiveFrom),
	}
	if body.Multiplier != nil {
		rule.Multiplier = *body.Multiplier
	}
	created, err := a.Store.CreateRule(ctx, scopeOf(ctx), rule)
	if err != nil {
		return nil, err
	}
	return a.showRule(ctx, &created)
}

func (a *API) listRules(ctx context.Context, in *ruleQuery) (*Answer[List[Rule]], error) {
	page, err := a.Store.Rules(ctx, scopeOf(ctx), store.RuleQuery{GroupID: in.GroupID, Model: in.Model}, in.page())
	if err != nil {
		return nil, err
	}
	show, err := a.ruleBodies(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(page, show), nil
}

func (a *API) withdrawRule(ctx context.Context, in *ByID) (*Answer[Rule], error) {
	withdrawn, err := a.Store.WithdrawRule(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return a.showRule(ctx, &withdrawn)
}
