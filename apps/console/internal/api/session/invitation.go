package session

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
)

const day = 24 * time.Hour

// Invitation invites a person, by e-mail address, to become a user.
type Invitation struct {
	ID        uuid.UUID  `json:"id"`
	TenantID  *uuid.UUID `json:"tenant_id" nullable:"true" doc:"The tenant of the future user; null for an invitation to become an operator"`
	Email     string     `json:"email"`
	Role      string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID   *uuid.UUID `json:"group_id" nullable:"true" doc:"null for operators"`
	InvitedBy string     `json:"invited_by" doc:"E-mail address of the user who sent the invitation, and the access key if a program did"`
	Status    string     `json:"status" enum:"pending,expired,accepted,revoked" doc:"pending: the link can be used"`
	CreatedAt time.Time  `json:"created_at"`
	SentAt    time.Time  `json:"sent_at" doc:"When the current link was created"`
	ExpiresAt time.Time  `json:"expires_at" doc:"When the link stops working"`
}

// MadeInvitation is an Invitation together with its link, which no other response contains.
type MadeInvitation struct {
	Invitation
	MadeLink
}

// MadeLink reports how a link with a secret reaches its recipient: by mail, or through the caller.
type MadeLink struct {
	Mailed bool    `json:"mailed" doc:"Whether the link is queued to be sent by mail"`
	Link   *string `json:"link" nullable:"true" doc:"The link, for the caller to pass on. Only operators receive it, and other callers if mail is not configured; null otherwise. It is never shown again. It starts with / if the console's own URL is not configured"`
}

// invitationOf returns the invitation as the API shows it. The store
// has no status for expired invitations: it follows from the time.
func (h *handlers) invitationOf(i *identity.Invitation) Invitation {
	body := Invitation{
		ID: i.ID, TenantID: null.ID(i.TenantID), Email: i.Email, Role: string(i.Role), GroupID: null.ID(i.GroupID),
		InvitedBy: i.Inviter,
		Status:    string(i.Status), CreatedAt: i.CreatedAt.UTC(), SentAt: i.SentAt.UTC(), ExpiresAt: i.ExpiresAt.UTC(),
	}
	if i.Status == identity.InvitationPending && !i.ExpiresAt.After(h.Now()) {
		body.Status = "expired"
	}
	return body
}

// NewInvitation is the body of createInvitation.
type NewInvitation struct {
	TenantID  *uuid.UUID `json:"tenant_id,omitempty" doc:"The tenant of the future user. Operators must set it, or leave it out to invite an operator; for other callers it is their own tenant"`
	Email     string     `json:"email" maxLength:"254"`
	Role      string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID   *uuid.UUID `json:"group_id,omitempty" doc:"The group of the future user. Operators must set it, unless they invite an operator; for other callers it is their own group"`
	ValidDays int        `json:"valid_days,omitempty" minimum:"1" maximum:"30" default:"7" doc:"Days until the link stops working"`
}

type invitationQuery struct {
	api.PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Only invitations to this tenant. For operators"`
}

func registerInvitations(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createInvitation", Method: http.MethodPost, Path: "/invitations", Tag: "members", Summary: "Invite a user",
		Description: "Sends a link by mail, or returns it if mail is not configured. For admins, owners and operators.",
		Status:      http.StatusCreated, Confirm: api.Always,
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, h.createInvitation)
	api.Register(h.API, api.Operation{
		ID: "listInvitations", Method: http.MethodGet, Path: "/invitations", Tag: "members", Scope: token.ReadMembers,
		Summary: "List invitations",
		Description: "Newest first. Admins and owners see the invitations of their tenant, operators all. " +
			"Invitations stay in the list for 90 days after they expire.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listInvitations)
	api.Register(h.API, api.Operation{
		ID: "resendInvitation", Method: http.MethodPost, Path: "/invitations/{id}/resend", Tag: "members",
		Summary:     "Send an invitation again",
		Description: "Sends a new link, which is valid for as long as the old one was. The old link stops working.",
		Status:      http.StatusOK, Confirm: api.Always,
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, h.resendInvitation)
	api.Register(h.API, api.Operation{
		ID: "revokeInvitation", Method: http.MethodPost, Path: "/invitations/{id}/revoke", Tag: "members",
		Summary:     "Revoke an invitation",
		Description: "The link stops working. An accepted invitation cannot be revoked.",
		Status:      http.StatusOK, Confirm: api.Always, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.revokeInvitation)
}

// createInvitation checks the caller's rights before it counts the link, so that refused
// requests do not use up the allowance. The store keeps only a hash of the secret.
func (h *handlers) createInvitation(ctx context.Context,
	in *struct{ Body NewInvitation }) (*api.Answer[MadeInvitation], error) {
	body, secret := &in.Body, seal.NewSecret()
	tenantID, err := h.invitedTo(ctx, body)
	if err != nil {
		return nil, err
	}
	if err := h.takeLink(ctx); err != nil {
		return nil, err
	}
	return h.invite(ctx, secret, func(tx *store.Store) (identity.Invitation, error) {
		return tx.Identity.CreateInvitation(ctx, api.CallerOf(ctx).Confirmed, identity.NewInvitation{
			TenantID: tenantID, Email: body.Email, Proof: tenant.ProofOfLink(h.Mailer.Configured(), api.ScopeOf(ctx)),
			Role: tenant.Role(body.Role), GroupID: null.Deref(body.GroupID),
			Hash: secret.Hash, ExpiresAt: h.Now().Add(time.Duration(body.ValidDays) * day),
		})
	})
}

// invite calls make and queues the mail in one transaction, so that no
// invitation exists without its mail. It wakes the mailer after the commit.
func (h *handlers) invite(ctx context.Context, secret seal.Secret,
	create func(*store.Store) (identity.Invitation, error)) (answer *api.Answer[MadeInvitation], err error) {
	err = h.Store.Atomically(ctx, func(tx *store.Store) error {
		invitation, err := create(tx)
		if err != nil {
			return err
		}
		link := h.Mailer.InvitationLink(secret.Value)
		mailed, err := h.sendInvitation(ctx, tx, &invitation, link)
		answer = api.NewAnswer(MadeInvitation{h.invitationOf(&invitation), h.linkFor(ctx, link, mailed)})
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Mailer.Wake()
	return answer, nil
}

// invitedTo returns the id of the tenant that the future user joins,
// or uuid.Nil for an operator. It refuses callers who may not invite.
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
	return null.Deref(body.TenantID), resource.CheckPlace(tenant.Role(body.Role), body.TenantID, body.GroupID)
}

// takeLink counts one mailed link against the caller's tenant, or against the operator, and returns a
// RateLimited problem if the allowance is used up: the links go to addresses that the caller chooses.
func (h *handlers) takeLink(ctx context.Context) error {
	self := api.CallerOf(ctx).User
	owner := self.TenantID
	if owner == uuid.Nil {
		owner = self.ID
	}
	return h.Throttle.Take(throttle.LinksByTenant, owner.String(), h.Now())
}

// sendInvitation queues the mail in tx and reports whether it is queued: false means that mail is not configured.
func (h *handlers) sendInvitation(ctx context.Context, tx *store.Store, i *identity.Invitation,
	link string) (bool, error) {
	caller := api.CallerOf(ctx).User
	letter := mailer.Invitation{To: i.Email, Language: caller.Language, Inviter: caller.Email, Link: link,
		ExpiresAt: i.ExpiresAt}
	if i.TenantID != uuid.Nil {
		invitedTo, err := tx.Identity.Tenant(ctx, api.ScopeOf(ctx), i.TenantID)
		if err != nil {
			return false, err
		}
		letter.Tenant = invitedTo.Name
	}
	return h.Mailer.Invite(ctx, tx, i.TenantID, letter)
}

// linkFor returns the link to operators, and to other callers only if mail is not configured. If the
// link is sent by mail, using it proves that the user reads the mailbox, so the caller must not know it.
func (h *handlers) linkFor(ctx context.Context, link string, mailed bool) MadeLink {
	if h.Mailer.Configured() && !api.ScopeOf(ctx).Everywhere() {
		return MadeLink{Mailed: mailed}
	}
	return MadeLink{Mailed: mailed, Link: &link}
}

func (h *handlers) listInvitations(ctx context.Context,
	in *invitationQuery) (*api.Answer[api.List[Invitation]], error) {
	page, err := h.Store.Identity.Invitations(ctx, api.ScopeOf(ctx), in.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, h.invitationOf), nil
}

// resendInvitation replaces the secret of the invitation, which makes the old link invalid.
func (h *handlers) resendInvitation(ctx context.Context, in *api.ByID) (*api.Answer[MadeInvitation], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.InviteMembers); err != nil {
		return nil, err
	}
	if err := h.takeLink(ctx); err != nil {
		return nil, err
	}
	secret := seal.NewSecret()
	return h.invite(ctx, secret, func(tx *store.Store) (identity.Invitation, error) {
		return tx.Identity.RenewInvitation(ctx, api.CallerOf(ctx).Confirmed, in.ID, secret.Hash,
			tenant.ProofOfLink(h.Mailer.Configured(), api.ScopeOf(ctx)))
	})
}

func (h *handlers) revokeInvitation(ctx context.Context, in *api.ByID) (*api.Answer[Invitation], error) {
	invitation, err := h.Store.Identity.RevokeInvitation(ctx, api.CallerOf(ctx).Confirmed, in.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(h.invitationOf(&invitation)), nil
}

// withSecret calls find with the hash of a link's secret. A malformed secret, or one for
// which find returns a NotFound problem, counts against the client's address. An address
// with too many wrong secrets gets a RateLimited problem, so that nobody can guess secrets.
func (h *handlers) withSecret(ctx context.Context, value string, find func(hash [32]byte) error) error {
	from := address.Network(api.ClientIn(ctx).Address)
	if err := h.Throttle.Check(throttle.SecretsByAddress, from, h.Now()); err != nil {
		return err
	}
	// A malformed secret is not looked up, but counts and looks like a wrong one.
	err := error(problem.New(problem.NotFound,
		"The link is not valid: it was used, revoked or has expired. Ask for a new one."))
	if hash, ok := seal.HashSecret(value); ok {
		err = find(hash)
	}
	if problem.Is(err, problem.NotFound) {
		h.Throttle.Charge(throttle.SecretsByAddress, from, h.Now())
		return problem.New(problem.NotFound,
			"The link is not valid: it was used, revoked or has expired. Ask for a new one.")
	}
	return err
}
