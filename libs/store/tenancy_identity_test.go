package store_test

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// identityCalls returns calls of the methods on tenants and users, for the tests of isolation.
func (w isolation) identityCalls() map[string]call {
	s, a, page := w.s, w.acme, storepage.Page{}
	return map[string]call{
		"CreateTenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreateTenant(ctx, by, identity.NewTenant{Slug: "x", Name: "x"})
			return true, err
		}},
		"UpdateTenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UpdateTenant(ctx, by, a.Tenant.ID, identity.TenantPatch{Name: new("x")})
			return true, err
		}},
		"Tenant": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Tenant(ctx, by, a.Tenant.ID)
			return true, err
		}},
		"TenantBySlug": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.TenantBySlug(ctx, by, "acme")
			return true, err
		}},
		"Tenants": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Tenants(ctx, by, page)
			return true, err
		}},
		"TenantNames": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.TenantNames(ctx, by, []uuid.UUID{a.Tenant.ID})
			return true, err
		}},
		"CreateUser": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreateUser(ctx, storetest.Confirmed(by),
				identity.NewUser{TenantID: a.Tenant.ID, Email: "x@x.example", Role: tenant.Member})
			return true, err
		}},
		"UpdateUser": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UpdateUser(ctx, storetest.Confirmed(by), a.Owner.ID,
				identity.UserPatch{PasswordHash: new("x")})
			return true, err
		}},
		"User": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.User(ctx, by, a.Owner.ID)
			return true, err
		}},
		"UserByEmail": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UserByEmail(ctx, by, a.Owner.Email)
			return true, err
		}},
		"UserOfTenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UserOfTenant(ctx, by, a.Tenant.ID, a.Owner.Email)
			return true, err
		}},
		"ClaimedElsewhere": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return s.Identity.ClaimedElsewhere(ctx, by, a.Owner)
		}},
		"UserWithPassword": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Identity.UserWithPassword(ctx, by, a.Owner.Email)
			return true, err
		}},
		"Users": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Users(ctx, by, identity.UserFilter{TenantID: a.Tenant.ID}, page)
			return true, err
		}},
		"UserEmails": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			emails, err := s.Identity.UserEmails(ctx, by, []uuid.UUID{a.Owner.ID})
			return len(emails) > 0, err
		}},
		"Audit": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Audit.List(ctx, by, audit.Query{TenantID: a.Tenant.ID, Page: page})
			return true, err
		}},
	}
}
