package session

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// SecondFactor asks for the second proof of a sign-in.
type SecondFactor struct {
	Challenge string    `json:"challenge" doc:"To be passed to createSecondFactor with a code"`
	ExpiresAt time.Time `json:"expires_at" doc:"When the sign-in must begin again"`
	Methods   []string  `json:"methods" enum:"totp,recovery_code,passkey" doc:"What the user has"`
}

func secondFactorOf(p *session.Pending) *SecondFactor {
	return &SecondFactor{Challenge: p.Challenge, ExpiresAt: p.ExpiresAt, Methods: p.Methods}
}

// SecondFactorAnswer is the body of createSecondFactor.
type SecondFactorAnswer struct {
	Challenge string          `json:"challenge" minLength:"1" maxLength:"100"`
	Code      string          `json:"code,omitempty" maxLength:"100" doc:"Six digits of the authenticator, or a recovery code"`
	Passkey   json.RawMessage `json:"passkey,omitempty" doc:"In place of a code: the answer to what askPasskey returned, as PublicKeyCredential.toJSON() writes it"`
}

// PasswordProof is the body of operations that ask for the password once more.
type PasswordProof struct {
	Password string `json:"password" minLength:"1" maxLength:"1024"`
}

// CodeProof is the body of confirmTOTP.
type CodeProof struct {
	Code string `json:"code" minLength:"1" maxLength:"100" doc:"Six digits of the authenticator"`
}

// FullProof is the body of operations that ask for password and second factor.
type FullProof struct {
	Password string `json:"password" minLength:"1" maxLength:"1024"`
	Code     string `json:"code" minLength:"1" maxLength:"100" doc:"Six digits of the authenticator, or a recovery code"`
}

// TOTPEnrolment holds the secret for an authenticator app.
type TOTPEnrolment struct {
	Secret string `json:"secret" doc:"base32, to be typed into an authenticator app"`
	URI    string `json:"uri" doc:"otpauth://..., to be shown as a QR code"`
}

// RecoveryCodes are shown this once.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"Each works once, in place of a code. Shown this once"`
}

// Factors lists the second factors of a user.
type Factors struct {
	TOTP          bool       `json:"totp" doc:"Whether signing in with the password asks for a code too"`
	TOTPSince     *time.Time `json:"totp_since" doc:"null: never"`
	RecoveryCodes int        `json:"recovery_codes" doc:"How many are left"`
	Passkeys      int        `json:"passkeys"`
}

func secondFactors(h *handlers) {
	guessed := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}
	api.Register(h.API, api.Operation{
		ID: "createSecondFactor", Method: http.MethodPost, Path: "/session/second-factor", Tag: "session", Public: true,
		Summary:     "Give the second factor of a sign-in",
		Description: "Sets the session cookie. A wrong code is a 400 at code, and may be tried again a few times; a sign-in that is over is a 401 at challenge.",
		Status:      http.StatusOK, Errors: guessed, Middlewares: huma.Middlewares{h.WithClient},
	}, h.giveSecondFactor)
	api.Register(h.API, api.Operation{
		ID: "getFactors", Method: http.MethodGet, Path: "/session/factors", Tag: "session", Summary: "Which factors one has",
		Description: "The authenticator app, passkeys and recovery codes of whoever is signed in.",
	}, h.getFactors)
	api.Register(h.API, api.Operation{
		ID: "beginTOTP", Method: http.MethodPost, Path: "/session/totp", Tag: "session", Person: true, Summary: "Begin to use an authenticator app",
		Description: "It is asked for once confirmTOTP was given a code of it. Replaces one that was begun and not confirmed.",
		Status:      http.StatusOK, Errors: append(guessed, http.StatusConflict), Middlewares: huma.Middlewares{h.WithClient},
	}, h.beginTOTP)
	api.Register(h.API, api.Operation{
		ID: "confirmTOTP", Method: http.MethodPost, Path: "/session/totp/confirm", Tag: "session", Person: true, Summary: "Show that the authenticator app works",
		Description: "From then on signing in with the password asks for a code.",
		Status:      http.StatusOK, Errors: append(guessed, http.StatusConflict),
	}, h.confirmTOTP)
	api.Register(h.API, api.Operation{
		ID: "disableTOTP", Method: http.MethodPost, Path: "/session/totp/disable", Tag: "session", Person: true, Summary: "Use the authenticator app no longer",
		Description: "Signing in asks for no code of it from then on.",
		Status:      http.StatusNoContent, Errors: append(guessed, http.StatusNotFound), Middlewares: huma.Middlewares{h.WithClient},
	}, h.disableTOTP)
	api.Register(h.API, api.Operation{
		ID: "createRecoveryCodes", Method: http.MethodPost, Path: "/session/recovery-codes", Tag: "session", Person: true, Summary: "Replace one's recovery codes",
		Description: "The codes before are worthless from then on. The answer shows the new ones, this once.",
		Status:      http.StatusOK, Errors: append(guessed, http.StatusConflict), Middlewares: huma.Middlewares{h.WithClient},
	}, h.createRecoveryCodes)
	api.Register(h.API, api.Operation{
		ID: "resetMemberFactors", Method: http.MethodPost, Path: "/members/{id}/reset-factors", Tag: "members", Person: true,
		Summary:     "Take a user's second factor and passkeys from him",
		Description: "For one who lost them. Ends his sessions; he signs in with his password. For admins and owners; nobody resets his own.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.resetMemberFactors)
	api.Register(h.API, api.Operation{
		ID: "resetUserFactors", Method: http.MethodPost, Path: "/operator/users/{id}/reset-factors", Tag: "operator", Person: true,
		Summary:     "Take a user's second factor and passkeys from him",
		Description: "For one who lost them. Ends his sessions; he signs in with his password. Nobody resets his own.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.resetUserFactors)
}

func (h *handlers) giveSecondFactor(ctx context.Context, in *struct{ Body SecondFactorAnswer }) (*signedIn, error) {
	if (in.Body.Code == "") == (in.Body.Passkey == nil) {
		return nil, problem.New(problem.MissingParameter, "Give a code or a passkey.").At("code")
	}
	open, err := h.Sessions.SecondFactor(ctx, session.Factor{
		Challenge: in.Body.Challenge, Code: in.Body.Code, Passkey: in.Body.Passkey, Client: api.ClientIn(ctx),
	})
	if err != nil {
		return nil, err
	}
	return h.signedIn(open), nil
}

func (h *handlers) getFactors(ctx context.Context, _ *struct{}) (*api.Answer[Factors], error) {
	found, err := h.Store.Signin.Factors(ctx, api.ScopeOf(ctx), api.CallerOf(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(Factors{
		TOTP: !found.TOTP.IsZero(), TOTPSince: api.NullableTime(found.TOTP), RecoveryCodes: found.RecoveryCodes, Passkeys: found.Passkeys,
	}), nil
}

func (h *handlers) beginTOTP(ctx context.Context, in *struct{ Body PasswordProof }) (*api.Answer[TOTPEnrolment], error) {
	if err := h.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	begun, err := h.Sessions.BeginTOTP(ctx, api.CallerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(TOTPEnrolment(begun)), nil
}

func (h *handlers) confirmTOTP(ctx context.Context, in *struct{ Body CodeProof }) (*api.Answer[RecoveryCodes], error) {
	return shown(h.Sessions.ConfirmTOTP(ctx, api.CallerOf(ctx).User, in.Body.Code))
}

func (h *handlers) createRecoveryCodes(ctx context.Context, in *struct{ Body FullProof }) (*api.Answer[RecoveryCodes], error) {
	if err := h.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return shown(h.Sessions.RenewRecoveryCodes(ctx, api.CallerOf(ctx).User, in.Body.Code))
}

func shown(codes []string, err error) (*api.Answer[RecoveryCodes], error) {
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(RecoveryCodes{codes}), nil
}

func (h *handlers) disableTOTP(ctx context.Context, in *struct{ Body FullProof }) (*struct{}, error) {
	if err := h.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return nil, h.Sessions.EndTOTP(ctx, api.CallerOf(ctx).User, in.Body.Code)
}

func (h *handlers) resetMemberFactors(ctx context.Context, in *api.ByID) (*struct{}, error) {
	if _, err := api.Home(ctx); err != nil {
		return nil, err
	}
	return nil, h.Store.Signin.ResetFactors(ctx, api.ScopeOf(ctx), in.ID)
}

func (h *handlers) resetUserFactors(ctx context.Context, in *api.ByID) (*struct{}, error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	return nil, h.Store.Signin.ResetFactors(ctx, api.ScopeOf(ctx), in.ID)
}
