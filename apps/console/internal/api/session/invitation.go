package session

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
)

const day = 24 * time.Hour

// Invitation asks a person to become a user.
type Invitation struct {
	ID        uuid.UUID  `json:"id"`
	TenantID  *uuid.UUID `json:"tenant_id" nullable:"true" doc:"null: to run the platform"`
	Email     string     `json:"email"`
	Role      string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID   *uuid.UUID `json:"group_id" nullable:"true" doc:"null for operators"`
	InvitedBy string     `json:"invited_by" doc:"E-mail address, and the access key where it was one"`
	Status    string     `json:"status" enum:"pending,expired,accepted,revoked"`
	CreatedAt time.Time  `json:"created_at"`
	SentAt    time.Time  `json:"sent_at" doc:"When its link was made"`
	ExpiresAt time.Time  `json:"expires_at"`
}

// MadeInvitation is an Invitation with its link, which is shown this once.
type MadeInvitation struct {
	Invitation
	MadeLink
}

// MadeLink reports how a link with a secret was delivered.
type MadeLink struct {
	Mailed bool    `json:"mailed" doc:"Whether it is on its way by mail"`
	Link   *string `json:"link" nullable:"true" doc:"Shown this once, where mail is not configured, and to operators; null otherwise. Begins with / where the console does not know its own URL"`
}

func (h *handlers) invitationOf(i *identity.Invitation) Invitation {
	shown := Invitation{
		ID: i.ID, TenantID: api.NullableID(i.TenantID), Email: i.Email, Role: string(i.Role), GroupID: api.NullableID(i.GroupID), InvitedBy: i.Inviter,
		Status: string(i.Status), CreatedAt: i.CreatedAt.UTC(), SentAt: i.SentAt.UTC(), ExpiresAt: i.ExpiresAt.UTC(),
	}
	if i.Status == identity.InvitationPending && !i.ExpiresAt.After(h.Now()) {
		shown.Status = "expired"
	}
	return shown
}

// NewInvitation is the body of createInvitation.
type NewInvitation struct {
	TenantID  *uuid.UUID `json:"tenant_id,omitempty" doc:"Operators only, who leave it out to invite operators; others invite to their own"`
	Email     string     `json:"email" maxLength:"254"`
	Role      string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID   *uuid.UUID `json:"group_id,omitempty" doc:"Operators only; others invite to their own"`
	ValidDays int        `json:"valid_days,omitempty" minimum:"1" maximum:"30" default:"7"`
}

type invitationQuery struct {
	api.PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Operators only"`
}

func invitations(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createInvitation", Method: http.MethodPost, Path: "/invitations", Tag: "members", Summary: "Invite a user",
		Description: "Mails a link, or shows it where mail is not configured. For admins, owners and operators.",
		Status:      http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, h.createInvitation)
	api.Register(h.API, api.Operation{
		ID: "listInvitations", Method: http.MethodGet, Path: "/invitations", Tag: "members", Summary: "List invitations",
		Description: "Newest first. Admins and owners see their tenant's, operators all. They are kept for 90 days after they expire.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listInvitations)
	api.Register(h.API, api.Operation{
		ID: "resendInvitation", Method: http.MethodPost, Path: "/invitations/{id}/resend", Tag: "members", Summary: "Send an invitation again",
		Description: "With a new link, which is good for as long as the old one was; the old one is void.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, h.resendInvitation)
	api.Register(h.API, api.Operation{
		ID: "revokeInvitation", Method: http.MethodPost, Path: "/invitations/{id}/revoke", Tag: "members", Summary: "Revoke an invitation",
		Description: "Its link works no more. An invitation that was accepted cannot be revoked.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.revokeInvitation)
}

func (h *handlers) createInvitation(ctx context.Context, in *struct{ Body NewInvitation }) (*api.Answer[MadeInvitation], error) {
	body, secret := &in.Body, seal.NewSecret()
	tenantID, err := h.invitedTo(ctx, body)
	if err != nil {
		return nil, err
	}
	if err := h.takeLink(ctx); err != nil {
		return nil, err
	}
	return h.invite(ctx, secret, func(tx *store.Store) (identity.Invitation, error) {
		return tx.Identity.CreateInvitation(ctx, api.ScopeOf(ctx), identity.NewInvitation{
			TenantID: tenantID, Email: body.Email, Role: tenant.Role(body.Role), GroupID: api.Deref(body.GroupID),
			Hash: secret.Hash, ExpiresAt: h.Now().Add(time.Duration(body.ValidDays) * day),
		})
	})
}

// invite makes an invitation and queues its mail, both or neither.
func (h *handlers) invite(ctx context.Context, secret seal.Secret, make func(*store.Store) (identity.Invitation, error)) (answer *api.Answer[MadeInvitation], err error) {
	err = h.Store.Atomically(ctx, func(tx *store.Store) error {
		made, err := make(tx)
		if err != nil {
			return err
		}
		link := h.Mailer.InvitationLink(secret.Value)
		mailed, err := h.sendInvitation(ctx, tx, &made, link)
		answer = api.NewAnswer(MadeInvitation{h.invitationOf(&made), h.shown(ctx, link, mailed)})
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Mailer.Wake()
	return answer, nil
}

// invitedTo is the tenant that an invitation is to, uuid.Nil for operators.
func (h *handlers) invitedTo(ctx context.Context, body *NewInvitation) (uuid.UUID, error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.InviteMembers); err != nil {
		return uuid.Nil, err
	}
	self := api.CallerOf(ctx).User
	if self.Role != tenant.Operator {
		if body.TenantID != nil {
			return *body.TenantID, nil
		}
		return self.TenantID, nil
	}
	return api.Deref(body.TenantID), resource.CheckPlace(tenant.Role(body.Role), body.TenantID, body.GroupID)
}

// takeLink bounds how many links a tenant, or an operator, has sent to others.
func (h *handlers) takeLink(ctx context.Context) error {
	self := api.CallerOf(ctx).User
	who := self.TenantID
	if who == uuid.Nil {
		who = self.ID
	}
	return h.Throttle.Take(throttle.LinksByTenant, who.String(), h.Now())
}

// sendInvitation reports whether the mail is queued.
func (h *handlers) sendInvitation(ctx context.Context, tx *store.Store, i *identity.Invitation, link string) (bool, error) {
	letter := mailer.Invitation{To: i.Email, Inviter: api.CallerOf(ctx).User.Email, Link: link, ExpiresAt: i.ExpiresAt}
	if i.TenantID != uuid.Nil {
		home, err := tx.Identity.Tenant(ctx, api.ScopeOf(ctx), i.TenantID)
		if err != nil {
			return false, err
		}
		letter.Tenant = home.Name
	}
	return h.Mailer.Invite(ctx, tx, i.TenantID, letter)
}

// shown shows a link to operators, and to others where mail is not configured:
// where it is, only who reads the mail may have it.
func (h *handlers) shown(ctx context.Context, link string, mailed bool) MadeLink {
	if h.Mailer.Configured() && !api.ScopeOf(ctx).Everywhere() {
		return MadeLink{Mailed: mailed}
	}
	return MadeLink{Mailed: mailed, Link: &link}
}

func (h *handlers) listInvitations(ctx context.Context, in *invitationQuery) (*api.Answer[api.List[Invitation]], error) {
	page, err := h.Store.Identity.Invitations(ctx, api.ScopeOf(ctx), in.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, h.invitationOf), nil
}

func (h *handlers) resendInvitation(ctx context.Context, in *api.ByID) (*api.Answer[MadeInvitation], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.InviteMembers); err != nil {
		return nil, err
	}
	if err := h.takeLink(ctx); err != nil {
		return nil, err
	}
	secret := seal.NewSecret()
	return h.invite(ctx, secret, func(tx *store.Store) (identity.Invitation, error) {
		return tx.Identity.RenewInvitation(ctx, api.ScopeOf(ctx), in.ID, secret.Hash)
	})
}

func (h *handlers) revokeInvitation(ctx context.Context, in *api.ByID) (*api.Answer[Invitation], error) {
	revoked, err := h.Store.Identity.RevokeInvitation(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(h.invitationOf(&revoked)), nil
}

// bySecret counts secrets that are none against the client's address, and
// refuses addresses that try too many. find says whether there is such a one.
func (h *handlers) bySecret(ctx context.Context, value string, find func(hash [32]byte) error) error {
	from := throttle.Network(api.ClientIn(ctx).Address)
	if err := h.Throttle.Check(throttle.SecretsByAddress, from, h.Now()); err != nil {
		return err
	}
	err := error(problem.New(problem.NotFound, "The link is used, void or expired."))
	if hash, ok := seal.HashSecret(value); ok {
		err = find(hash)
	}
	if problem.Is(err, problem.NotFound) {
		h.Throttle.Charge(throttle.SecretsByAddress, from, h.Now())
		return problem.New(problem.NotFound, "The link is used, void or expired.")
	}
	return err
}
