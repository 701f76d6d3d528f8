// Package visibility says which models a caller sees. It is pure: the facts come
// in as values.
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

// The reasons. The first that holds is told.
const (
	NotHidden     HiddenReason = "" // it is visible
	NotInToken    HiddenReason = "not_in_token"
	GroupDisabled HiddenReason = "group_disabled" // or there is no such group
	NotInGroup    HiddenReason = "not_in_group"
	ModelDisabled HiddenReason = "model_disabled"
	NotServed     HiddenReason = "not_served" // by any enabled channel
	NotPriced     HiddenReason = "not_priced"
)

// Visible reports whether the caller sees the model at now: the model and the
// user's group are enabled, group and token both name it, it has a price or is
// free, and some enabled channel serves it. GET /v1/models lists exactly the
// models for which this holds.
func Visible(s *snapshot.Snapshot, caller *token.Caller, model *catalog.Model, now time.Time) bool {
	return WhyHidden(s, caller, model, now) == NotHidden
}

// WhyHidden returns the reason why the caller does not see the model at now, or
// NotHidden.
func WhyHidden(s *snapshot.Snapshot, caller *token.Caller, model *catalog.Model, now time.Time) HiddenReason {
	if len(caller.Token.Models) > 0 && !catalog.MatchAny(caller.Token.Models, model.ID) {
		return NotInToken
	}
	return WhyHiddenFromGroup(s, caller.User.GroupID, model, now)
}

// VisibleToGroup is Visible for a user of the group without a token.
func VisibleToGroup(s *snapshot.Snapshot, groupID uuid.UUID, model *catalog.Model, now time.Time) bool {
	return WhyHiddenFromGroup(s, groupID, model, now) == NotHidden
}

// WhyHiddenFromGroup is WhyHidden for a user of the group without a token.
func WhyHiddenFromGroup(s *snapshot.Snapshot, groupID uuid.UUID, model *catalog.Model, now time.Time) HiddenReason {
	group := s.Group(groupID)
	switch {
	case group == nil || group.Status != tenant.Enabled:
		return GroupDisabled
	case !catalog.MatchAny(group.Models, model.ID):
		return NotInGroup
	case model.Status != tenant.Enabled:
		return ModelDisabled
	case len(s.Serving(model.ID)) == 0:
		return NotServed
	case model.Free:
		return NotHidden
	}
	if _, priced := s.Book.Terms(model.ID, groupID, now); !priced {
		return NotPriced
	}
	return NotHidden
}
