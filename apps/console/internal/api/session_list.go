package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store"
)

// Session is one signed-in program of a user.
type Session struct {
	ID        uuid.UUID `json:"id"`
	Current   bool      `json:"current" doc:"Whether it is the one that asks"`
	Means     string    `json:"means" doc:"How it was opened: password, invitation and the like"`
	Address   string    `json:"address" doc:"Of the client that opened it; empty: unknown"`
	UserAgent string    `json:"user_agent" doc:"What the client called itself; empty: nothing"`
	CreatedAt time.Time `json:"created_at"`
	LastSeen  time.Time `json:"last_seen" doc:"Exact to a minute"`
	ExpiresAt time.Time `json:"expires_at"`
}

func sessionOf(s *store.Session, current uuid.UUID) Session {
	shown := Session{
		ID: s.ID, Current: s.ID == current, Means: string(s.Means), UserAgent: s.Client.Agent,
		CreatedAt: s.CreatedAt.UTC(), LastSeen: s.LastSeen.UTC(), ExpiresAt: s.ExpiresAt.UTC(),
	}
	if s.Client.Address.IsValid() {
		shown.Address = s.Client.Address.String()
	}
	return shown
}

type userSessions struct {
	ByID
	PageQuery
}

func sessionLists(a *API) {
	register(a, operation{
		id: "listSessions", method: http.MethodGet, path: "/sessions", tag: "session", person: true, summary: "List one's own sessions",
		description: "Newest first.",
	}, a.listSessions)
	register(a, operation{
		id: "endOtherSessions", method: http.MethodDelete, path: "/sessions", tag: "session", person: true, summary: "Sign out everywhere else",
		description: "Ends all sessions of the caller but the one that asks.", status: http.StatusNoContent,
	}, a.endOtherSessions)
	register(a, operation{
		id: "endSession", method: http.MethodDelete, path: "/sessions/{id}", tag: "session", person: true, summary: "End one of one's own sessions",
		description: "The browser that it belongs to has to sign in again.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound},
	}, a.endSession)
	register(a, operation{
		id: "listUserSessions", method: http.MethodGet, path: "/operator/users/{id}/sessions", tag: "operator", person: true, summary: "List a user's sessions",
		description: "Newest first.", errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listUserSessions)
	register(a, operation{
		id: "endUserSessions", method: http.MethodDelete, path: "/operator/users/{id}/sessions", tag: "operator", person: true, summary: "Sign a user out everywhere",
		description: "All sessions of the user end at once; access keys stay.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound},
	}, a.endUserSessions)
}

func (a *API) listSessions(ctx context.Context, in *PageQuery) (*Answer[List[Session]], error) {
	return a.sessionsOf(ctx, callerOf(ctx).User.ID, in.page())
}

func (a *API) sessionsOf(ctx context.Context, userID uuid.UUID, page store.Page) (*Answer[List[Session]], error) {
	found, err := a.Store.Sessions(ctx, scopeOf(ctx), userID, page)
	if err != nil {
		return nil, err
	}
	current := callerOf(ctx).ID
	return pageOf(found, func(s *store.Session) Session { return sessionOf(s, current) }), nil
}

func (a *API) endOtherSessions(ctx context.Context, _ *struct{}) (*struct{}, error) {
	c := callerOf(ctx)
	return nil, a.Store.EndSessions(ctx, c.scope(), c.User.ID, c.ID)
}

func (a *API) endSession(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, a.Store.EndSession(ctx, scopeOf(ctx), in.ID)
}

func (a *API) listUserSessions(ctx context.Context, in *userSessions) (*Answer[List[Session]], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	return a.sessionsOf(ctx, in.ID, in.page())
}

func (a *API) endUserSessions(ctx context.Context, in *ByID) (*struct{}, error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	return nil, a.Store.EndSessions(ctx, scopeOf(ctx), in.ID, uuid.Nil)
}
