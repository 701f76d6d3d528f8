package token_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
)

func TestIsAccessKey_AcceptsOnlyUndamagedKeys(t *testing.T) {
	key := token.NewAccessKey(id)
	if !strings.HasPrefix(key, "tgk-") || !token.IsAccessKey(key) || token.NewAccessKey(id) == key {
		t.Errorf("NewAccessKey = %q", key)
	}
	if mask := token.Mask(key); mask != key[:10]+"…"+key[71:] {
		t.Errorf("mask = %q", mask)
	}
	for _, bad := range []string{"", "tgk-", key[:len(key)-1], key + "0", strings.Replace(key, key[20:21], "-", 1),
		token.New(id), "x" + key} {
		if token.IsAccessKey(bad) {
			t.Errorf("%q is an access key", bad)
		}
	}
}

func TestAccessKeyCheck_NamesTheFieldAtFault(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	last := now.Add(400 * 24 * time.Hour)
	reads, bills := []token.AccessScope{token.ReadUsage}, []token.AccessScope{token.WriteBilling}
	for _, row := range []struct {
		name  string
		key   token.AccessKey
		param string // "" if the key is valid
	}{
		{"for 400 days", token.AccessKey{Name: "ci", Scopes: reads, ExpiresAt: last}, ""},
		{"for a moment", token.AccessKey{Name: "ci", Scopes: token.AccessScopes(), GrantLimit: 1,
			ExpiresAt: now.Add(1)}, ""},
		{"without an expiry", token.AccessKey{Name: "ci", Scopes: reads}, "expires_at"},
		{"past", token.AccessKey{Name: "ci", Scopes: reads, ExpiresAt: now}, "expires_at"},
		{"too long", token.AccessKey{Name: "ci", Scopes: reads, ExpiresAt: last.Add(1)}, "expires_at"},
		{"without scopes", token.AccessKey{Name: "ci", ExpiresAt: last}, "scopes"},
		{"with an unknown scope", token.AccessKey{Name: "ci", Scopes: []token.AccessScope{"members:write"},
			ExpiresAt: last}, "scopes"},
		{"with a scope twice", token.AccessKey{Name: "ci", Scopes: slices.Concat(reads, reads), ExpiresAt: last},
			"scopes"},
		{"bills without a limit", token.AccessKey{Name: "ci", Scopes: bills, ExpiresAt: last}, "grant_limit"},
		{"bills with a negative limit", token.AccessKey{Name: "ci", Scopes: bills, GrantLimit: -1, ExpiresAt: last},
			"grant_limit"},
		{"a limit without billing", token.AccessKey{Name: "ci", Scopes: reads, GrantLimit: 1, ExpiresAt: last},
			"grant_limit"},
		{"with 100 addresses", token.AccessKey{Name: "ci", Scopes: reads, Addresses: make([]netip.Prefix, 100),
			ExpiresAt: last}, ""},
		{"with 101 addresses", token.AccessKey{Name: "ci", Scopes: reads, Addresses: make([]netip.Prefix, 101),
			ExpiresAt: last}, "addresses"},
		{"without a name", token.AccessKey{Scopes: reads, ExpiresAt: last}, "name"},
	} {
		err := row.key.Check(now)
		if row.param == "" && err != nil || row.param != "" &&
			(!problem.Is(err, problem.InvalidType) || problem.From(err).Param != row.param) {
			t.Errorf("%s: %v, want a fault at %q", row.name, err, row.param)
		}
	}
}

func FuzzIsAccessKey(f *testing.F) {
	key := token.NewAccessKey(id)
	for _, seed := range []string{"", token.AccessPrefix, key, key[:len(key)-1], token.New(id), "tgk-\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if token.IsAccessKey(value) && !strings.HasPrefix(value, token.AccessPrefix) {
			t.Fatalf("%q is an access key", value)
		}
	})
}
