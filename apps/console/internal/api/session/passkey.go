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
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// PasskeyOptions holds the options with which a browser creates a passkey or asks the user for one.
type PasskeyOptions struct {
	PublicKey json.RawMessage `json:"public_key" doc:"Options for the browser: pass them to PublicKeyCredential.parseCreationOptionsFromJSON() or parseRequestOptionsFromJSON()"`
}

// NewPasskey is the body of createPasskey.
type NewPasskey struct {
	Name       string          `json:"name" minLength:"1" maxLength:"200"`
	Credential json.RawMessage `json:"credential" doc:"The browser's response, as PublicKeyCredential.toJSON() returns it"`
}

// PasskeyPatch is the body of updatePasskey.
type PasskeyPatch struct {
	Name string `json:"name" minLength:"1" maxLength:"200"`
}

// PasskeyAnswer is the body of createPasskeySession.
type PasskeyAnswer struct {
	Credential json.RawMessage `json:"credential" doc:"The browser's response, as PublicKeyCredential.toJSON() returns it"`
}

// PendingChallenge is the body of askPasskey.
type PendingChallenge struct {
	Challenge string `json:"challenge" minLength:"1" maxLength:"100" doc:"The challenge that createSession returned"`
}

// Passkey describes a passkey. It does not contain the public key.
type Passkey struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used" doc:"null if it was never used"`
}

func passkeyOf(p *signin.Passkey) Passkey {
	return Passkey{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastUsed: null.Time(p.LastUsed)}
}

type passkeyUpdate struct {
	api.ByID
	Body PasskeyPatch
}

func registerPasskeys(h *handlers) {
	withClient := huma.Middlewares{h.WithClient}
	statuses := []int{http.StatusConflict, http.StatusTooManyRequests}
	api.Register(h.API, api.Operation{
		ID: "beginPasskeySession", Method: http.MethodPost, Path: "/session/passkey/begin",
		Tag: "session", Public: true,
		Summary: "Start to sign in with a passkey", Description: "The first of two steps: returns options for " +
			"navigator.credentials.get(). Needs no e-mail address, because the user's device knows the user.",
		Status: http.StatusOK, Errors: statuses, Middlewares: withClient,
	}, h.beginPasskeySession)
	api.Register(h.API, api.Operation{
		ID: "createPasskeySession", Method: http.MethodPost, Path: "/session/passkey", Tag: "session", Public: true,
		Summary: "Sign in with a passkey", Description: "The second of two steps: send the browser's response to " +
			"the options of beginPasskeySession. Sets the session cookie. No second factor is needed, because the " +
			"device verifies its user.",
		Status: http.StatusOK, Errors: statuses, Middlewares: withClient,
	}, h.createPasskeySession)
	api.Register(h.API, api.Operation{
		ID: "askPasskey", Method: http.MethodPost, Path: "/session/second-factor/passkey", Tag: "session", Public: true,
		Summary: "Start to use a passkey as the second factor", Description: "Returns options for " +
			"navigator.credentials.get(). Pass the browser's response to createSecondFactor.",
		Status: http.StatusOK, Errors: statuses, Middlewares: withClient,
	}, h.askPasskey)
	api.Register(h.API, api.Operation{
		ID: "beginPasskey", Method: http.MethodPost, Path: "/session/passkeys/begin", Tag: "session",
		Summary:     "Start to create a passkey",
		Description: "The first of two steps: returns options for navigator.credentials.create().",
		Status:      http.StatusOK, Confirm: api.Always, Errors: statuses, Middlewares: withClient,
	}, h.beginPasskey)
	api.Register(h.API, api.Operation{
		ID: "createPasskey", Method: http.MethodPost, Path: "/session/passkeys", Tag: "session",
		Summary:     "Store a new passkey",
		Description: "The second of two steps: send the browser's response to the options of beginPasskey.",
		Status:      http.StatusCreated, Confirm: api.Always, Errors: []int{http.StatusConflict},
	}, h.createPasskey)
	api.Register(h.API, api.Operation{
		ID: "listPasskeys", Method: http.MethodGet, Path: "/session/passkeys", Tag: "session",
		Summary:     "List the caller's passkeys",
		Description: "The first page contains all of them.",
	}, h.listPasskeys)
	api.Register(h.API, api.Operation{
		ID: "updatePasskey", Method: http.MethodPatch, Path: "/session/passkeys/{id}", Tag: "session",
		Summary:     "Rename a passkey",
		Description: "The name helps people to tell passkeys apart and has no other effect.",
		Errors:      []int{http.StatusNotFound}, Confirm: api.Always,
	}, h.updatePasskey)
	api.Register(h.API, api.Operation{
		ID: "deletePasskey", Method: http.MethodDelete, Path: "/session/passkeys/{id}", Tag: "session",
		Summary:     "Delete a passkey",
		Description: "Nobody can sign in with it afterwards.",
		Status:      http.StatusNoContent, Confirm: api.Always, Errors: []int{http.StatusNotFound},
	}, h.deletePasskey)
}

// optionsOf returns the response with the options. It takes the results of the call that creates them.
func optionsOf(raw []byte, err error) (*api.Answer[PasskeyOptions], error) {
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(PasskeyOptions{PublicKey: raw}), nil
}

func (h *handlers) beginPasskeySession(ctx context.Context, _ *struct{}) (*api.Answer[PasskeyOptions], error) {
	return optionsOf(h.Sessions.BeginPasskeySignIn(ctx, api.ClientIn(ctx).Address))
}

func (h *handlers) createPasskeySession(ctx context.Context, in *struct{ Body PasskeyAnswer }) (*signedIn, error) {
	open, err := h.Sessions.SignInWithPasskey(ctx, in.Body.Credential, api.ClientIn(ctx))
	if err != nil {
		return nil, err
	}
	return h.signedIn(ctx, open), nil
}

func (h *handlers) askPasskey(ctx context.Context,
	in *struct{ Body PendingChallenge }) (*api.Answer[PasskeyOptions], error) {
	return optionsOf(h.Sessions.AskPasskey(ctx, in.Body.Challenge, api.ClientIn(ctx).Address))
}

// beginPasskey asks for the password again, so that a stolen session cannot add a passkey.
func (h *handlers) beginPasskey(ctx context.Context,
	in *struct{ Body PasswordProof }) (*api.Answer[PasskeyOptions], error) {
	if _, err := h.checkPassword(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return optionsOf(h.Sessions.BeginPasskey(ctx, api.CallerOf(ctx).User))
}

func (h *handlers) createPasskey(ctx context.Context, in *struct{ Body NewPasskey }) (*api.Answer[Passkey], error) {
	passkey, err := h.Sessions.AddPasskey(ctx, api.CallerOf(ctx).Confirmed, api.CallerOf(ctx).User, in.Body.Name,
		in.Body.Credential)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(passkeyOf(&passkey)), nil
}

func (h *handlers) listPasskeys(ctx context.Context, _ *struct{}) (*api.Answer[api.List[Passkey]], error) {
	passkeys, err := h.Store.Signin.Passkeys(ctx, api.ScopeOf(ctx), api.CallerOf(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page.List[signin.Passkey]{Items: passkeys}, passkeyOf), nil
}

func (h *handlers) updatePasskey(ctx context.Context, in *passkeyUpdate) (*api.Answer[Passkey], error) {
	passkey, err := h.Store.Signin.RenamePasskey(ctx, api.CallerOf(ctx).Confirmed, in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(passkeyOf(&passkey)), nil
}

func (h *handlers) deletePasskey(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Signin.DeletePasskey(ctx, api.CallerOf(ctx).Confirmed, in.ID)
}
