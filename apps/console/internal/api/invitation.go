package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/post"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
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

// MadeLink is what became of a link with a secret in it.
type MadeLink struct {
	Mailed bool    `json:"mailed" doc:"Whether it is on its way by mail"`
	Link   *string `json:"link" nullable:"true" doc:"Shown this once, where mail is not configured, and to operators; null otherwise. Begins with / where the console does not know its own URL"`
}

func (a *API) invitationOf(i *store.Invitation) Invitation {
	shown := Invitation{
		ID: i.ID, TenantID: some(i.TenantID), Email: i.Email, Role: string(i.Role), GroupID: some(i.GroupID), InvitedBy: i.Inviter,
		Status: string(i.Status), CreatedAt: i.CreatedAt.UTC(), SentAt: i.SentAt.UTC(), ExpiresAt: i.ExpiresAt.UTC(),
	}
	if i.Status == store.InvitationPending && !i.ExpiresAt.After(a.Now()) {
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
	PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Operators only"`
}

func invitations(a *API) {
	register(a, operation{
		id: "createInvitation", method: http.MethodPost, path: "/invitations", tag: "members", summary: "Invite a user",
		description: "Mails a link, or shows it where mail is not configured. For admins, owners and operators.",
		status:      http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, a.createInvitation)
	register(a, operation{
		id: "listInvitations", method: http.MethodGet, path: "/invitations", tag: "members", summary: "List invitations",
		description: "Newest first. Admins and owners see their tenant's, operators all. They are kept for 90 days after they expire.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listInvitations)
	register(a, operation{
		id: "resendInvitation", method: http.MethodPost, path: "/invitations/{id}/resend", tag: "members", summary: "Send an invitation again",
		description: "With a new link, which is good for as long as the old one was; the old one is void.",
		status:      http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, a.resendInvitation)
	register(a, operation{
		id: "revokeInvitation", method: http.MethodPost, path: "/invitations/{id}/revoke", tag: "members", summary: "Revoke an invitation",
		description: "Its link works no more. An invitation that was accepted cannot be revoked.",
		status:      http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.revokeInvitation)
}

func (a *API) createInvitation(ctx context.Context, in *struct{ Body NewInvitation }) (*Answer[MadeInvitation], error) {
	body, secret := &in.Body, session.NewSecret()
	tenantID, err := a.invitedTo(ctx, body)
	if err != nil {
		return nil, err
	}
	if err := a.takeLink(ctx); err != nil {
		return nil, err
	}
	made, err := a.Store.CreateInvitation(ctx, scopeOf(ctx), store.NewInvitation{
		TenantID: tenantID, Email: body.Email, Role: tenant.Role(body.Role), GroupID: value(body.GroupID),
		Hash: secret.Hash, ExpiresAt: a.Now().Add(time.Duration(body.ValidDays) * day),
	})
	if err != nil {
		return nil, err
	}
	return a.sendInvitation(ctx, made, secret)
}

// invitedTo is the tenant that an invitation is to, uuid.Nil for operators.
func (a *API) invitedTo(ctx context.Context, body *NewInvitation) (uuid.UUID, error) {
	if err := permission.Check(scopeOf(ctx), permission.InviteMembers); err != nil {
		return uuid.Nil, err
	}
	self := callerOf(ctx).User
	if self.Role != tenant.Operator {
		if body.TenantID != nil {
			return *body.TenantID, nil
		}
		return self.TenantID, nil
	}
	asUser := NewUser{Role: body.Role, TenantID: body.TenantID, GroupID: body.GroupID}
	return value(body.TenantID), asUser.check()
}

// takeLink bounds how many links a tenant, or an operator, has sent to others.
func (a *API) takeLink(ctx context.Context) error {
	self := callerOf(ctx).User
	who := self.TenantID
	if who == uuid.Nil {
		who = self.ID
	}
	return a.Throttle.Take(session.LinksByTenant, who.String(), a.Now())
}

func (a *API) sendInvitation(ctx context.Context, i store.Invitation, secret session.Secret) (*Answer[MadeInvitation], error) {
	letter := post.Invitation{To: i.Email, Inviter: callerOf(ctx).User.Email, Link: a.Post.InvitationLink(secret.Value), ExpiresAt: i.ExpiresAt}
	if i.TenantID != uuid.Nil {
		home, err := a.Store.Tenant(ctx, scopeOf(ctx), i.TenantID)
		if err != nil {
			return nil, err
		}
		letter.Tenant = home.Name
	}
	return answer(MadeInvitation{a.invitationOf(&i), a.shown(ctx, letter.Link, a.Post.Invite(letter))}), nil
}

// shown shows a link to operators, and to others where mail is not configured:
// where it is, only who reads the mail may have it.
func (a *API) shown(ctx context.Context, link string, mailed bool) MadeLink {
	if a.MailConfigured() && !scopeOf(ctx).Everywhere() {
		return MadeLink{Mailed: mailed}
	}
	return MadeLink{Mailed: mailed, Link: &link}
}

// MailConfigured reports whether the console sends mail.
func (a *API) MailConfigured() bool { return a.Post.Configured() }

func (a *API) listInvitations(ctx context.Context, in *invitationQuery) (*Answer[List[Invitation]], error) {
	page, err := a.Store.Invitations(ctx, scopeOf(ctx), in.TenantID, in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, a.invitationOf), nil
}

func (a *API) resendInvitation(ctx context.Context, in *ByID) (*Answer[MadeInvitation], error) {
	if err := permission.Check(scopeOf(ctx), permission.InviteMembers); err != nil {
		return nil, err
	}
	if err := a.takeLink(ctx); err != nil {
		return nil, err
	}
	secret := session.NewSecret()
	renewed, err := a.Store.RenewInvitation(ctx, scopeOf(ctx), in.ID, secret.Hash)
	if err != nil {
		return nil, err
	}
	return a.sendInvitation(ctx, renewed, secret)
}

func (a *API) revokeInvitation(ctx context.Context, in *ByID) (*Answer[Invitation], error) {
	revoked, err := a.Store.RevokeInvitation(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return answer(a.invitationOf(&revoked)), nil
}

// bySecret counts secrets that are none against the client's address, and
// refuses addresses that try too many. find says whether there is such a one.
func (a *API) bySecret(ctx context.Context, value string, find func(hash [32]byte) error) error {
	from := session.Network(clientIn(ctx).Address)
	if err := a.Throttle.Check(session.SecretsByAddress, from, a.Now()); err != nil {
		return err
	}
	err := error(problem.New(problem.NotFound, "The link is used, void or expired."))
	if hash, ok := session.HashOf(value); ok {
		err = find(hash)
	}
	if problem.Is(err, problem.NotFound) {
		a.Throttle.Charge(session.SecretsByAddress, from, a.Now())
		return problem.New(problem.NotFound, "The link is used, void or expired.")
	}
	return err
}
