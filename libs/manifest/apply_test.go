package manifest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	storeaudit "github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

const acme = `
groups:
  - {name: default, multiplier: "1.0", models: ["*"]}
  - {name: partners, multiplier: "0.85", models: [gpt-4o*], limits: {requests_per_minute: 600}}
models:
  - {id: gpt-4o-mini, owned_by: openai, price: {input: "0.15", output: "0.60"}}
  - {id: practice, owned_by: acme, free: true, limits: {concurrency: 9}}
channels:
  - name: main
    type: openai
    base_url: https://api.openai.com/v1
    api_keys: ["${KEY}"]
    endpoints: [chat, responses]
    models: {gpt-4o-mini: gpt-4o-mini, practice: gpt-4o-mini}
tenants:
  - slug: acme
    name: Acme
    quota: "10.00"
    caps: {month: "8.00"}
    users:
      - email: Owner@acme.example
        password: "${PASSWORD}"
        role: owner
        group: partners
        caps: {week: "5.00"}
        tokens:
          - {name: ci, value: "${TOKEN}", models: [gpt-4o-mini], quota: "1.00", caps: {day: "0.50"}, limits: {requests_per_minute: 60, tokens_per_minute: 1000}}
          - {name: laptop}
operators:
  - {email: operator@example.com, password: "${PASSWORD}"}
`

var system = tenant.SystemScope("test")

func testSealer() *seal.Sealer { return seal.New([32]byte{1}) }

func target(s *store.Store) Target {
	return Target{Store: s, Sealer: testSealer(), Lookup: environment}
}

// applyTo applies the text after replacements, which are pairs of old and new texts.
func applyTo(t *testing.T, s *store.Store, text string, replaced ...string) Applied {
	t.Helper()
	applied, err := tryApply(t, s, text, replaced...)
	if err != nil {
		t.Fatal(err)
	}
	return applied
}

func tryApply(t *testing.T, s *store.Store, text string, replaced ...string) (Applied, error) {
	t.Helper()
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(text, replaced[i]) {
			t.Fatalf("the manifest has no %q", replaced[i])
		}
	}
	text = strings.NewReplacer(replaced...).Replace(text)
	return ApplyText(t.Context(), "manifest.yaml", []byte(text), target(s))
}

// counts holds the numbers of rows that changes leave behind.
type counts struct{ Audit, Prices, Rules, Changes, Ledger int }

func countRows(t *testing.T, s *store.Store) (n counts) {
	t.Helper()
	ctx := t.Context()
	count := func(n int, err error) int {
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	audit, err := page.All(func(p page.Page) (page.List[storeaudit.Entry], error) {
		return s.Audit.List(ctx, system, storeaudit.Query{Page: p})
	})
	n.Audit = count(len(audit), err)
	prices, err := s.Catalog.Prices(ctx, system, "", page.Page{Limit: 200})
	n.Prices = count(len(prices.Items), err)
	rules, err := s.Catalog.Rules(ctx, system, catalogdb.RuleQuery{}, page.Page{Limit: 200})
	n.Rules = count(len(rules.Items), err)
	changes, _, _, err := s.Changes(ctx, system, db.Change{}, 10_000)
	n.Changes = count(len(changes), err)
	ledger, err := s.Quota.Ledger(ctx, system, [16]byte{}, page.Page{Limit: 200})
	n.Ledger = count(len(ledger.Items), err)
	return n
}

func TestApply_CreatesEverythingDeclared(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		applied := applyTo(t, s, acme)
		if len(applied.Tokens) != 1 || applied.Tokens[0].Name != "laptop" ||
			token.Check(applied.Tokens[0].Value) != nil {
			t.Fatalf("created tokens: %+v", applied.Tokens)
		}
		caller, err := s.Token.Caller(ctx, system, token.HashOf(testSealer().Pepper(), "imported-hunter2-0123456789"))
		if err != nil {
			t.Fatal(err)
		}
		if caller.User.Email != "owner@acme.example" || caller.Tenant.Slug != "acme" || len(caller.Limits) != 5 ||
			caller.Limits[4] != (quota.Limit{Owner: caller.Token.ID, Kind: quota.TokenCap, Period: quota.Day}) ||
			!slices.Equal(caller.Token.Models, []string{"gpt-4o-mini"}) {
			t.Errorf("caller %+v", caller)
		}
		if caller.Token.Limits != (limit.Limits{RequestsPerMinute: 60, TokensPerMinute: 1000}) {
			t.Errorf("the token's limits: %+v", caller.Token.Limits)
		}
		if generated, err := s.Token.Caller(ctx, system, token.HashOf(testSealer().Pepper(),
			applied.Tokens[0].Value)); err != nil || generated.Token.Name != "laptop" {
			t.Errorf("the generated token: %+v, %v", generated, err)
		}
		snapshot, err := s.Catalog.Snapshot(ctx, system)
		if err != nil {
			t.Fatal(err)
		}
		terms, priced := snapshot.Book.Terms("gpt-4o-mini", caller.User.GroupID, time.Now())
		if !priced || *terms.Price.Rates.Input != 150_000_000 || terms.Rule.Multiplier != 850_000_000 {
			t.Errorf("terms %+v", terms)
		}
		if group, model := snapshot.Group(caller.User.GroupID),
			snapshot.Model("practice"); group.Limits.RequestsPerMinute != 600 || model.Limits.Concurrency != 9 {
			t.Errorf("limits of the group %+v, of the model %+v", group.Limits, model.Limits)
		}
		channel := snapshot.Serving("gpt-4o-mini")[0]
		if key, err := testSealer().OpenCredential(channel.Credentials[0]); err != nil || key != "sk-upstream-hunter2" {
			t.Errorf("the channel's key: %q, %v", key, err)
		}
		if account, err := s.Quota.Account(ctx, system, caller.Tenant.ID); err != nil ||
			*account.Granted != 10*money.USD {
			t.Errorf("the wallet: %+v, %v", account, err)
		}
		_, hash, err := s.Identity.UserWithPassword(ctx, system, "operator@example.com")
		if err != nil || !seal.CheckPassword("hunter2-hunter2", hash) {
			t.Errorf("the operator cannot sign in: %v", err)
		}
	})
}

func TestApply_IsIdempotent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, text := range []string{acme, exampleManifest(t)} {
			applyTo(t, s, text)
			before := countRows(t, s)
			again := applyTo(t, s, text)
			if len(again.Changes) != 0 || len(again.Tokens) != 0 {
				t.Errorf("the second Apply: %+v, want no changes", again)
			}
			if diff := cmp.Diff(before, countRows(t, s)); diff != "" {
				t.Errorf("the second Apply added rows:\n%s", diff)
			}
		}
	})
}

func exampleManifest(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/manifest.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// The example gets other names, so that both manifests fit into one database.
	return strings.NewReplacer("owner@acme", "boss@acme", "slug: acme", "slug: acme-example", "${ACME_TOKEN}",
		"another-token-0123456789").Replace(string(text))
}

// Each row changes the manifest in one place. The numbers are the expected changes, and the new versions of prices and
// rules.
func TestApply_ChangesOnlyDifferences(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		replace []string
		changes int
		prices  int
		rules   int
	}{
		{"a price", []string{`input: "0.15"`, `input: "0.16"`}, 1, 1, 0},
		{"the same price in another notation", []string{`input: "0.15"`, `input: "0.150"`}, 0, 0, 0},
		{"a multiplier", []string{`"0.85"`, `"0.80"`}, 1, 0, 1},
		{"an omitted multiplier", []string{`multiplier: "0.85", `, ``}, 0, 0, 0},
		{"a group's models", []string{`[gpt-4o*]`, `["*"]`}, 1, 0, 0},
		{"a model's owner", []string{`owned_by: acme`, `owned_by: us`}, 1, 0, 0},
		{"a free model gets a price", []string{`free: true`, `price: {request: "0.01"}`}, 2, 1, 0},
		{"a priced model becomes free", []string{`price: {input: "0.15", output: "0.60"}`, `free: true`}, 2, 1, 0},
		{"a channel's key", []string{`${KEY}`, `sk-another`}, 1, 0, 0},
		{"a channel is disabled", []string{`type: openai`, "type: openai\n    status: disabled"}, 1, 0, 0},
		{"a channel's omitted keys", []string{`    api_keys: ["${KEY}"]`, ``}, 0, 0, 0},
		{"a channel's models", []string{`practice: gpt-4o-mini`, `practice: gpt-4o`}, 1, 0, 0},
		{"a channel's disconnect policy", []string{`type: openai`, "type: openai\n    on_disconnect: drain"}, 1, 0, 0},
		{"a channel allows calls without a price", []string{`type: openai`, "type: openai\n    unpriced: allow"}, 1, 0,
			0},
		{"a channel's present policy", []string{`type: openai`, "type: openai\n    unpriced: refuse"}, 0, 0, 0},
		{"a channel's tags", []string{`type: openai`, "type: openai\n    tags: [eu west, paid]"}, 1, 0, 0},
		{"a channel's present tags", []string{`type: openai`, "type: openai\n    tags: []"}, 0, 0, 0},
		{"a tenant's quota mode", []string{`name: Acme`, "name: Acme\n    quota_mode: soft"}, 1, 0, 0},
		{"a tenant's output cap", []string{`name: Acme`, "name: Acme\n    output_cap: \"off\""}, 1, 0, 0},
		{"a tenant refuses ignored fields", []string{`name: Acme`, "name: Acme\n    ignored_fields: refuse"}, 1, 0, 0},
		{"a tenant's answers show the quota", []string{`name: Acme`, "name: Acme\n    include_quota: true"}, 1, 0, 0},
		{"a tenant's tags from metadata", []string{`name: Acme`, "name: Acme\n    metadata_tags: [team, feature]"}, 1,
			0, 0},
		{"a tenant's present tags from metadata", []string{`name: Acme`, "name: Acme\n    metadata_tags: []"}, 0, 0, 0},
		{"a tenant's present quota mode", []string{`name: Acme`, "name: Acme\n    quota_mode: hard"}, 0, 0, 0},
		{"a tenant's name", []string{`name: Acme`, `name: ACME`}, 1, 0, 0},
		{"a tenant's quota, which is granted only at creation", []string{`"10.00"`, `"20.00"`}, 0, 0, 0},
		{"a password, which is set only at creation", []string{`"${PASSWORD}"`, `another-password`}, 0, 0, 0},
		{"a user's group", []string{`group: partners`, `group: default`}, 1, 0, 0},
		{"a token's models and quota",
			[]string{`models: [gpt-4o-mini], quota: "1.00"`, `models: [practice], quota: "2.00"`}, 1, 0, 0},
		{"a token's omitted models and quota", []string{`, models: [gpt-4o-mini], quota: "1.00"`, ``}, 0, 0, 0},
		{"a token's cap", []string{`day: "0.50"`, `day: "0.60"`}, 1, 0, 0},
		{"a further cap of a token", []string{`day: "0.50"`, `day: "0.50", month: "1"`}, 1, 0, 0},
		{"the same cap in another notation", []string{`day: "0.50"`, `day: 0.5`}, 0, 0, 0},
		{"a token's omitted caps", []string{`, caps: {day: "0.50"}`, ``}, 0, 0, 0},
		{"a user's cap", []string{`week: "5.00"`, `week: "6.00"`}, 1, 0, 0},
		{"a token's rate limits", []string{`tokens_per_minute: 1000`, `tokens_per_minute: 2000, concurrency: 5`}, 1, 0,
			0},
		{"a token's limit of 0", []string{`tokens_per_minute: 1000`, `tokens_per_minute: 0`}, 1, 0, 0},
		{"a token's omitted rate limits", []string{`, limits: {requests_per_minute: 60, tokens_per_minute: 1000}`, ``},
			0, 0, 0},
		{"a user's limits",
			[]string{`caps: {week: "5.00"}`, "caps: {week: \"5.00\"}\n        limits: {concurrency: 2}"}, 1, 0, 0},
		{"a group's limits", []string{`requests_per_minute: 600`, `requests_per_minute: 700`}, 1, 0, 0},
		{"a model's limits", []string{`concurrency: 9`, `concurrency: 8`}, 1, 0, 0},
		{"a tenant's cap and name", []string{`month: "8.00"`, `day: "8.00"`, `name: Acme`, `name: ACME`}, 1, 0, 0},
		{"a new token", []string{`- {name: laptop}`, "- {name: laptop}\n          - {name: phone}"}, 1, 0, 0},
		{"an omitted tenant", []string{acme[strings.Index(acme, "tenants:"):strings.Index(acme, "operators:")], ``}, 0,
			0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
			applyTo(t, s, acme)
			before := countRows(t, s)
			applied := applyTo(t, s, acme, row.replace...)
			after := countRows(t, s)
			if len(applied.Changes) != row.changes || after.Prices-before.Prices != row.prices ||
				after.Rules-before.Rules != row.rules || after.Ledger != before.Ledger {
				t.Errorf("%d changes, rows %+v -> %+v; want %+v", len(applied.Changes), before, after, row)
			}
			if again := applyTo(t, s, acme, row.replace...); len(again.Changes) != 0 {
				t.Errorf("applied again: %d changes, want 0", len(again.Changes))
			}
		})
	}
}

func TestApply_RefusesConflictsAsAWhole(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		replace []string
		want    string
	}{
		{"a user moves to another tenant", []string{`slug: acme`, `slug: other`}, "line 21: tenants[0].users[0]"},
		{"a channel changes its type", []string{"type: openai\n    base_url: https://api.openai.com/v1\n",
			"type: echo\n", `[chat, responses]`, `[chat]`}, "line 9: channels[0]"},
		{"a user becomes an operator", []string{acme[strings.Index(acme, "tenants:"):strings.Index(acme, "operators:")],
			``, `operator@example.com`, `owner@acme.example`}, "operators[0]"},
		{"the last owner becomes an admin", []string{`role: owner`, `role: admin`}, "users[0]"},
		{"two tokens share a value", []string{`{name: ci, `, `{name: second, `}, "users[0]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
			applyTo(t, s, acme)
			before := countRows(t, s)
			_, err := tryApply(t, s, acme, row.replace...)
			if !problem.Is(err, problem.Conflict) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("err = %v, want a conflict at %s", err, row.want)
			}
			if diff := cmp.Diff(before, countRows(t, s)); diff != "" {
				t.Errorf("a part was applied:\n%s", diff)
			}
		})
	}
}

func TestApply_KeepsARevokedTokenRevoked(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	applyTo(t, s, acme)
	hash := token.HashOf(testSealer().Pepper(), "imported-hunter2-0123456789")
	caller, err := s.Token.Caller(t.Context(), system, hash)
	if err != nil {
		t.Fatal(err)
	}
	revoked := token.Revoked
	if _, err := s.Token.UpdateToken(t.Context(), system, caller.Token.ID, tokendb.Patch{Status: &revoked}); err !=
		nil {
		t.Fatal(err)
	}
	if again := applyTo(t, s, acme); len(again.Changes) != 0 || len(again.Warnings) != 1 {
		t.Errorf("%+v", again)
	}
	if caller, err := s.Token.Caller(t.Context(), system, hash); err == nil && caller.Usable(time.Now()) == nil {
		t.Error("the token is usable again")
	}
}

// Names of tokens are not unique.
func TestApply_ChangesTheTokenThatIsNotRevoked(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	applyTo(t, s, acme)
	declared := token.HashOf(testSealer().Pepper(), "imported-hunter2-0123456789")
	caller, err := s.Token.Caller(t.Context(), system, declared)
	if err != nil {
		t.Fatal(err)
	}
	twin := storetest.CreateToken(t, s, caller.User)
	revoked := token.Revoked
	if _, err := s.Token.UpdateToken(t.Context(), system, twin.ID,
		tokendb.Patch{Name: &caller.Token.Name, Status: &revoked}); err != nil {
		t.Fatal(err)
	}
	if done := applyTo(t, s, acme, "{name: ci,", "{name: ci, status: disabled,"); len(done.Warnings) != 0 {
		t.Errorf("got warnings %v", done.Warnings)
	}
	caller, err = s.Token.Caller(t.Context(), system, declared)
	if err != nil || caller.Token.Status != token.Disabled {
		t.Errorf("got status %s, error %v, want the token disabled", caller.Token.Status, err)
	}
}

func TestApply_SetsTheStatusOfTenantsAndTokens(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	disabled := []string{"name: Acme", "name: Acme\n    status: disabled", "{name: ci,", "{name: ci, status: disabled,"}
	applyTo(t, s, acme, disabled...)
	caller := func() *token.Caller {
		t.Helper()
		found, err := s.Token.Caller(t.Context(), system,
			token.HashOf(testSealer().Pepper(), "imported-hunter2-0123456789"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if current := caller(); current.Tenant.Status != tenant.Disabled || current.Token.Status != token.Disabled {
		t.Errorf("tenant %s, token %s", current.Tenant.Status, current.Token.Status)
	}
	if again := applyTo(t, s, acme, disabled...); len(again.Changes) != 0 {
		t.Errorf("applied again: %+v, want no changes", again)
	}
	if left := applyTo(t, s, acme); len(left.Changes) != 0 {
		t.Errorf("without a status: %+v, want no changes", left)
	}
	applyTo(t, s, acme, "name: Acme", "name: Acme\n    status: enabled", "{name: ci,", "{name: ci, status: enabled,")
	if current := caller(); current.Usable(time.Now()) != nil {
		t.Errorf("not usable after it was enabled again: %+v", current)
	}
}

func TestApply_CreatesAUserWithoutAPassword(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	applyTo(t, s, acme, "        password: \"${PASSWORD}\"\n        role: owner", "        role: owner")
	_, hash, err := s.Identity.UserWithPassword(t.Context(), system, "owner@acme.example")
	if err != nil || hash != "" || seal.CheckPassword("", hash) {
		t.Errorf("a hash %q, %v; an empty password matches: %v", hash, err, seal.CheckPassword("", hash))
	}
}

func TestApply_KeepsTheValueOfAToken(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	applyTo(t, s, acme)
	again := applyTo(t, s, acme, `"${TOKEN}"`, `another-token-0123456789`)
	if len(again.Changes) != 0 || len(again.Warnings) != 1 || strings.Contains(again.Warnings[0], "another-token") {
		t.Errorf("%+v", again)
	}
}

func TestDemoFiles_AreValid(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"../../apps/standalone/demo.yaml", "../../apps/standalone/openai.yaml"} {
		lookup := func(string) (string, bool) { return "https://example.com/0123456789", true }
		if _, err := Read(file, Source{Lookup: lookup, CheckChannel: registry.Check}); err != nil {
			t.Error(err)
		}
	}
}

func TestApply_RefusesAnAccountOfAnUnknownTenant(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	account := func(slug string) []string {
		return []string{"endpoints: [chat, responses]\n", "endpoints: [chat, responses]\n    settings: {account_of: " +
			slug + "}\n"}
	}
	applyTo(t, s, acme, account("acme")...) // declared by the same manifest, and not created yet
	if _, err := s.Identity.CreateTenant(t.Context(), system, identity.NewTenant{Slug: "other", Name: "Other"}); err !=
		nil {
		t.Fatal(err)
	}
	applyTo(t, s, acme, account("other")...)
	before := countRows(t, s)
	for _, manifest := range []string{acme, strings.Replace(acme, "name: main", "name: second", 1)} {
		_, err := tryApply(t, s, manifest, account("nobody")...)
		if !problem.Is(err, problem.InvalidType) || !strings.Contains(err.Error(),
			`line 14: channels[0].settings.account_of: `) || !strings.Contains(err.Error(), `"nobody"`) {
			t.Errorf("err = %v, want one that names the line, the field and the slug", err)
		}
	}
	if diff := cmp.Diff(before, countRows(t, s)); diff != "" {
		t.Errorf("a part was applied:\n%s", diff)
	}
}

// An invited user only claims the address until the person accepts, also if the address belongs to another account.
func TestApply_ChangesAUserWhoOnlyClaimsTheAddress(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		owned bool // a user of another tenant owns the address
	}{{"nobody owns the address", false}, {"another tenant owns the address", true}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, ctx := storetest.Open(t, db.Options{URL: storetest.SQLite(t)}), t.Context()
			applyTo(t, s, acme)
			owner := storetest.Need(s.Identity.UserByEmail(ctx, system, "owner@acme.example"))(t)
			create := func(tenantID uuid.UUID, claim bool) tenant.User {
				return storetest.Need(s.Identity.CreateUser(ctx, permission.ByProgram(system, system), identity.NewUser{
					TenantID: tenantID, Email: "alice@acme.example", Role: tenant.Member, GroupID: owner.GroupID,
					Claim: claim,
				}))(t)
			}
			if row.owned {
				create(storetest.Need(s.Identity.CreateTenant(ctx, system,
					identity.NewTenant{Slug: "other", Name: "Other"}))(t).ID, false)
			}
			alice := create(owner.TenantID, true)
			applyTo(t, s, acme, "operators:",
				"      - {email: Alice@acme.example, role: member, group: partners, quota: \"2.00\"}\noperators:")
			account := storetest.Need(s.Quota.Account(ctx, system, alice.ID))(t)
			if account.Granted == nil || *account.Granted != 2*money.USD {
				t.Errorf("got quota %v, want 2", account.Granted)
			}
			if again := storetest.Need(s.Identity.User(ctx, system, alice.ID))(t); again.Proof != tenant.Unproven {
				t.Errorf("got proof %q, want none", again.Proof)
			}
		})
	}
}

// An admin makes an account for the address of the next owner, with a password that the admin knows.
func TestApply_PromotesNoUserAsWhomAnAdminCanSignIn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		proof tenant.Proof // of a link that the admin opens; "": none
		entry string       // role and group in the manifest
		keeps bool         // the user keeps role and group
	}{
		{"another role", tenant.Unproven, "role: owner, group: partners", true},
		{"another group", tenant.Unproven, "role: member, group: others", true},
		{"another role of a user with a link that was handed over", tenant.HandedOver, "role: owner, group: partners",
			true},
		{"another role of a user with a mailed link", tenant.Mailed, "role: owner, group: partners", false},
		{"the same role and group", tenant.Unproven, "role: member, group: partners", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, ctx := storetest.Open(t, db.Options{URL: storetest.SQLite(t)}), t.Context()
			applyTo(t, s, acme)
			owner := storetest.Need(s.Identity.UserByEmail(ctx, system, "owner@acme.example"))(t)
			alice := storetest.Need(s.Identity.CreateUser(ctx, storetest.Confirmed(tenant.ScopeOf(owner)),
				identity.NewUser{TenantID: owner.TenantID, Email: "alice@acme.example", Role: tenant.Member,
					PasswordHash: "known to the admin"}))(t)
			prove := func(proof tenant.Proof) {
				secret := storetest.Hash(storetest.NewID())
				storetest.Need(s.Identity.CreatePasswordReset(ctx, storetest.Confirmed(system), identity.NewReset{
					UserID: alice.ID, Hash: secret, Proof: proof, ExpiresAt: time.Now().Add(time.Hour)}))(t)
				storetest.Need(s.Identity.ResetPassword(ctx, system, secret, "another"))(t)
			}
			prove(row.proof)
			apply := func() Applied {
				return storetest.Need(tryApply(t, s, acme, "groups:", "groups:\n  - {name: others, models: []}",
					"operators:", "      - {email: Alice@acme.example, "+row.entry+", quota: \"2.00\"}\noperators:"))(t)
			}
			warnings := strings.Join(apply().Warnings, "\n")
			if strings.Contains(warnings, alice.Email) != row.keeps {
				t.Errorf("got the warnings %q", warnings)
			}
			if row.keeps {
				same := storetest.Need(s.Identity.User(ctx, system, alice.ID))(t)
				if same.Role != alice.Role || same.GroupID != alice.GroupID {
					t.Errorf("got the role %s and the group %s, want those of before", same.Role, same.GroupID)
				}
				prove(tenant.Vouched) // by a link of an operator
				apply()
			}
			after := storetest.Need(s.Identity.User(ctx, system, alice.ID))(t)
			if role, _, _ := strings.Cut(strings.TrimPrefix(row.entry, "role: "), ","); string(after.Role) != role {
				t.Errorf("got role %s, want %s", after.Role, role)
			}
		})
	}
}

// An admin has an access key of the next owner's account, which then loses its address and becomes an owner.
func TestApply_PromotesAUserWithoutTheAccessOfThoseWhoHadTheAddress(t *testing.T) {
	t.Parallel()
	s, ctx := storetest.Open(t, db.Options{URL: storetest.SQLite(t)}), t.Context()
	applyTo(t, s, acme)
	owner := storetest.Need(s.Identity.UserByEmail(ctx, system, "owner@acme.example"))(t)
	alice := storetest.Need(s.Identity.CreateUser(ctx, storetest.Confirmed(tenant.ScopeOf(owner)), identity.NewUser{
		TenantID: owner.TenantID, Email: "alice@acme.example", Role: tenant.Member, PasswordHash: "known"}))(t)
	key := storetest.Hash(storetest.MakeKey(t, s, tenant.ScopeOf(alice)).ID)
	storetest.Need(s.Identity.CreateUser(ctx, permission.ByProgram(system, system), identity.NewUser{
		TenantID: storetest.Need(s.Identity.CreateTenant(ctx, system, identity.NewTenant{Slug: "other",
			Name: "Other"}))(t).ID, Email: alice.Email, Role: tenant.Member, GroupID: owner.GroupID}))(t)

	applyTo(t, s, acme, "operators:",
		"      - {email: Alice@acme.example, role: owner, group: partners}\noperators:")
	after := storetest.Need(s.Identity.User(ctx, system, alice.ID))(t)
	if after.Role != tenant.Owner {
		t.Errorf("got role %s, want owner", after.Role)
	}
	storetest.Refuses(t, storetest.ErrorOf(s.Token.KeyUser(ctx, system, key)), problem.NotFound, "")
}

// Two imports of a manifest with a new token of an existing user run at the same time.
func TestApply_CreatesATokenOnceInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		applyTo(t, s, acme)
		failures := make(chan error)
		for range 8 {
			go func() {
				_, err := tryApply(t, s, acme, "{name: laptop}", "{name: phone}")
				failures <- err
			}()
		}
		for range 8 {
			if err := <-failures; err != nil {
				t.Error(err)
			}
		}
		tokens, err := s.Token.Tokens(t.Context(), system, tokendb.Query{Page: page.Page{Limit: 100}})
		if err != nil || len(tokens.Items) != 3 {
			t.Errorf("got %d tokens and error %v, want 3: ci, laptop and phone", len(tokens.Items), err)
		}
	})
}
