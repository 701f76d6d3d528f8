package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// SecondFactor is what a sign-in waits for.
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

// TOTPEnrolment is what an authenticator app needs.
type TOTPEnrolment struct {
	Secret string `json:"secret" doc:"base32, to be typed into an authenticator app"`
	URI    string `json:"uri" doc:"otpauth://..., to be shown as a QR code"`
}

// RecoveryCodes are shown this once.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"Each works once, in place of a code. Shown this once"`
}

// Factors are what the user has beside his password.
type Factors struct {
	TOTP          bool       `json:"totp" doc:"Whether signing in with the password asks for a code too"`
	TOTPSince     *time.Time `json:"totp_since" doc:"null: never"`
	RecoveryCodes int        `json:"recovery_codes" doc:"How many are left"`
	Passkeys      int        `json:"passkeys"`
}

func secondFactors(a *API) {
	guessed := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}
	register(a, operation{
		id: "createSecondFactor", method: http.MethodPost, path: "/session/second-factor", tag: "session", public: true,
		summary:     "Give the second factor of a sign-in",
		description: "Sets the session cookie. A wrong code is a 400 at code, and may be tried again a few times; a sign-in that is over is a 401 at challenge.",
		status:      http.StatusOK, errors: guessed, middlewares: huma.Middlewares{a.withAddress},
	}, a.giveSecondFactor)
	register(a, operation{
		id: "getFactors", method: http.MethodGet, path: "/session/factors", tag: "session", summary: "Which factors one has",
		description: "The authenticator app, passkeys and recovery codes of whoever is signed in.",
	}, a.getFactors)
	register(a, operation{
		id: "beginTOTP", method: http.MethodPost, path: "/session/totp", tag: "session", person: true, summary: "Begin to use an authenticator app",
		description: "It is asked for once confirmTOTP was given a code of it. Replaces one that was begun and not confirmed.",
		status:      http.StatusOK, errors: append(guessed, http.StatusConflict), middlewares: huma.Middlewares{a.withAddress},
	}, a.beginTOTP)
	register(a, operation{
		id: "confirmTOTP", method: http.MethodPost, path: "/session/totp/confirm", tag: "session", person: true, summary: "Show that the authenticator app works",
		description: "From then on signing in with the password asks for a code.",
		status:      http.StatusOK, errors: append(guessed, http.StatusConflict),
	}, a.confirmTOTP)
	register(a, operation{
		id: "disableTOTP", method: http.MethodPost, path: "/session/totp/disable", tag: "session", person: true, summary: "Use the authenticator app no longer",
		description: "Signing in asks for no code of it from then on.",
		status:      http.StatusNoContent, errors: append(guessed, http.StatusNotFound), middlewares: huma.Middlewares{a.withAddress},
	}, a.disableTOTP)
	register(a, operation{
		id: "createRecoveryCodes", method: http.MethodPost, path: "/session/recovery-codes", tag: "session", person: true, summary: "Replace one's recovery codes",
		description: "The codes before are worthless from then on. The answer shows the new ones, this once.",
		status:      http.StatusOK, errors: append(guessed, http.StatusConflict), middlewares: huma.Middlewares{a.withAddress},
	}, a.createRecoveryCodes)
	register(a, operation{
		id: "resetMemberFactors", method: http.MethodPost, path: "/members/{id}/reset-factors", tag: "members", person: true,
		summary:     "Take a user's second factor and passkeys from him",
		description: "For one who lost them. Ends his sessions; he signs in with his password. For admins and owners; nobody resets his own.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.resetMemberFactors)
	register(a, operation{
		id: "resetUserFactors", method: http.MethodPost, path: "/operator/users/{id}/reset-factors", tag: "operator", person: true,
		summary:     "Take a user's second factor and passkeys from him",
		description: "For one who lost them. Ends his sessions; he signs in with his password. Nobody resets his own.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.resetUserFactors)
}

func (a *API) giveSecondFactor(ctx context.Context, in *struct{ Body SecondFactorAnswer }) (*signedIn, error) {
	if (in.Body.Code == "") == (in.Body.Passkey == nil) {
		return nil, problem.New(problem.MissingParameter, "Give a code or a passkey.").At("code")
	}
	open, err := a.Sessions.SecondFactor(ctx, session.Factor{
		Challenge: in.Body.Challenge, Code: in.Body.Code, Passkey: in.Body.Passkey, Client: clientIn(ctx),
	})
	if err != nil {
		return nil, err
	}
	return a.signedIn(open), nil
}

func (a *API) getFactors(ctx context.Context, _ *struct{}) (*Answer[Factors], error) {
	found, err := a.Store.Factors(ctx, scopeOf(ctx), callerOf(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	return answer(Factors{
		TOTP: !found.TOTP.IsZero(), TOTPSince: moment(found.TOTP), RecoveryCodes: found.RecoveryCodes, Passkeys: found.Passkeys,
	}), nil
}

func (a *API) beginTOTP(ctx context.Context, in *struct{ Body PasswordProof }) (*Answer[TOTPEnrolment], error) {
	if err := a.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	begun, err := a.Sessions.BeginTOTP(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	return answer(TOTPEnrolment(begun)), nil
}

func (a *API) confirmTOTP(ctx context.Context, in *struct{ Body CodeProof }) (*Answer[RecoveryCodes], error) {
	return shown(a.Sessions.ConfirmTOTP(ctx, callerOf(ctx).User, in.Body.Code))
}

func (a *API) createRecoveryCodes(ctx context.Context, in *struct{ Body FullProof }) (*Answer[RecoveryCodes], error) {
	if err := a.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return shown(a.Sessions.RenewRecoveryCodes(ctx, callerOf(ctx).User, in.Body.Code))
}

func shown(codes []string, err error) (*Answer[RecoveryCodes], error) {
	if err != nil {
		return nil, err
	}
	return answer(RecoveryCodes{codes}), nil
}

func (a *API) disableTOTP(ctx context.Context, in *struct{ Body FullProof }) (*struct{}, error) {
	if err := a.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return nil, a.Sessions.EndTOTP(ctx, callerOf(ctx).User, in.Body.Code)
}

func (a *API) resetMemberFactors(ctx context.Context, in *ByID) (*struct{}, error) {
	if _, err := home(ctx); err != nil {
		return nil, err
	}
	return nil, a.Store.ResetFactors(ctx, scopeOf(ctx), in.ID)
}

func (a *API) resetUserFactors(ctx context.Context, in *ByID) (*struct{}, error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	return nil, a.Store.ResetFactors(ctx, scopeOf(ctx), in.ID)
}
