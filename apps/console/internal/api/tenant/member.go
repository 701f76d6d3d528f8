package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// memberInvited is the time for which the invitation of a new member is valid.
const memberInvited = 7 * 24 * time.Hour

// NewMember is the body of createMember.
type NewMember struct {
	Email    string             `json:"email" maxLength:"254"`
	Password api.NewPassword    `json:"password,omitempty" doc:"First password, for the caller to hand over. Required if mail is not configured. Otherwise it is not used: the user chooses a password with the mailed link"`
	Role     string             `json:"role,omitempty" enum:"owner,admin,member" default:"member"`
	Quota    *money.Amount      `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the user may spend in total; absent: unlimited"`
	Caps     resource.NewCaps   `json:"caps,omitzero"`
	Limits   resource.NewLimits `json:"limits,omitzero"`
}

// MadeMember is a new member and how the person gets to know of it.
type MadeMember struct {
	resource.User
	Mailed bool `json:"mailed" doc:"Whether an invitation to prove the address and to choose a password is queued to be sent by mail. If false, the user signs in with the first password"`
}

// MemberPatch is the body of updateMember.
type MemberPatch struct {
	Role   api.Optional[string]               `json:"role,omitzero" enum:"owner,admin,member"`
	Status api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: the user cannot sign in or use tokens"`
	Quota  api.Nullable[money.Amount]         `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the user may spend in total; null: unlimited"`
	Caps   api.Optional[resource.CapsPatch]   `json:"caps,omitzero"`
	Limits api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
}

type memberUpdate struct {
	api.ByID
	Body MemberPatch
}

func registerMembers(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listMembers", Method: http.MethodGet, Path: "/members", Tag: "members", Scope: token.ReadMembers,
		Summary:     "List the users of the caller's tenant",
		Description: "For admins and owners.", Errors: []int{http.StatusForbidden},
	}, h.listMembers)
	api.Register(h.API, api.Operation{
		ID: "createMember", Method: http.MethodPost, Path: "/members", Tag: "members",
		Summary: "Create a user in the caller's tenant",
		Description: "The user gets the group of the caller. If mail is configured, the account waits until its " +
			"person opens the mailed invitation; otherwise it gets a first password. The response is the same if " +
			"the address belongs to a user of another tenant. For admins and owners.",
		Status: http.StatusCreated, Confirm: api.Always,
		Errors: []int{http.StatusConflict, http.StatusTooManyRequests},
	}, h.createMember)
	api.Register(h.API, api.Operation{
		ID: "updateMember", Method: http.MethodPatch, Path: "/members/{id}", Tag: "members",
		Summary: "Edit a user of the caller's tenant",
		Description: "Changes only the fields that are sent. Ends the user's sessions if the role or the status " +
			"changes. For admins and owners.",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, Confirm: api.Always,
	}, h.updateMember)
}

type memberQuery struct {
	api.PageQuery
	api.SearchQuery
	api.OrderQuery
	Sort string `query:"sort" enum:"created_at" doc:"What to sort by. Defaults to the oldest users first"`
}

func (h *handlers) listMembers(ctx context.Context, in *memberQuery) (*api.Answer[api.List[resource.User]], error) {
	tenantID, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	filter := identity.UserFilter{TenantID: tenantID}
	return h.Users.List(ctx, api.ScopeOf(ctx), filter, in.By(in.Sort, in.In(in.Page())))
}

// createMember creates a user in the caller's tenant. The user gets the caller's group:
// only operators choose groups. The store refuses roles above that of the caller.
func (h *handlers) createMember(ctx context.Context, in *struct{ Body NewMember }) (*api.Answer[MadeMember], error) {
	tenantID, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	n := identity.NewUser{
		TenantID: tenantID, Email: in.Body.Email, Role: tenant.Role(in.Body.Role),
		GroupID: api.CallerOf(ctx).User.GroupID, Cap: in.Body.Quota, Caps: quota.Caps(in.Body.Caps),
		Limits: limit.Limits(in.Body.Limits),
	}
	if h.Mailer.Configured() {
		return h.inviteMember(ctx, n)
	}
	if in.Body.Password == "" {
		return nil, problem.New(problem.MissingParameter,
			"Mail is not configured: set a first password and hand it over, or create an invitation.").At("password")
	}
	user, err := h.Users.Create(ctx, api.CallerOf(ctx).Confirmed, string(in.Body.Password), n)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(MadeMember{User: user.Body}), nil
}

// inviteMember creates a user who cannot sign in until the person opens the mailed link. A password that the caller
// chose would work for the caller too, so nobody could tell whose account it is.
func (h *handlers) inviteMember(ctx context.Context, n identity.NewUser) (*api.Answer[MadeMember], error) {
	actor, secret := api.CallerOf(ctx).Confirmed, seal.NewSecret()
	scope := actor.Scope()
	if err := permission.Check(scope, permission.WriteMembers); err != nil {
		return nil, err
	}
	if err := h.Throttle.Take(throttle.LinksByTenant, n.TenantID.String(), h.Now()); err != nil {
		return nil, err
	}
	n.Claim = true
	var member MadeMember
	err := h.Store.Atomically(ctx, func(tx *store.Store) error {
		user, err := tx.Identity.CreateUser(ctx, actor, n)
		if err != nil {
			return err
		}
		expires := h.Now().Add(memberInvited)
		_, err = tx.Identity.CreateInvitation(ctx, actor, identity.NewInvitation{
			TenantID: n.TenantID, UserID: user.ID, Email: user.Email, Proof: tenant.Mailed, Role: user.Role,
			GroupID: user.GroupID,
			Hash:    secret.Hash, ExpiresAt: expires,
		})
		if err != nil {
			return err
		}
		t, err := tx.Identity.Tenant(ctx, scope, n.TenantID)
		if err != nil {
			return err
		}
		member.User = resource.NewlyMade(&user, n)
		member.Mailed, err = h.Mailer.Invite(ctx, tx, n.TenantID, mailer.Invitation{
			To: user.Email, Language: api.CallerOf(ctx).User.Language, Inviter: api.CallerOf(ctx).User.Email,
			Tenant: t.Name, Link: h.Mailer.InvitationLink(secret.Value), ExpiresAt: expires,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Mailer.Wake()
	return api.NewAnswer(member), nil
}

// updateMember changes a user of the caller's tenant. Operators,
// who belong to no tenant, are refused: they use updateUser.
func (h *handlers) updateMember(ctx context.Context, in *memberUpdate) (*api.Answer[resource.User], error) {
	if _, err := api.TenantOf(ctx); err != nil {
		return nil, err
	}
	return h.Users.Update(ctx, api.CallerOf(ctx).Confirmed, in.ID, identity.UserPatch{
		Role: (*tenant.Role)(in.Body.Role.Pointer()), Status: (*tenant.Status)(in.Body.Status.Pointer()),
		Cap: resource.CapOf(in.Body.Quota), Caps: in.Body.Caps.Value().Store(),
		Limits: in.Body.Limits.Value().Change(),
	})
}
