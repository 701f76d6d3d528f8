package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store"
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

func passkeyOf(p *store.Passkey) Passkey {
	return Passkey{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastUsed: moment(p.LastUsed)}
}

type passkeyUpdate struct {
	ByID
	Body PasskeyPatch
}

func passkeys(a *API) {
	addressed := huma.Middlewares{a.withAddress}
	limited := []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	register(a, operation{
		id: "beginPasskeySession", method: http.MethodPost, path: "/session/passkey/begin", tag: "session", public: true,
		summary: "Begin to sign in with a passkey", description: "Without a name: the user's device knows it.",
		status: http.StatusOK, errors: limited, middlewares: addressed,
	}, a.beginPasskeySession)
	register(a, operation{
		id: "createPasskeySession", method: http.MethodPost, path: "/session/passkey", tag: "session", public: true,
		summary: "Sign in with a passkey", description: "Sets the session cookie. Asks for no second factor: the device has verified its user.",
		status: http.StatusOK, errors: limited, middlewares: addressed,
	}, a.createPasskeySession)
	register(a, operation{
		id: "askPasskey", method: http.MethodPost, path: "/session/second-factor/passkey", tag: "session", public: true,
		summary: "Begin to give a passkey as the second factor", description: "Pass the answer to createSecondFactor.",
		status: http.StatusOK, errors: limited, middlewares: addressed,
	}, a.askPasskey)
	register(a, operation{
		id: "beginPasskey", method: http.MethodPost, path: "/session/passkeys/begin", tag: "session", person: true, summary: "Begin to make a passkey",
		description: "The first of two steps: what the browser's navigator.credentials.create is to be called with.",
		status:      http.StatusOK, errors: limited, middlewares: addressed,
	}, a.beginPasskey)
	register(a, operation{
		id: "createPasskey", method: http.MethodPost, path: "/session/passkeys", tag: "session", person: true, summary: "Keep the passkey that was made",
		description: "The second of two steps: what the browser made of the answer of beginPasskey.",
		status:      http.StatusCreated, errors: []int{http.StatusConflict},
	}, a.createPasskey)
	register(a, operation{
		id: "listPasskeys", method: http.MethodGet, path: "/session/passkeys", tag: "session", summary: "List one's passkeys",
		description: "All are on the first page.",
	}, a.listPasskeys)
	register(a, operation{
		id: "updatePasskey", method: http.MethodPatch, path: "/session/passkeys/{id}", tag: "session", person: true, summary: "Rename a passkey",
		description: "The name is for people alone.",
		errors:      []int{http.StatusNotFound},
	}, a.updatePasskey)
	register(a, operation{
		id: "deletePasskey", method: http.MethodDelete, path: "/session/passkeys/{id}", tag: "session", person: true, summary: "Delete a passkey",
		description: "Nobody can sign in with it from then on.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound},
	}, a.deletePasskey)
}

func optionsOf(raw []byte, err error) (*Answer[PasskeyOptions], error) {
	if err != nil {
		return nil, err
	}
	return answer(PasskeyOptions{PublicKey: raw}), nil
}

func (a *API) beginPasskeySession(ctx context.Context, _ *struct{}) (*Answer[PasskeyOptions], error) {
	return optionsOf(a.Sessions.BeginPasskeySignIn(ctx, clientIn(ctx).Address))
}

func (a *API) createPasskeySession(ctx context.Context, in *struct{ Body PasskeyAnswer }) (*signedIn, error) {
	open, err := a.Sessions.SignInWithPasskey(ctx, in.Body.Credential, clientIn(ctx))
	if err != nil {
		return nil, err
	}
	return a.signedIn(open), nil
}

func (a *API) askPasskey(ctx context.Context, in *struct{ Body PendingChallenge }) (*Answer[PasskeyOptions], error) {
	return optionsOf(a.Sessions.AskPasskey(ctx, in.Body.Challenge, clientIn(ctx).Address))
}

func (a *API) beginPasskey(ctx context.Context, in *struct{ Body PasswordProof }) (*Answer[PasskeyOptions], error) {
	if err := a.prove(ctx, in.Body.Password, "password"); err != nil {
		return nil, err
	}
	return optionsOf(a.Sessions.BeginPasskey(ctx, callerOf(ctx).User))
}

func (a *API) createPasskey(ctx context.Context, in *struct{ Body NewPasskey }) (*Answer[Passkey], error) {
	made, err := a.Sessions.AddPasskey(ctx, callerOf(ctx).User, in.Body.Name, in.Body.Credential)
	if err != nil {
		return nil, err
	}
	return answer(passkeyOf(&made)), nil
}

func (a *API) listPasskeys(ctx context.Context, _ *struct{}) (*Answer[List[Passkey]], error) {
	found, err := a.Store.Passkeys(ctx, scopeOf(ctx), callerOf(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	return pageOf(store.List[store.Passkey]{Items: found}, passkeyOf), nil
}

func (a *API) updatePasskey(ctx context.Context, in *passkeyUpdate) (*Answer[Passkey], error) {
	renamed, err := a.Store.RenamePasskey(ctx, scopeOf(ctx), in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	return answer(passkeyOf(&renamed)), nil
}

func (a *API) deletePasskey(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, a.Store.DeletePasskey(ctx, scopeOf(ctx), in.ID)
}
