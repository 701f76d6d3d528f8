package identity_test

import (
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const contested = "new@x.example"

// makeMember makes a member of the customer's tenant with the contested address, as its owner does.
func makeMember(t *testing.T, s *store.Store, f *storetest.Customer) tenant.User {
	t.Helper()
	return storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(f.AsOwner), identity.NewUser{
		TenantID: f.Tenant.ID, Email: contested, Role: tenant.Member, PasswordHash: "old"}))(t)
}

// handOver makes a link to one of the customer's tenant, and opens it.
type handOver func(t *testing.T, s *store.Store, f *storetest.Customer) (tenant.User, error)

// byInvitation invites the contested address.
func byInvitation(t *testing.T, s *store.Store, f *storetest.Customer) (tenant.User, error) {
	t.Helper()
	secret := storetest.Hash(storetest.NewID())
	storetest.Need(s.Identity.CreateInvitation(background, storetest.Confirmed(f.AsAdmin), identity.NewInvitation{
		TenantID: f.Tenant.ID, Email: contested, Proof: tenant.HandedOver, Role: tenant.Member, Hash: secret,
		ExpiresAt: time.Now().Add(time.Hour)}))(t)
	return s.Identity.AcceptInvitation(background, platform, secret, "hash")
}

// byReset makes a member with the contested address, and resets the password.
func byReset(t *testing.T, s *store.Store, f *storetest.Customer) (tenant.User, error) {
	t.Helper()
	secret := storetest.Hash(storetest.NewID())
	storetest.Need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(f.AsAdmin), identity.NewReset{
		UserID: makeMember(t, s, f).ID, Hash: secret, Proof: tenant.HandedOver, ExpiresAt: time.Now().Add(time.Hour),
	}))(t)
	return s.Identity.ResetPassword(background, platform, secret, "hash")
}

var handOvers = map[string]handOver{"invitation": byInvitation, "reset": byReset}

// An admin can open every link that the admin makes, also one for the address of another tenant's member.
func TestHandedOverLink_DoesNotTakeAnAddressFromAWorkingAccount(t *testing.T) {
	for name, try := range handOvers {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
				member := makeMember(t, s, &f)
				_, session := storetest.SignIn(t, s, member, signin.Client{})
				_, err := try(t, s, &other)
				storetest.Refuses(t, err, problem.Conflict, "email")
				found, hash, err := s.Identity.UserWithPassword(background, platform, contested)
				storetest.OK(t, err)
				storetest.Equal(t, "user who can sign in", found, member)
				storetest.Equal(t, "password", hash, "old")
				storetest.Need(s.Signin.Session(background, platform, session))(t)
			})
		})
	}
}

// An account that the issuer of a tenant signs in only claims its address.
func TestHandedOverLink_TakesAnAddressThatIsOnlyClaimed(t *testing.T) {
	for name, try := range handOvers {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
				storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(f.AsOwner), identity.NewUser{
					TenantID: f.Tenant.ID, Email: contested, Role: tenant.Member, Claim: true}))(t)
				user := storetest.Need(try(t, s, &other))(t)
				found := storetest.Need(s.Identity.UserByEmail(background, platform, contested))(t)
				storetest.Equal(t, "user who can sign in", found.ID, user.ID)
				storetest.Equal(t, "proof", found.Proof, tenant.HandedOver)
			})
		})
	}
}

// The operator's link is the way out for a person whose address another tenant has taken first.
func TestOperatorsLink_TakesAnAddressFromAnAccountWithoutProof(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		makeMember(t, s, &f)
		claim, secret := makeMember(t, s, &other), storetest.Hash(storetest.NewID())
		storetest.Need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform), identity.NewReset{
			UserID: claim.ID, Hash: secret, Proof: tenant.Vouched, ExpiresAt: time.Now().Add(time.Hour)}))(t)
		storetest.Need(s.Identity.ResetPassword(background, platform, secret, "hash"))(t)
		storetest.Equal(t, "user who can sign in",
			storetest.Need(s.Identity.UserByEmail(background, platform, contested))(t).ID, claim.ID)
	})
}

// An account that lost its address opens nothing, whatever it was set up with.
func TestProof_DeletesTheFactorsAndKeysOfTheAccountThatLosesTheAddress(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		loser := makeMember(t, s, &f)
		scope := tenant.ScopeOf(loser)
		actor := storetest.Confirmed(scope)
		storetest.OK(t, s.Signin.LinkIdentity(background, platform, signin.Identity{UserID: loser.ID,
			Issuer: "https://issuer.example", OfTenant: true, Subject: "1"}))
		storetest.OK(t, s.Signin.BeginTOTP(background, actor, []byte("sealed")))
		storetest.OK(t, s.Signin.ConfirmTOTP(background, actor,
			signin.Confirmation{Sealed: []byte("sealed"), Codes: [][32]byte{storetest.Hash(storetest.NewID())}}))
		storetest.Need(s.Signin.CreatePasskey(background, actor,
			signin.Passkey{CredentialID: []byte("c"), Name: "laptop", Credential: []byte("{}")}))(t)
		key := storetest.Hash(storetest.MakeKey(t, s, scope).ID)
		storetest.Need(s.Token.KeyUser(background, platform, key))(t)

		storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
			TenantID: other.Tenant.ID, Email: contested, Role: tenant.Member, GroupID: other.Group.ID}))(t)
		storetest.Equal(t, "factors", storetest.Need(s.Signin.Factors(background, platform, loser.ID))(t),
			signin.Factors{})
		storetest.Equal(t, "identities", len(storetest.Need(s.Signin.Identities(background, scope))(t)), 0)
		storetest.Refuses(t, storetest.ErrorOf(s.Token.KeyUser(background, platform, key)), problem.NotFound, "")
	})
}
