package session

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// entryFor returns the issuer at which the user of the session has an account: that of the tenant if there is one,
// otherwise the platform's. Its Issuer is nil if the user has no account at either.
func (s *Sessions) entryFor(ctx context.Context, live *signin.Session) (entry, error) {
	identities, err := s.store.Signin.Identities(ctx, tenant.ScopeOf(live.User))
	if err != nil {
		return entry{}, err
	}
	at := func(e entry) bool {
		return slices.ContainsFunc(identities, func(i signin.Identity) bool {
			return i.Issuer == e.URL && i.OfTenant == e.ofTenant()
		})
	}
	if slices.ContainsFunc(identities, func(i signin.Identity) bool { return i.OfTenant }) {
		e, err := s.entryOf(ctx, live.Tenant.Slug)
		if refusal := (*issuer.Refusal)(nil); err != nil && !errors.As(err, &refusal) {
			return entry{}, err
		}
		if err == nil && at(e) {
			return e, nil
		}
	}
	if platform := (entry{Issuer: s.issuer}); platform.Issuer != nil && at(platform) {
		return platform, nil
	}
	return entry{}, nil
}

// BeginOIDCConfirmation sends the browser of a signed-in user at the address from to the issuer, where the user must
// sign in again. back is the local path to which the browser is sent afterwards; another URL is replaced with /. Its
// errors are *issuer.Refusal.
func (s *Sessions) BeginOIDCConfirmation(r *http.Request, from netip.Addr, back string) (Departure, error) {
	// Anybody may send a cookie, so the address counts before the session is looked up.
	if err := s.takeBegin(from); err != nil {
		return Departure{}, err
	}
	live, err := s.sessionOf(r)
	if err != nil {
		return Departure{}, asRefusal(err)
	}
	to, err := s.entryFor(r.Context(), &live)
	if err != nil {
		return Departure{}, asRefusal(err)
	}
	if to.Issuer == nil { // the issuer then refuses with Other, which tells the user more than Off
		to.Issuer = s.issuer
	}
	return s.depart(r.Context(), to, flow{AuthRequest: issuer.AuthRequest{After: s.now()}, Return: localPath(back),
		Session: live.ID})
}

// redeemConfirmation exchanges the code and confirms the session of the flow. The browser must still have this session,
// and the account at the issuer must be linked to its user already: a confirmation links no accounts.
func (s *Sessions) redeemConfirmation(r *http.Request, e entry, code string, f flow) error {
	ctx := r.Context()
	live, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	if live.ID != f.Session {
		return &issuer.Refusal{Reason: issuer.Expired}
	}
	record := web.RecordOf(ctx)
	record.Account, record.AccountTenantID = live.User.Email, live.User.TenantID
	client, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer client.Release()
	claims, err := client.Redeem(code, f.AuthRequest, s.now)
	if err != nil {
		return err
	}
	user, err := s.store.Signin.UseIdentity(ctx, s.system, e.tenant.ID, e.URL, claims.Subject)
	if problem.Is(err, problem.NotFound) || err == nil && user.ID != live.User.ID {
		return &issuer.Refusal{Reason: issuer.Other}
	}
	if err == nil {
		_, err = s.confirmed(ctx, live.ID, e.means())
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
