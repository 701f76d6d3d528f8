package session

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/mailer"
)

// SecondFactor tells the client that the sign-in needs a second factor, and how to send it.
type SecondFactor struct {
	Challenge string    `json:"challenge" doc:"Pass it to createSecondFactor together with a code or a passkey"`
	ExpiresAt time.Time `json:"expires_at" doc:"After this time the sign-in must start again with createSession"`
	Methods   []string  `json:"methods" enum:"totp,recovery_code,passkey" doc:"The second factors that the user can use"`
}

func secondFactorOf(p *session.Pending) *SecondFactor {
	return &SecondFactor{Challenge: p.Challenge, ExpiresAt: p.ExpiresAt, Methods: p.Methods}
}

// SecondFactorAnswer is the body of createSecondFactor.
type SecondFactorAnswer struct {
	Challenge string          `json:"challenge" minLength:"1" maxLength:"100" doc:"The challenge that createSession returned"`
	Code      string          `json:"code,omitempty" maxLength:"100" doc:"The six digits that the authenticator app shows, or a recovery code"`
	Passkey   json.RawMessage `json:"passkey,omitempty" doc:"Instead of a code: the browser's response to the options of askPasskey, as PublicKeyCredential.toJSON() returns it"`
}

// PasswordProof is the body of operations that ask a signed-in user for the password again.
type PasswordProof struct {
	Password string `json:"password" minLength:"1" maxLength:"1024" doc:"The current password of the user"`
}

// CodeProof is the body of confirmTOTP.
type CodeProof struct {
	Code string `json:"code" minLength:"1" maxLength:"100" doc:"The six digits that the authenticator app shows"`
}

// FullProof is the body of operations that ask a signed-in user for the password and the second factor.
type FullProof struct {
	Password string `json:"password" minLength:"1" maxLength:"1024" doc:"The current password of the user"`
	Code     string `json:"code" minLength:"1" maxLength:"100" doc:"The six digits that the authenticator app shows, or a recovery code"`
}

// TOTPEnrolment holds the secret that an authenticator app needs to generate codes (RFC 6238).
type TOTPEnrolment struct {
	Secret string `json:"secret" doc:"The secret in base32, for typing into an authenticator app"`
	URI    string `json:"uri" doc:"The same secret as an otpauth:// URI, for a QR code"`
}

// RecoveryCodes holds new recovery codes. No other response contains them.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"Each code works once, instead of a code of the authenticator app. They are shown only in this response"`
}

// Factors describes the second factors of a user.
type Factors struct {
	TOTP          bool       `json:"totp" doc:"Whether signing in with the password also asks for a code of an authenticator app"`
	TOTPSince     *time.Time `json:"totp_since" doc:"When the authenticator app was confirmed; null if there is none"`
	RecoveryCodes int        `json:"recovery_codes" doc:"Number of recovery codes that are not used yet"`
	Passkeys      int        `json:"passkeys" doc:"Number of passkeys"`
}

func registerSecondFactors(h *handlers) {
	// Of operations that check a password or a code.
	statuses := []int{http.StatusTooManyRequests}
	api.Register(h.API, api.Operation{
		ID: "createSecondFactor", Method: http.MethodPost, Path: "/session/second-factor", Tag: "session", Public: true,
		Summary: "Send the second factor of a sign-in",
		Description: "Sets the session cookie. A wrong code returns 400 for the field code and may be retried a few " +
			"times. An expired or used challenge returns 401 for the field challenge: sign in again.",
		Status: http.StatusOK, Errors: statuses, Middlewares: huma.Middlewares{h.WithClient},
	}, h.sendSecondFactor)
	api.Register(h.API, api.Operation{
		ID: "getFactors", Method: http.MethodGet, Path: "/session/factors", Tag: "session",
		Summary: "Get the caller's second factors",
		Description: "Reports whether the caller uses an authenticator app, and how many passkeys and recovery " +
			"codes there are.",
	}, h.getFactors)
	api.Register(h.API, api.Operation{
		ID: "beginTOTP", Method: http.MethodPost, Path: "/session/totp", Tag: "session",
		Summary: "Start to set up an authenticator app",
		Description: "Returns a new secret. Signing in asks for codes only after confirmTOTP. Replaces a secret " +
			"that was not confirmed.",
		Status: http.StatusOK, Confirm: api.Always, Errors: append(statuses, http.StatusConflict),
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.beginTOTP)
	api.Register(h.API, api.Operation{
		ID: "confirmTOTP", Method: http.MethodPost, Path: "/session/totp/confirm", Tag: "session",
		Summary: "Confirm the authenticator app with a code",
		Description: "From now on, signing in with the password asks for a code. Returns the user's recovery codes, " +
			"which are never shown again.",
		Status: http.StatusOK, Confirm: api.Always, Errors: append(statuses, http.StatusConflict),
	}, h.confirmTOTP)
	api.Register(h.API, api.Operation{
		ID: "disableTOTP", Method: http.MethodPost, Path: "/session/totp/disable", Tag: "session",
		Summary:     "Stop using the authenticator app",
		Description: "From now on, signing in with the password asks for no code.",
		Status:      http.StatusNoContent, Confirm: api.Always, Errors: append(statuses, http.StatusNotFound),
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.disableTOTP)
	api.Register(h.API, api.Operation{
		ID: "createRecoveryCodes", Method: http.MethodPost, Path: "/session/recovery-codes", Tag: "session",
		Summary:     "Replace the caller's recovery codes",
		Description: "The old codes stop working. The response contains the new codes, which are never shown again.",
		Status:      http.StatusOK, Confirm: api.Always, Errors: append(statuses, http.StatusConflict),
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.createRecoveryCodes)
	api.Register(h.API, api.Operation{
		ID: "resetMemberFactors", Method: http.MethodPost, Path: "/members/{id}/reset-factors", Tag: "members",
		Summary: "Reset a user's second factor and passkeys",
		Description: "For a user who lost them. Ends all sessions of the user, who then signs in with the password " +
			"alone. For admins and owners. Callers cannot reset their own.",
		Status: http.StatusNoContent, Confirm: api.Always, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.resetMemberFactors)
	api.Register(h.API, api.Operation{
		ID: "resetUserFactors", Method: http.MethodPost, Path: "/operator/users/{id}/reset-factors", Tag: "operator",
		Summary: "Reset a user's second factor and passkeys",
		Description: "For a user who lost them. Ends all sessions of the user, who then signs in with the password " +
			"alone. Callers cannot reset their own.",
		Status: http.StatusNoContent, Confirm: api.Always, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.resetUserFactors)
}

// sendSecondFactor finishes a sign-in with exactly one of a code and a passkey.
func (h *handlers) sendSecondFactor(ctx context.Context, in *struct{ Body SecondFactorAnswer }) (*signedIn, error) {
	if (in.Body.Code == "") == (in.Body.Passkey == nil) {
		return nil, problem.New(problem.MissingParameter, "Send either a code or a passkey.").At("code")
	}
	open, err := h.Sessions.SecondFactor(ctx, session.Factor{
		Challenge: in.Body.Challenge, Code: in.Body.Code, Passkey: in.Body.Passkey, Client: api.ClientIn(ctx),
	})
	if err != nil {
		return nil, err
	}
	return h.signedIn(ctx, open), nil
}

func (h *handlers) getFactors(ctx context.Context, _ *struct{}) (*api.Answer[Factors], error) {
	factors, err := h.Store.Signin.Factors(ctx, api.ScopeOf(ctx), api.CallerOf(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(Factors{
		TOTP: !factors.TOTP.IsZero(), TOTPSince: null.Time(factors.TOTP), RecoveryCodes: factors.RecoveryCodes,
		Passkeys: factors.Passkeys,
	}), nil
}

// beginTOTP asks for the password again, so that a stolen session cannot set up a second factor.
func (h *handlers) beginTOTP(ctx context.Context,
	in *struct{ Body PasswordProof }) (*api.Answer[TOTPEnrolment], error) {
	if _, err := h.checkPassword(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	enrollment, err := h.Sessions.BeginTOTP(ctx, api.CallerOf(ctx).Confirmed, api.CallerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(TOTPEnrolment(enrollment)), nil
}

func (h *handlers) confirmTOTP(ctx context.Context, in *struct{ Body CodeProof }) (*api.Answer[RecoveryCodes], error) {
	return recoveryCodesOf(h.Sessions.ConfirmTOTP(ctx, api.CallerOf(ctx).Confirmed, in.Body.Code))
}

func (h *handlers) createRecoveryCodes(ctx context.Context,
	in *struct{ Body FullProof }) (*api.Answer[RecoveryCodes], error) {
	if _, err := h.checkPassword(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return recoveryCodesOf(h.Sessions.RenewRecoveryCodes(ctx, api.CallerOf(ctx).Confirmed, in.Body.Code))
}

// recoveryCodesOf returns the response with the codes. It takes the results of the call that creates them.
func recoveryCodesOf(codes []string, err error) (*api.Answer[RecoveryCodes], error) {
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(RecoveryCodes{codes}), nil
}

// disableTOTP asks for both the password and a code, so that a stolen session cannot remove the second factor.
func (h *handlers) disableTOTP(ctx context.Context, in *struct{ Body FullProof }) (*struct{}, error) {
	if _, err := h.checkPassword(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return nil, h.Sessions.EndTOTP(ctx, api.CallerOf(ctx).Confirmed, in.Body.Code)
}

// resetMemberFactors resets a user of the caller's tenant. The
// store refuses users whom the caller's role may not edit.
func (h *handlers) resetMemberFactors(ctx context.Context, in *api.ByID) (*struct{}, error) {
	if _, err := api.TenantOf(ctx); err != nil {
		return nil, err
	}
	return nil, h.resetFactors(ctx, in.ID)
}

// resetUserFactors resets any user. Operators need no proof of
// the user's second factor, because the user has lost it.
func (h *handlers) resetUserFactors(ctx context.Context, in *api.ByID) (*struct{}, error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	return nil, h.resetFactors(ctx, in.ID)
}

// resetFactors removes the second factor and the passkeys of the user, and tells the user.
func (h *handlers) resetFactors(ctx context.Context, id uuid.UUID) error {
	if err := h.Store.Signin.ResetFactors(ctx, api.CallerOf(ctx).Confirmed, id); err != nil {
		return err
	}
	h.Notices.sendTo(ctx, id, mailer.FactorsReset)
	return nil
}
