package session

import (
	"context"
	"net/netip"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/issuer"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// entry is an issuer through which users sign in, and the tenant whose issuer it is.
type entry struct {
	*issuer.Issuer
	tenant tenant.Tenant // zero: the issuer is the platform's
}

// ofTenant reports whether the issuer is that of a tenant.
func (e entry) ofTenant() bool { return e.tenant.ID != uuid.Nil }

// means returns the means of sessions that the issuer opens.
func (e entry) means() signin.Means {
	if e.ofTenant() {
		return signin.ByTenantIssuer
	}
	return signin.ByOIDC
}

// BeginAt starts a sign-in at the issuer of a tenant, as BeginOIDC does at the platform's. It depends on the tenant
// only, so that it does not tell who has an account: a NoIssuer refusal says that no tenant has an issuer for the
// entrance. Its errors are *issuer.Refusal.
func (s *Sessions) BeginAt(ctx context.Context, from netip.Addr, at issuer.Entrance, back string) (Departure, error) {
	if err := s.takeBegin(from); err != nil {
		return Departure{}, err
	}
	var to entry
	var err error
	if at.Slug != "" {
		to, err = s.entryOf(ctx, at.Slug)
	} else {
		to, err = s.entryFrom(s.store.Identity.IssuerByDomain(ctx, s.system, at.Domain))
	}
	if err != nil {
		return Departure{}, err
	}
	return s.depart(ctx, to, flow{Return: localPath(back)})
}

// entryOf returns the issuer of the tenant with the slug, or the platform's for "". Its errors are *issuer.Refusal.
func (s *Sessions) entryOf(ctx context.Context, slug string) (entry, error) {
	if slug != "" {
		return s.entryFrom(s.store.Identity.IssuerBySlug(ctx, s.system, slug))
	}
	if s.issuer == nil {
		return entry{}, &issuer.Refusal{Reason: issuer.Off}
	}
	return entry{Issuer: s.issuer}, nil
}

// entryFrom returns the client of a tenant's issuer from what the store returned.
func (s *Sessions) entryFrom(t tenant.Tenant, row tenant.Issuer, err error) (entry, error) {
	if problem.Is(err, problem.NotFound) || err == nil && s.pool == nil {
		return entry{}, &issuer.Refusal{Reason: issuer.NoIssuer}
	}
	if err != nil {
		return entry{}, asRefusal(err)
	}
	secret, err := s.sealer.Open(row.SealedSecret, tenant.IssuerPurpose(row.TenantID))
	if err != nil {
		return entry{}, asRefusal(err)
	}
	return entry{Issuer: s.pool.Get(&t, &row, secret), tenant: t}, nil
}

// arrive returns the user of the tenant for an account of the tenant's issuer, which vouches for the address. The store
// looks for a member, then for an invitation, and then makes a member if the tenant wants that.
func (s *Sessions) arrive(ctx context.Context, e entry, c issuer.Claims) (tenant.User, error) {
	user, err := s.store.Identity.Arrive(ctx, s.system, identity.Arrival{TenantID: e.tenant.ID, Email: c.Email})
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.InvalidType) {
		return tenant.User{}, &issuer.Refusal{Reason: issuer.Unknown, Cause: err}
	}
	return user, err
}

// checkMeans returns a Forbidden problem if the user must sign in with the issuer of the tenant, and did not.
func checkMeans(t tenant.Tenant, user tenant.User, means signin.Means) error {
	if t.MustUseIssuer(user.Role) && means != signin.ByTenantIssuer {
		return problem.New(problem.Forbidden, "Your organization requires you to sign in with its identity "+
			"provider. Use its single sign-on.")
	}
	return nil
}
