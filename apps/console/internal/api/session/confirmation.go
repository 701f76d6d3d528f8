package session

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Confirmation tells when the user of the session last proved the identity, and how the user can prove it again.
type Confirmation struct {
	ConfirmedAt time.Time   `json:"confirmed_at" doc:"When the user last proved the identity in this session: the sign-in or a later confirmation"`
	ExpiresAt   time.Time   `json:"expires_at" doc:"When operations that need a confirmation are refused until the next one. It does not change when the session expires"`
	Methods     []string    `json:"methods" enum:"passkey,password,totp,recovery_code,oidc" doc:"The ways in which the user can confirm; each is enough. Empty for a user who must sign in again"`
	OIDC        *OIDCMethod `json:"oidc,omitempty" doc:"How to confirm at the OpenID Connect issuer; absent if the user has no account there"`
}

// IdentityProof is the body of createConfirmation.
type IdentityProof struct {
	Password string          `json:"password,omitempty" maxLength:"1024" doc:"The current password of the user"`
	Code     string          `json:"code,omitempty" maxLength:"100" doc:"The six digits that the authenticator app shows, or a recovery code"`
	Passkey  json.RawMessage `json:"passkey,omitempty" doc:"The browser's response to the options of beginConfirmation, as PublicKeyCredential.toJSON() returns it"`
}

func registerConfirmations(h *handlers) {
	withClient := huma.Middlewares{h.WithClient}
	api.Register(h.API, api.Operation{
		ID: "getConfirmation", Method: http.MethodGet, Path: "/session/confirmation", Tag: "session",
		Summary: "Get the last confirmation and the ways to confirm",
		Description: "Some operations answer 403 with the code confirmation_required unless the user has proven the " +
			"identity in this session in the last 15 minutes. Signing in is the first confirmation.",
	}, h.getConfirmation)
	api.Register(h.API, api.Operation{
		ID: "createConfirmation", Method: http.MethodPost, Path: "/session/confirmation", Tag: "session",
		Summary: "Confirm the identity of the session's user",
		Description: "Send one of the three fields. A wrong proof returns 400 for its field. Wrong proofs are " +
			"limited as those of a sign-in are. The session expires when it did before.",
		Status: http.StatusOK, Errors: []int{http.StatusConflict, http.StatusTooManyRequests}, Middlewares: withClient,
	}, h.createConfirmation)
	api.Register(h.API, api.Operation{
		ID: "beginConfirmation", Method: http.MethodPost, Path: "/session/confirmation/passkey", Tag: "session",
		Summary: "Start to confirm with a passkey",
		Description: "Returns options for navigator.credentials.get(). Pass the browser's response to " +
			"createConfirmation.",
		Status: http.StatusOK, Errors: []int{http.StatusConflict, http.StatusTooManyRequests}, Middlewares: withClient,
	}, h.beginConfirmation)
}

func (h *handlers) getConfirmation(ctx context.Context, _ *struct{}) (*api.Answer[Confirmation], error) {
	return h.showConfirmation(ctx, api.CallerOf(ctx).ConfirmedAt)
}

// showConfirmation returns the confirmation at the time with the ways in which the caller can confirm.
func (h *handlers) showConfirmation(ctx context.Context, at time.Time) (*api.Answer[Confirmation], error) {
	ways, name, err := h.Sessions.Ways(ctx, &api.CallerOf(ctx).Session)
	if err != nil {
		return nil, err
	}
	body := Confirmation{ConfirmedAt: at.UTC(), ExpiresAt: at.Add(permission.ConfirmationLife).UTC(),
		Methods: []string{}}
	for _, way := range ways {
		body.Methods = append(body.Methods, way)
		if way == session.OIDC {
			body.OIDC = &OIDCMethod{Name: name, Path: oidcConfirmPath}
		}
	}
	return api.NewAnswer(body), nil
}

// createConfirmation records exactly one proof for the session of the caller.
func (h *handlers) createConfirmation(ctx context.Context,
	in *struct{ Body IdentityProof }) (*api.Answer[Confirmation], error) {
	n := 0
	for _, is := range []bool{in.Body.Password != "", in.Body.Code != "", in.Body.Passkey != nil} {
		if is {
			n++
		}
	}
	if n != 1 {
		return nil, problem.New(problem.MissingParameter, "Send one of password, code and passkey.").At("password")
	}
	at, err := h.Sessions.Confirm(ctx, &api.CallerOf(ctx).Session, session.Proof{
		Password: in.Body.Password, Code: in.Body.Code, Passkey: in.Body.Passkey, Client: api.ClientIn(ctx),
	})
	if err != nil {
		return nil, err
	}
	return h.showConfirmation(ctx, at)
}

func (h *handlers) beginConfirmation(ctx context.Context, _ *struct{}) (*api.Answer[PasskeyOptions], error) {
	return optionsOf(h.Sessions.BeginConfirmation(ctx, &api.CallerOf(ctx).Session, api.ClientIn(ctx).Address))
}
