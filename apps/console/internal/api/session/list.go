package session

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// Session describes one session of a user: one browser that is signed in.
type Session struct {
	ID        uuid.UUID `json:"id"`
	Current   bool      `json:"current" doc:"Whether this request was made with the session"`
	Means     string    `json:"means" doc:"How the user signed in: password, invitation, passkey, oidc or tenant_issuer"`
	Address   string    `json:"address" doc:"IP address of the client that signed in; empty if unknown"`
	UserAgent string    `json:"user_agent" doc:"User-Agent header of the client that signed in; empty if it sent none"`
	CreatedAt time.Time `json:"created_at"`
	LastSeen  time.Time `json:"last_seen" doc:"When the session was last used, accurate to a minute"`
	ExpiresAt time.Time `json:"expires_at"`
}

func sessionOf(s *signin.Session, current uuid.UUID) Session {
	body := Session{
		ID: s.ID, Current: s.ID == current, Means: string(s.Means), UserAgent: s.Client.Agent,
		CreatedAt: s.CreatedAt.UTC(), LastSeen: s.LastSeen.UTC(), ExpiresAt: s.ExpiresAt.UTC(),
	}
	if s.Client.Address.IsValid() {
		body.Address = s.Client.Address.String()
	}
	return body
}

type userSessions struct {
	api.ByID
	api.PageQuery
}

func registerSessionLists(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listSessions", Method: http.MethodGet, Path: "/sessions", Tag: "session",
		Summary:     "List the caller's sessions",
		Description: "Newest first.",
	}, h.listSessions)
	api.Register(h.API, api.Operation{
		ID: "endOtherSessions", Method: http.MethodDelete, Path: "/sessions", Tag: "session",
		Summary:     "End the caller's other sessions",
		Description: "Ends all sessions of the caller except the one that makes this request.",
		Status:      http.StatusNoContent,
	}, h.endOtherSessions)
	api.Register(h.API, api.Operation{
		ID: "endSession", Method: http.MethodDelete, Path: "/sessions/{id}", Tag: "session",
		Summary:     "End one of the caller's sessions",
		Description: "The browser with this session must sign in again.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound},
	}, h.endSession)
	api.Register(h.API, api.Operation{
		ID: "listUserSessions", Method: http.MethodGet, Path: "/operator/users/{id}/sessions", Tag: "operator",
		Summary:     "List a user's sessions",
		Description: "Newest first.", Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listUserSessions)
	api.Register(h.API, api.Operation{
		ID: "endUserSessions", Method: http.MethodDelete, Path: "/operator/users/{id}/sessions", Tag: "operator",
		Summary:     "End all sessions of a user",
		Description: "All sessions of the user end at once. Access keys of the user keep working.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound},
	}, h.endUserSessions)
}

func (h *handlers) listSessions(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[Session]], error) {
	return h.sessionsOf(ctx, api.CallerOf(ctx).User.ID, in.Page())
}

// sessionsOf returns a page of the user's sessions and marks the caller's own as current.
func (h *handlers) sessionsOf(ctx context.Context, userID uuid.UUID,
	page storepage.Page) (*api.Answer[api.List[Session]], error) {
	sessions, err := h.Store.Signin.Sessions(ctx, api.ScopeOf(ctx), userID, page)
	if err != nil {
		return nil, err
	}
	current := api.CallerOf(ctx).ID
	return api.PageOf(sessions, func(s *signin.Session) Session { return sessionOf(s, current) }), nil
}

// endOtherSessions ends all sessions of the caller except the current one.
func (h *handlers) endOtherSessions(ctx context.Context, _ *struct{}) (*struct{}, error) {
	c := api.CallerOf(ctx)
	return nil, h.Store.Signin.EndSessions(ctx, c.Scope(), c.User.ID, c.ID)
}

func (h *handlers) endSession(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Signin.EndSession(ctx, api.ScopeOf(ctx), in.ID)
}

// listUserSessions lists the sessions of any user. It checks for an operator
// first, because the store also lists the sessions of the caller itself.
func (h *handlers) listUserSessions(ctx context.Context, in *userSessions) (*api.Answer[api.List[Session]], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	return h.sessionsOf(ctx, in.ID, in.Page())
}

func (h *handlers) endUserSessions(ctx context.Context, in *api.ByID) (*struct{}, error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	return nil, h.Store.Signin.EndSessions(ctx, api.ScopeOf(ctx), in.ID, uuid.Nil)
}
