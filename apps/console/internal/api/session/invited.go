package session

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// LinkSecret is the body of operations that show the subject of a link without using the link up.
type LinkSecret struct {
	Secret string `json:"secret" minLength:"1" maxLength:"100" doc:"The secret of the link: the part after #"`
}

// SecretAndPassword is the body of the operations that use up a link and set a password.
type SecretAndPassword struct {
	Secret   string          `json:"secret" minLength:"1" maxLength:"100" doc:"The secret of the link: the part after #"`
	Password api.NewPassword `json:"password"`
}

// OpenInvitation is the part of an invitation that the holder of its link may see.
type OpenInvitation struct {
	Tenant    string    `json:"tenant" doc:"Name of the tenant; empty for an invitation to become an operator"`
	Email     string    `json:"email"`
	Role      string    `json:"role" enum:"owner,admin,member,operator"`
	ExpiresAt time.Time `json:"expires_at"`
}

func registerInvited(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "lookUpInvitation", Method: http.MethodPost, Path: "/invitations/lookup", Tag: "session", Public: true,
		Summary:     "Get the invitation of a link",
		Description: "Returns the e-mail address and the tenant of the invitation. The link stays valid.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.lookUpInvitation)
	api.Register(h.API, api.Operation{
		ID: "acceptInvitation", Method: http.MethodPost, Path: "/invitations/accept", Tag: "session", Public: true,
		Summary:     "Accept the invitation of a link",
		Description: "Creates the user with the password and sets the session cookie. A link works once.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.acceptInvitation)
}

func (h *handlers) lookUpInvitation(ctx context.Context,
	in *struct{ Body LinkSecret }) (*api.Answer[OpenInvitation], error) {
	var body OpenInvitation
	err := h.withSecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		open, invitedTo, err := h.Store.Identity.Invited(ctx, system(), hash)
		body = OpenInvitation{Tenant: invitedTo.Name, Email: open.Email, Role: string(open.Role),
			ExpiresAt: open.ExpiresAt.UTC()}
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(body), nil
}

// system returns the scope of the console itself, for requests of people who are not signed in but hold a secret.
func system() tenant.Scope { return tenant.SystemScope("console") }

// acceptInvitation creates the invited user and opens a session. It checks the link before it
// hashes the password, because hashing is expensive and must not be available to everybody.
func (h *handlers) acceptInvitation(ctx context.Context, in *struct{ Body SecretAndPassword }) (*signedIn, error) {
	proof := session.Proven{Means: signin.ByInvitation, Client: api.ClientIn(ctx)}
	err := h.withSecret(ctx, in.Body.Secret, func(hash [32]byte) (err error) {
		open, invitedTo, err := h.Store.Identity.Invited(ctx, system(), hash)
		if err != nil {
			return err
		}
		if invitedTo.MustUseIssuer(open.Role) {
			return problem.New(problem.Conflict, "Your organization requires you to sign in with its identity "+
				"provider: sign in there, which accepts the invitation.")
		}
		if proof.PasswordHash, err = h.Passwords.Hash(ctx, address.Network(proof.Client.Address),
			seal.NewPassword{Text: string(in.Body.Password), Email: open.Email}, "password"); err != nil {
			return err
		}
		proof.User, err = h.Store.Identity.AcceptInvitation(ctx, system(), hash, proof.PasswordHash)
		return err
	})
	if err != nil {
		return nil, err
	}
	open, err := h.Sessions.Begin(ctx, proof)
	if err != nil {
		return nil, err
	}
	return h.signedIn(ctx, open), nil
}
