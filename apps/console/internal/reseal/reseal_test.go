package reseal_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/reseal"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var (
	platform = tenant.SystemScope("test")
	old      = seal.New([32]byte{1})                      // has the old key only
	both     = seal.NewRotating([32]byte{2}, [32]byte{1}) // encrypts with the new key, decrypts with both
	next     = seal.New([32]byte{2})                      // has the new key only
)

// need returns a function that returns the value, or fails the test if err is not nil.
func need[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// seedWithOldKey stores one value of each kind that is encrypted or hashed with the old key.
func seedWithOldKey(t *testing.T, s *store.Store) (channel catalog.Channel, operator tenant.User, jobID uuid.UUID) {
	t.Helper()
	ctx := t.Context()
	operator = need(s.Identity.CreateUser(ctx, storetest.Confirmed(platform),
		identity.NewUser{Email: "op@example.com", Role: tenant.Operator}))(t)
	need(s.Catalog.CreateModel(ctx, platform,
		catalog.Model{ID: "m", OwnedBy: "acme", Free: true, Status: tenant.Enabled}, pricing.Rates{}))(t)
	channel = need(s.Catalog.CreateChannel(ctx, platform, catalog.Channel{
		Name: "main", Type: "openai", BaseURL: "https://api.example", Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"m": "m"},
		Weight: 1, Status: tenant.Enabled,
		Credentials: []catalog.SealedSecret{need(old.SealCredential("sk-first-0123456789"))(t),
			need(old.SealCredential("sk-second-0123456789"))(t)},
		Settings: catalog.Settings{Proxy: need(old.SealProxy("http://u:p@proxy.example"))(t)},
	}))(t)
	need(s.Catalog.DisableCredential(ctx, platform, catalogdb.Credential{ChannelID: channel.ID,
		Fingerprint: old.Fingerprint("sk-second-0123456789")}, catalog.ReasonDenied))(t)
	if err := s.Signin.BeginTOTP(ctx, storetest.Confirmed(tenant.ScopeOf(operator)),
		need(old.Seal("totp", session.TOTPPurpose(operator.ID)))(t)); err != nil {
		t.Fatal(err)
	}
	setIssuer(t, s)
	jobID = uuid.Must(uuid.NewV7())
	need(s.Job.CreateJob(ctx, tenant.ScopeOf(operator), jobdb.NewJob{
		ID: jobID, Kind: job.ManifestImport, Parameters: job.ImportParameters{},
		Input: need(old.Seal("input", job.InputPurpose(jobID)))(t),
	}))(t)
	keyID := uuid.Must(uuid.NewV7())
	pepper := old.Peppers().Current
	need(s.Token.CreateAccessKey(ctx, storetest.Confirmed(tenant.ScopeOf(operator)), tokendb.NewAccessKey{
		AccessKey: token.AccessKey{ID: keyID, Name: "ci", Scopes: []token.AccessScope{token.ReadUsage},
			ExpiresAt: time.Now().Add(time.Hour)},
		Hash: token.HashOf(pepper.Key, "tgk-value"), PepperID: pepper.ID,
	}))(t)
	return channel, operator, jobID
}

// setIssuer sets the issuer of a new tenant acme, whose client secret is sealed with the old key.
func setIssuer(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	group := need(s.Catalog.CreateGroup(ctx, platform, "default", []string{"*"}))(t)
	acme := need(s.Identity.CreateTenant(ctx, platform, identity.NewTenant{Slug: "acme", Name: "Acme"}))(t)
	owner := need(s.Identity.CreateUser(ctx, storetest.Confirmed(platform),
		identity.NewUser{TenantID: acme.ID, Email: "owner@acme.example", Role: tenant.Owner, GroupID: group.ID}))(t)
	need(s.Identity.SetIssuer(ctx, storetest.Confirmed(tenant.ScopeOf(owner)), identity.IssuerSettings{
		URL: "https://issuer.example", ClientID: "c",
		SealedSecret: need(old.Seal("client secret", tenant.IssuerPurpose(acme.ID)))(t),
		Domains:      []string{"acme.example"}, DefaultRole: tenant.Member,
	}))(t)
}

func TestAll_ReencryptsEverythingOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		channel, operator, jobID := seedWithOldKey(t, s)
		want := reseal.Summary{Channels: 1, TOTPs: 1, Issuers: 1, Jobs: 1, Unhashed: tokendb.Unhashed{AccessKeys: 1}}
		if sum := need(reseal.All(ctx, s, both))(t); sum != want {
			t.Errorf("first run: got %+v, want %+v", sum, want)
		}
		resealed := need(s.Catalog.Channel(ctx, platform, channel.ID))(t)
		for i, plain := range []string{"sk-first-0123456789", "sk-second-0123456789"} {
			if opened, err := next.OpenCredential(resealed.Credentials[i]); err != nil || opened != plain ||
				resealed.Credentials[i].Mask != channel.Credentials[i].Mask {
				t.Errorf("credential %d: got %q, %v, want %q and the same mask", i, opened, err, plain)
			}
		}
		if proxy, err := next.OpenProxy(resealed.Settings.Proxy); err != nil || proxy != "http://u:p@proxy.example" {
			t.Errorf("proxy: got %q, %v", proxy, err)
		}
		if enabled := need(s.Catalog.EnableCredential(ctx, platform, catalogdb.Credential{ChannelID: channel.ID,
			Fingerprint: next.Fingerprint("sk-second-0123456789")}))(t); !enabled {
			t.Error("the disabled credential has no entry under its new fingerprint")
		}
		totp := need(s.Signin.TryTOTP(ctx, platform, operator.ID))(t)
		if plain, err := next.Open(totp.Sealed, session.TOTPPurpose(operator.ID)); err != nil || plain != "totp" {
			t.Errorf("second factor: got %q, %v, want \"totp\"", plain, err)
		}
		acme, found, err := s.Identity.IssuerBySlug(ctx, platform, "acme")
		if plain, opened := next.Open(found.SealedSecret, tenant.IssuerPurpose(acme.ID)); err != nil || opened != nil ||
			plain != "client secret" {
			t.Errorf("client secret: got %q, %v, %v", plain, err, opened)
		}
		task := need(s.Job.ClaimJob(ctx, platform, []job.Kind{job.ManifestImport}, time.Minute))(t)
		if plain, err := next.Open(task.Input, job.InputPurpose(jobID)); err != nil || plain != "input" {
			t.Errorf("input of the job: got %q, %v, want \"input\"", plain, err)
		}
		want = reseal.Summary{Unhashed: want.Unhashed}
		if sum := need(reseal.All(ctx, s, both))(t); sum != want {
			t.Errorf("second run: got %+v, want %+v", sum, want)
		}
	})
}

func TestAll_FailsOnAValueThatNeitherKeyDecrypts(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	seedWithOldKey(t, s)
	if _, err := reseal.All(t.Context(), s, seal.NewRotating([32]byte{3}, [32]byte{4})); !errors.Is(err,
		seal.ErrBroken) {
		t.Errorf("got error %v, want ErrBroken", err)
	}
}
