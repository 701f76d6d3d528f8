package consoletest

import (
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// Company is a tenant with a user of each role. The other resources belong to the member.
type Company struct {
	tenant.Tenant
	Owner, Admin, Member tenant.User
	Token                token.Token
	Passkey              signin.Passkey
	Identity             signin.Identity
	Client               usage.Client // of the token
	Log                  usage.Log
	Job                  job.Job
	Invitation           identity.Invitation
	Key                  token.AccessKey // with write access
	KeyValue             string          // of Key
}

// seed creates a group, a model with a price, a channel, an operator and two companies.
func (s *Stack) seed() {
	s.Helper()
	ctx := s.Context()
	var err error
	s.Group, err = s.Store.Catalog.CreateGroup(ctx, System, "default", []string{"*"})
	s.Must(err)
	_, err = s.Store.Catalog.CreateRule(ctx, System, pricing.Rule{GroupID: s.Group.ID, Multiplier: 850_000_000})
	s.Must(err)
	_, err = s.Store.Catalog.CreateModel(ctx, System,
		catalog.Model{ID: "gpt-4o-mini", OwnedBy: "openai", Status: tenant.Enabled},
		pricing.Rates{ClassRates: pricing.ClassRates{Input: USD("0.15"), CachedInput: USD("0.075"),
			Output: USD("0.60")}})
	s.Must(err)
	key, err := seal.New(s.Secret).SealCredential(Credential)
	s.Must(err)
	s.Channel, err = s.Store.Catalog.CreateChannel(ctx, System, catalog.Channel{
		Name: "main", Type: "openai", BaseURL: "https://upstream.example/v1", Credentials: []catalog.SealedSecret{key},
		Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"gpt-4o-mini": "upstream-mini"}, Weight: 1,
		Status: tenant.Enabled,
	})
	s.Must(err)
	_, err = s.Store.Invoice.CreateAccount(ctx, System, invoice.Account{Name: "upstream", Provider: invoice.OpenAI,
		Status: tenant.Disabled, Channels: []uuid.UUID{s.Channel.ID}}, nil)
	s.Must(err)
	s.Operator, err = s.Store.Identity.CreateUser(ctx, storetest.Confirmed(System),
		identity.NewUser{Email: "operator@example.com", PasswordHash: s.Hashed(), Role: tenant.Operator})
	s.Must(err)
	s.Acme, s.Globex = s.company("acme"), s.company("globex")
}

// company creates a tenant with its users and resources, see Company.
func (s *Stack) company(slug string) (c Company) {
	s.Helper()
	var err error
	c.Tenant, err = s.Store.Identity.CreateTenant(s.Context(), System,
		identity.NewTenant{Slug: slug, Name: strings.ToUpper(slug), Quota: 10 * money.USD})
	s.Must(err)
	c.Owner = s.User(c.ID, "owner@"+slug+".example", tenant.Owner)
	c.Admin = s.User(c.ID, "admin@"+slug+".example", tenant.Admin)
	c.Member = s.User(c.ID, "member@"+slug+".example", tenant.Member)
	id := uuid.Must(uuid.NewV7())
	value := token.New(id)
	c.Token, err = s.Store.Token.CreateToken(s.Context(), System, tokendb.NewToken{
		Token: token.Token{ID: id, TenantID: c.ID, UserID: c.Member.ID, Name: "ci of " + slug, Mask: token.Mask(value),
			Status: token.Enabled},
		Hash: token.HashOf(seal.New(s.Secret).Pepper(), value), Cap: USD("1"),
	})
	s.Must(err)
	c.Passkey, err = s.Store.Signin.CreatePasskey(s.Context(), storetest.Confirmed(tenant.ScopeOf(c.Member)),
		signin.Passkey{
			CredentialID: []byte(slug), Name: "laptop of " + slug, Credential: []byte("{}"),
		})
	s.Must(err)
	s.Must(s.Store.Signin.LinkIdentity(s.Context(), System,
		signin.Identity{UserID: c.Member.ID, Issuer: "https://old.example", Subject: slug, Email: c.Member.Email}))
	identities, err := s.Store.Signin.Identities(s.Context(), tenant.ScopeOf(c.Member))
	s.Must(err)
	c.Identity = identities[0]
	c.Log = s.Call(&c, usage.Usage{Input: 7})
	s.Must(s.Store.Client.Record(s.Context(), System, []usage.Client{{TenantID: c.ID, UserID: c.Member.ID,
		TokenID: c.Token.ID, Address: netip.MustParseAddr("192.0.2.9"), Agent: "program of " + slug, FirstAt: s.Now(),
		LastAt: s.Now(), Calls: 1}}, 24*time.Hour))
	clients, err := s.Store.Client.OfToken(s.Context(), System, c.Token.ID)
	s.Must(err)
	c.Client = clients[0]
	s.Refuse(&c, "model_not_found")
	c.Job, err = s.Store.Job.CreateJob(s.Context(), tenant.ScopeOf(c.Member), jobdb.NewJob{
		Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV, TokenID: c.Token.ID, To: time.Now()},
	})
	s.Must(err)
	c.Invitation, err = s.Store.Identity.CreateInvitation(s.Context(), storetest.Confirmed(System),
		identity.NewInvitation{
			TenantID: c.ID, Email: "guest@" + slug + ".example", Role: tenant.Member, GroupID: s.Group.ID,
			Hash: seal.NewSecret().Hash, ExpiresAt: time.Now().Add(time.Hour),
		})
	s.Must(err)
	c.Key, c.KeyValue = s.AccessKey(c.Member)
	s.alertsOf(&c)
	return c
}

// alertsOf gives the company a destination of alerts, a rule, and an alert whose delivery has failed.
func (s *Stack) alertsOf(c *Company) {
	s.Helper()
	scope := tenant.ScopeOf(c.Owner)
	hook, err := s.Store.Alert.CreateDestination(s.Context(), scope, alertdb.NewDestination{
		ID: uuid.Must(uuid.NewV7()), Channel: alert.Webhook, Name: "pager of " + c.Slug,
		Shown: "https://" + c.Slug + ".example", URL: []byte("sealed"), Secret: []byte("sealed"),
	})
	s.Must(err)
	_, err = s.Store.Alert.CreateRule(s.Context(), scope, alert.Rule{Name: "quota of " + c.Slug, Kind: alert.QuotaUsed,
		Subject: alert.OfTenant, Thresholds: []int{80}, Destinations: []uuid.UUID{hook.ID}})
	s.Must(err)
	_, err = s.Store.Alert.TestDestination(s.Context(), scope, hook.ID)
	s.Must(err)
	claim, err := s.Store.Alert.ClaimDelivery(s.Context(), System, time.Hour)
	s.Must(err)
	s.Must(s.Store.Alert.End(s.Context(), System, claim, "given up"))
}

// Hashed returns the hash of Password, which all users of the stack have.
func (s *Stack) Hashed() string {
	s.Helper()
	if s.hash == "" {
		var err error
		s.hash, err = seal.HashPassword(Password, s.Cost)
		s.Must(err)
	}
	return s.hash
}

// User creates a user of the tenant.
func (s *Stack) User(tenantID uuid.UUID, email string, role tenant.Role) tenant.User {
	s.Helper()
	u, err := s.Store.Identity.CreateUser(s.Context(), storetest.Confirmed(System), identity.NewUser{
		TenantID: tenantID, Email: email, PasswordHash: s.Hashed(), Role: role, GroupID: s.Group.ID,
	})
	s.Must(err)
	return u
}

// Call records a successful call of the company's member, charged in the same way as by a relay, with the changes.
func (s *Stack) Call(c *Company, counts usage.Usage, change ...func(*usage.Log)) usage.Log {
	s.Helper()
	snapshot, err := s.Store.Catalog.Snapshot(s.Context(), System)
	s.Must(err)
	terms, _ := snapshot.Book.Terms("gpt-4o-mini", s.Group.ID, time.Now())
	cost, err := terms.Cost(counts)
	s.Must(err)
	l := usage.Log{
		ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now(), TenantID: c.ID, UserID: c.Member.ID, TokenID: c.Token.ID,
		GroupID: s.Group.ID, ChannelID: s.Channel.ID, RelayID: uuid.Must(uuid.NewV7()),
		Model: "gpt-4o-mini", UpstreamModel: "upstream-mini", Dialect: "chat", Outcome: usage.Success, Status: 200,
		Usage: counts, PriceID: terms.Price.ID, RuleID: terms.Rule.ID, Cost: cost, Quota: cost,
		Attempts: []usage.Attempt{{ChannelID: s.Channel.ID, Status: 503, Error: "upstream_error",
			Elapsed: time.Millisecond}, {ChannelID: s.Channel.ID, Status: 200}},
		Latency: 250 * time.Millisecond, FirstByte: 40 * time.Millisecond,
	}
	for _, c := range change {
		c(&l)
	}
	n, err := s.Store.Metering.RecordEvents(s.Context(), System, l.RelayID, []usage.Event{{Log: l}})
	s.Must(err)
	if n != 1 {
		s.Fatalf("recorded %d events, want 1", n)
	}
	return l
}

// Refuse records a call of the company's member that was refused for a reason, and returns it.
func (s *Stack) Refuse(c *Company, code string) usage.Refusal {
	s.Helper()
	call := usage.Refusal{ID: storetest.NewID(), TenantID: c.ID, UserID: c.Member.ID, TokenID: c.Token.ID,
		CreatedAt: s.Now(), Dialect: "chat", Model: "gpt-99", Status: 404, Code: code, Param: "model",
		Message: "The model does not exist.", Address: netip.MustParseAddr("192.0.2.44"), Agent: "curl/8.5.0"}
	s.Must(s.Store.Refusal.Record(s.Context(), System, []usage.Refusal{call}, []usage.RefusalCount{
		{TenantID: c.ID, UserID: c.Member.ID, Hour: call.CreatedAt.UTC().Truncate(time.Hour), Code: code, Calls: 1}}))
	return call
}

// AccessKey creates an access key of the user that may write, with all scopes that the user's role permits, and returns
// it with its value.
func (s *Stack) AccessKey(u tenant.User) (token.AccessKey, string) {
	s.Helper()
	return s.ScopedKey(u, token.AccessKey{Scopes: permission.AccessScopes(tenant.ScopeOf(u), token.WriteAccess)})
}

// ScopedKey creates an access key of the user, which is like k, and returns it with its value.
func (s *Stack) ScopedKey(u tenant.User, k token.AccessKey) (token.AccessKey, string) {
	s.Helper()
	id := uuid.Must(uuid.NewV7())
	value := token.NewAccessKey(id)
	k.ID, k.Name, k.Mask, k.ExpiresAt = id, "ci", token.Mask(value), time.Now().Add(time.Hour)
	key, err := s.Store.Token.CreateAccessKey(s.Context(), storetest.Confirmed(tenant.ScopeOf(u)), tokendb.NewAccessKey{
		AccessKey: k, Hash: token.HashOf(seal.New(s.Secret).Pepper(), value),
	})
	s.Must(err)
	return key, value
}

// USD returns an amount of US dollars, such as "0.15".
func USD(s string) *money.Amount {
	a, err := money.Parse(s)
	if err != nil {
		panic(err)
	}
	return &a
}
