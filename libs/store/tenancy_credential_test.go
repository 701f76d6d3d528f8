package store_test

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// credentialCalls returns calls of the methods on sessions, invitations, access keys and tokens, for the tests of
// isolation.
func (w isolation) credentialCalls() map[string]call {
	s, a, id, page, owned := w.s, w.acme, storetest.NewID(), storepage.Page{}, w.acme.Tokens[w.acme.Owner.ID].ID
	return map[string]call{
		"CreateSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.CreateSession(ctx, by, signin.NewSession{UserID: a.Owner.ID, PasswordHash: "old",
				Hash: storetest.Hash(id), ExpiresAt: time.Now().Add(time.Hour)})
		}},
		"Session": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Signin.Session(ctx, by, storetest.Hash(id))
			return true, err
		}},
		"Sessions": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Signin.Sessions(ctx, by, a.Owner.ID, page)
			return true, err
		}},
		"EndSession": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.EndSession(ctx, by, id)
		}},
		"EndSessions": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.EndSessions(ctx, by, a.Owner.ID, uuid.Nil)
		}},
		"CreateInvitation": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreateInvitation(ctx, storetest.Confirmed(by),
				identity.NewInvitation{TenantID: a.Tenant.ID, Email: "x@x.example", Role: tenant.Member,
					Hash: storetest.Hash(id), ExpiresAt: time.Now()})
			return true, err
		}},
		"Invitations": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Invitations(ctx, by, a.Tenant.ID, page)
			return true, err
		}},
		"RenewInvitation": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.RenewInvitation(ctx, storetest.Confirmed(by), w.invitation.ID,
				storetest.Hash(id), tenant.Mailed)
			return true, err
		}},
		"RevokeInvitation": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.RevokeInvitation(ctx, storetest.Confirmed(by), w.invitation.ID)
			return true, err
		}},
		"Invited": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Identity.Invited(ctx, by, storetest.Hash(w.invitation.ID))
			return true, err
		}},
		"AcceptInvitation": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.AcceptInvitation(ctx, by, storetest.Hash(w.invitation.ID), "x")
			return true, err
		}},
		"CreatePasswordReset": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreatePasswordReset(ctx, storetest.Confirmed(by),
				identity.NewReset{UserID: a.Owner.ID, Hash: storetest.Hash(id), ExpiresAt: time.Now()})
			return true, err
		}},
		"PasswordReset": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.PasswordReset(ctx, by, storetest.Hash(id))
			return true, err
		}},
		"ResetPassword": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.ResetPassword(ctx, by, storetest.Hash(id), "x")
			return true, err
		}},
		"AccessKeys": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Token.AccessKeys(ctx, by, a.Owner.ID, page)
			return len(found.Items) > 0, err
		}},
		"RevokeAccessKey": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Token.RevokeAccessKey(ctx, storetest.Confirmed(by), w.key.ID)
		}},
		"KeyUser": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.KeyUser(ctx, by, storetest.Hash(w.key.ID))
			return true, err
		}},
		"SeeAccessKey": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Token.SeeAccessKey(ctx, by, w.key.ID)
		}},
		"SeeSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.SeeSession(ctx, by, id)
		}},
		"ConfirmSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Signin.ConfirmSession(ctx, by, id, signin.ByPassword)
			return true, err
		}},
		"DeleteSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.DeleteSession(ctx, by, storetest.Hash(id))
		}},
		"TokenNames": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			names, err := s.Token.TokenNames(ctx, by, []uuid.UUID{owned})
			return len(names) > 0, err
		}},
		"CreateToken": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.CreateToken(ctx, by,
				tokendb.NewToken{Token: token.Token{ID: storetest.NewID(), UserID: a.Owner.ID, Name: "x"},
					Hash: storetest.Hash(storetest.NewID())})
			return true, err
		}},
		"UpdateToken": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.UpdateToken(ctx, by, owned, tokendb.Patch{Status: new(token.Revoked)})
			return true, err
		}},
		"RetireToken": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Token.RetireToken(ctx, by, owned)
			return true, err
		}},
		"Token": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.Token(ctx, by, owned)
			return true, err
		}},
		"Tokens of the tenant": {verdicts{missing, missing, missing, empty, allowed,
			denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Token.Tokens(ctx, by, tokendb.Query{TenantID: a.Tenant.ID})
			return len(found.Items) > 0, err
		}},
		"Tokens of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Token.Tokens(ctx, by, tokendb.Query{UserID: a.Owner.ID})
			return len(found.Items) > 0, err
		}},
		"Caller": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.Caller(ctx, by, storetest.Hash(owned))
			return true, err
		}},
		"LastUses": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			used := a.Tokens[a.Owner.ID]
			used.LastUsed = time.Unix(0, 0)
			last, err := s.Metering.LastUses(ctx, by, []token.Token{used})
			return last[used.ID].After(used.LastUsed), err
		}},
		"RevokePurpose": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Token.RevokePurpose(ctx, by, a.Owner.ID, token.ForPlayground)
		}},
	}
}
