// Package visibility decides which models a caller can see and call. The relay uses it to admit calls and to answer
// GET /v1/models, the console to show the same list and to explain why a model is missing. Its functions are pure:
// they depend only on their arguments.
package visibility

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// HiddenReason is the reason why a model is not visible.
type HiddenReason string

// The reasons, in the order in which they are checked. The first that applies is returned.
const (
	NotHidden     HiddenReason = ""               // the model is visible
	NotInToken    HiddenReason = "not_in_token"   // the token restricts its models, and none of its patterns matches
	GroupDisabled HiddenReason = "group_disabled" // the user's group is disabled or does not exist
	NotInGroup    HiddenReason = "not_in_group"   // no pattern of the group matches
	ModelDisabled HiddenReason = "model_disabled"
	NotServed     HiddenReason = "not_served" // no enabled channel serves the model to the tenant
	NotPriced     HiddenReason = "not_priced" // the model has no price in effect and is not free
)

// Visible reports whether the caller sees the model at now: the model and the user's group are enabled, the group and
// the token permit the model, an enabled channel serves it to the caller's tenant, and it has a price or is free. GET
// /v1/models lists exactly the models for which Visible returns true.
func Visible(s *snapshot.Snapshot, caller *token.Caller, model *catalog.Model, now time.Time) bool {
	return WhyHidden(s, caller, model, now) == NotHidden
}

// WhyHidden returns the reason why the caller does not see the model at now, or
// NotHidden.
func WhyHidden(s *snapshot.Snapshot, caller *token.Caller, model *catalog.Model, now time.Time) HiddenReason {
	if len(caller.Token.Models) > 0 && !catalog.MatchAny(caller.Token.Models, model.ID) {
		return NotInToken
	}
	return whyHidden(s, caller.User.GroupID, caller.Tenant.Slug, model, now)
}

// VisibleToGroup reports whether users of the group see the model at now, whatever their tenants and tokens are. In the
// Snapshot for a tenant, the channels that serve other tenants alone are missing. In that for operators, a model that
// only channels of one tenant's account serve is not visible.
func VisibleToGroup(s *snapshot.Snapshot, groupID uuid.UUID, model *catalog.Model, now time.Time) bool {
	return whyHidden(s, groupID, "", model, now) == NotHidden
}

// whyHidden returns the reason why users of the group and of the tenant with the slug do not see the model at now, or
// NotHidden.
func whyHidden(s *snapshot.Snapshot, groupID uuid.UUID, slug string, model *catalog.Model, now time.Time) HiddenReason {
	group := s.Group(groupID)
	switch {
	case group == nil || group.Status != tenant.Enabled:
		return GroupDisabled
	case !catalog.MatchAny(group.Models, model.ID):
		return NotInGroup
	case model.Status != tenant.Enabled:
		return ModelDisabled
	case !s.Serves(slug, model.ID):
		return NotServed
	case model.Free:
		return NotHidden
	}
	if _, ok := s.Book.Terms(model.ID, groupID, now); !ok {
		return NotPriced
	}
	return NotHidden
}
