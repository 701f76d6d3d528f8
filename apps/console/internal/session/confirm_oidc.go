package session

import (
	"context"
	"net/http"
	"net/netip"
	"slices"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// linked reports whether the user of the session has an account at the configured issuer.
func (s *Sessions) linked(ctx context.Context, live *signin.Session) (bool, error) {
	if s.issuer == nil {
		return false, nil
	}
	identities, err := s.store.Signin.Identities(ctx, tenant.ScopeOf(live.User))
	return slices.ContainsFunc(identities, func(i signin.Identity) bool { return i.Issuer == s.issuer.URL }), err
}

// BeginOIDCConfirmation sends the browser of a signed-in user at the address from to the issuer, where the user must sign
// in again. back is the local path to which the browser is sent afterwards; another URL is replaced with /. Its errors are
// *issuer.Refusal.
func (s *Sessions) BeginOIDCConfirmation(r *http.Request, from netip.Addr, back string) (Departure, error) {
	live, err := s.sessionOf(r)
	if err != nil {
		return Departure{}, asRefusal(err)
	}
	return s.depart(r.Context(), from, flow{AuthRequest: issuer.AuthRequest{After: s.now()}, Return: localPath(back), Session: live.ID})
}

// redeemConfirmation exchanges the code and confirms the session of the flow. The browser must still have this session,
// and the account at the issuer must be linked to its user already: a confirmation links no accounts.
func (s *Sessions) redeemConfirmation(r *http.Request, code string, f flow) error {
	ctx := r.Context()
	live, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	if live.ID != f.Session {
		return &issuer.Refusal{Reason: issuer.Expired}
	}
	client, err := s.issuer.Connect(ctx)
	if err != nil {
		return err
	}
	defer client.Release()
	claims, err := client.Redeem(code, f.AuthRequest, s.now)
	if err != nil {
		return err
	}
	user, err := s.store.Signin.UseIdentity(ctx, s.system, s.issuer.URL, claims.Subject)
	if problem.Is(err, problem.NotFound) || err == nil && user.ID != live.User.ID {
		return &issuer.Refusal{Reason: issuer.Other}
	}
	if err == nil {
		_, err = s.confirmed(ctx, live.ID, signin.ByOIDC)
	}
	return err
}

// sessionOf returns the session of the browser that sent the request, or an Expired refusal if there is none.
func (s *Sessions) sessionOf(r *http.Request) (signin.Session, error) {
	cookie, err := r.Cookie(s.CookieName())
	if err != nil {
		return signin.Session{}, &issuer.Refusal{Reason: issuer.Expired}
	}
	live, err := s.Find(r.Context(), cookie.Value)
	if problem.Is(err, problem.Unauthenticated) {
		err = &issuer.Refusal{Reason: issuer.Expired}
	}
	return live, err
}
