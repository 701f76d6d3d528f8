package session

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// PasskeyOptions are what a browser makes a passkey from, or asks for one with.
type PasskeyOptions struct {
	PublicKey json.RawMessage `json:"public_key" doc:"For PublicKeyCredential.parseCreationOptionsFromJSON() or parseRequestOptionsFromJSON()"`
}

// NewPasskey is the body of createPasskey.
type NewPasskey struct {
	Name       string          `json:"name" minLength:"1" maxLength:"200"`
	Credential json.RawMessage `json:"credential" doc:"As PublicKeyCredential.toJSON() writes it"`
}

// PasskeyPatch is the body of updatePasskey.
type PasskeyPatch struct {
	Name string `json:"name" minLength:"1" maxLength:"200"`
}

// PasskeyAnswer is the body of createPasskeySession.
type PasskeyAnswer struct {
	Credential json.RawMessage `json:"credential" doc:"As PublicKeyCredential.toJSON() writes it"`
}

// PendingChallenge is the body of askPasskey.
type PendingChallenge struct {
	Challenge string `json:"challenge" minLength:"1" maxLength:"100"`
}

// Passkey is a passkey without its key.
type Passkey struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used" doc:"null: never"`
}

func passkeyOf(p *signin.Passkey) Passkey {
	return Passkey{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastUsed: api.NullableTime(p.LastUsed)}
}

type passkeyUpdate struct {
	api.ByID
	Body PasskeyPatch
}

func passkeys(h *handlers) {
	addressed := huma.Middlewares{h.WithClient}
	limited := []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	api.Register(h.API, api.Operation{
		ID: "beginPasskeySession", Method: http.MethodPost, Path: "/session/passkey/begin", Tag: "session", Public: true,
		Summary: "Begin to sign in with a passkey", Description: "Without a name: the user's device knows it.",
		Status: http.StatusOK, Errors: limited, Middlewares: addressed,
	}, h.beginPasskeySession)
	api.Register(h.API, api.Operation{
		ID: "createPasskeySession", Method: http.MethodPost, Path: "/session/passkey", Tag: "session", Public: true,
		Summary: "Sign in with a passkey", Description: "Sets the session cookie. Asks for no second factor: the device has verified its user.",
		Status: http.StatusOK, Errors: limited, Middlewares: addressed,
	}, h.createPasskeySession)
	api.Register(h.API, api.Operation{
		ID: "askPasskey", Method: http.MethodPost, Path: "/session/second-factor/passkey", Tag: "session", Public: true,
		Summary: "Begin to give a passkey as the second factor", Description: "Pass the answer to createSecondFactor.",
		Status: http.StatusOK, Errors: limited, Middlewares: addressed,
	}, h.askPasskey)
	api.Register(h.API, api.Operation{
		ID: "beginPasskey", Method: http.MethodPost, Path: "/session/passkeys/begin", Tag: "session", Person: true, Summary: "Begin to make a passkey",
		Description: "The first of two steps: what the browser's navigator.credentials.create is to be called with.",
		Status:      http.StatusOK, Errors: limited, Middlewares: addressed,
	}, h.beginPasskey)
	api.Register(h.API, api.Operation{
		ID: "createPasskey", Method: http.MethodPost, Path: "/session/passkeys", Tag: "session", Person: true, Summary: "Keep the passkey that was made",
		Description: "The second of two steps: what the browser made of the answer of beginPasskey.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict},
	}, h.createPasskey)
	api.Register(h.API, api.Operation{
		ID: "listPasskeys", Method: http.MethodGet, Path: "/session/passkeys", Tag: "session", Summary: "List one's passkeys",
		Description: "All are on the first page.",
	}, h.listPasskeys)
	api.Register(h.API, api.Operation{
		ID: "updatePasskey", Method: http.MethodPatch, Path: "/session/passkeys/{id}", Tag: "session", Person: true, Summary: "Rename a passkey",
		Description: "The name is for people alone.",
		Errors:      []int{http.StatusNotFound},
	}, h.updatePasskey)
	api.Register(h.API, api.Operation{
		ID: "deletePasskey", Method: http.MethodDelete, Path: "/session/passkeys/{id}", Tag: "session", Person: true, Summary: "Delete a passkey",
		Description: "Nobody can sign in with it from then on.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound},
	}, h.deletePasskey)
}

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
	return h.signedIn(open), nil
}

func (h *handlers) askPasskey(ctx context.Context, in *struct{ Body PendingChallenge }) (*api.Answer[PasskeyOptions], error) {
	return optionsOf(h.Sessions.AskPasskey(ctx, in.Body.Challenge, api.ClientIn(ctx).Address))
}

func (h *handlers) beginPasskey(ctx context.Context, in *struct{ Body PasswordProof }) (*api.Answer[PasskeyOptions], error) {
	if err := h.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return optionsOf(h.Sessions.BeginPasskey(ctx, api.CallerOf(ctx).User))
}

func (h *handlers) createPasskey(ctx context.Context, in *struct{ Body NewPasskey }) (*api.Answer[Passkey], error) {
	made, err := h.Sessions.AddPasskey(ctx, api.CallerOf(ctx).User, in.Body.Name, in.Body.Credential)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(passkeyOf(&made)), nil
}

func (h *handlers) listPasskeys(ctx context.Context, _ *struct{}) (*api.Answer[api.List[Passkey]], error) {
	found, err := h.Store.Signin.Passkeys(ctx, api.ScopeOf(ctx), api.CallerOf(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page.List[signin.Passkey]{Items: found}, passkeyOf), nil
}

func (h *handlers) updatePasskey(ctx context.Context, in *passkeyUpdate) (*api.Answer[Passkey], error) {
	renamed, err := h.Store.Signin.RenamePasskey(ctx, api.ScopeOf(ctx), in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(passkeyOf(&renamed)), nil
}

func (h *handlers) deletePasskey(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Signin.DeletePasskey(ctx, api.ScopeOf(ctx), in.ID)
}
