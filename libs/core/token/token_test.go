package token_test

import (
	"encoding/hex"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

var id = uuid.MustParse("01900000-0000-7000-8000-000000000001")

func TestNew_HasTheDocumentedForm(t *testing.T) {
	form := regexp.MustCompile(`^sk-tg-[0-9A-Za-z]{71}$`)
	for _, id := range []uuid.UUID{uuid.Nil, uuid.Max, id} {
		value := token.New(id)
		if !form.MatchString(value) {
			t.Errorf("New(%v) = %q", id, value)
		}
		if err := token.Check(value); err != nil {
			t.Errorf("Check(%q) = %v", value, err)
		}
	}
	if one, other := token.New(id), token.New(id); one == other {
		t.Error("two tokens of one id have the same secret")
	}
}

func TestCheck_RefusesDamagedValues(t *testing.T) {
	value := token.New(id)
	refused := func(kind, damaged string) {
		t.Helper()
		if damaged != value && !problem.Is(token.Check(damaged), problem.InvalidToken) {
			t.Errorf("%s: %q was accepted", kind, damaged)
		}
	}
	for i := len(token.Prefix); i < len(value); i++ {
		refused("one character less", value[:i]+value[i+1:])
		refused("one character more", value[:i]+"0"+value[i:])
		for _, c := range []string{"0", "z", "-", " ", "\x00"} {
			refused("one character changed", value[:i]+c+value[i+1:])
		}
		if i+1 < len(value) {
			refused("two neighbors swapped", value[:i]+value[i+1:i+2]+value[i:i+1]+value[i+2:])
		}
	}
	refused("only the prefix", token.Prefix)
	refused("truncated", value[:40])
	refused("converted to lower case", token.Prefix+strings.ToLower(value[len(token.Prefix):]))
}

func TestCheck_AcceptsImportedValuesByLength(t *testing.T) {
	for _, row := range []struct {
		rule  string
		value string
		ok    bool
	}{
		{"20 characters", strings.Repeat("a", 20), true},
		{"512 characters", strings.Repeat("a", 512), true},
		{"a token of another provider", "sk-proj-" + strings.Repeat("a", 40), true},
		{"the prefix in upper case", "SK-TG-" + strings.Repeat("a", 71), true},
		{"an empty value", "", false},
		{"19 characters", strings.Repeat("a", 19), false},
		{"513 characters", strings.Repeat("a", 513), false},
	} {
		if err := token.Check(row.value); (err == nil) != row.ok ||
			err != nil && !problem.Is(err, problem.InvalidToken) {
			t.Errorf("%s: Check = %v", row.rule, err)
		}
	}
}

func TestCheckImported_AcceptsOnlyVisibleASCII(t *testing.T) {
	const allow, deny = true, false
	for _, row := range []struct {
		value string
		want  bool
	}{
		{strings.Repeat("a", 20), allow},
		{strings.Repeat("~", 512), allow},
		{"sk-acme-0123456789-!$", allow},
		{strings.Repeat("a", 19), deny},
		{strings.Repeat("a", 513), deny},
		{token.New(id), deny},
		{token.Prefix + strings.Repeat("a", 20), deny},
		{strings.Repeat("a", 20) + " ", deny},
		{strings.Repeat("a", 20) + "\n", deny},
		{strings.Repeat("a", 20) + "\x7f", deny},
		{strings.Repeat("ä", 20), deny},
	} {
		err := token.CheckImported(row.value)
		if row.want != (err == nil) || !row.want && !problem.Is(err, problem.InvalidType) {
			t.Errorf("CheckImported(%q) = %v, want ok %v", row.value, err, row.want)
		}
		if row.want && token.Check(row.value) != nil {
			t.Errorf("%q may be imported but not used", row.value)
		}
	}
}

func FuzzCheck(f *testing.F) {
	value := token.New(id)
	for _, seed := range []string{"", token.Prefix, value, value[:len(value)-1], value + "0", strings.Repeat("x", 20),
		"sk-tg", "\xff\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		err := token.Check(value)
		if err != nil && !problem.Is(err, problem.InvalidToken) {
			t.Fatalf("Check(%q) = %v, want an InvalidToken problem", value, err)
		}
		if token.CheckImported(value) == nil && err != nil {
			t.Fatalf("%q may be imported but not used", value)
		}
		if mask := token.Mask(value); len(value) >= 20 && len(mask) >= len(value) {
			t.Fatalf("Mask(%q) = %q is not shorter", value, mask)
		}
	})
}

func TestMask_HidesTheSecret(t *testing.T) {
	value := token.New(id)
	for value, want := range map[string]string{
		value:                             value[:12] + "…" + value[73:],
		"abcdefghijklmnopqrstuvwxyz":      "abcd…wxyz",
		"short":                           "…",
		"":                                "…",
		token.Prefix + "0123456789abcdef": "sk-t…cdef",
	} {
		if got := token.Mask(value); got != want {
			t.Errorf("Mask(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestHashOf_DependsOnThePepper(t *testing.T) {
	// RFC 4231, test case 2.
	const want = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	got := token.HashOf([]byte("Jefe"), "what do ya want for nothing?")
	if hex.EncodeToString(got[:]) != want {
		t.Errorf("HashOf = %x, want %s", got, want)
	}
	if got.Equal(token.HashOf([]byte("jefe"), "what do ya want for nothing?")) {
		t.Error("another pepper gives the same hash")
	}
	if !got.Equal(token.HashOf([]byte("Jefe"), "what do ya want for nothing?")) {
		t.Error("the same pepper and value give another hash")
	}
}

func TestUsable_RequiresTokenUserAndTenantEnabled(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	caller := func(change func(*token.Caller)) *token.Caller {
		b := &token.Caller{
			Token:  token.Token{Status: token.Enabled},
			User:   tenant.User{Status: tenant.Enabled},
			Tenant: tenant.Tenant{Status: tenant.Enabled},
		}
		change(b)
		return b
	}
	for _, row := range []struct {
		rule   string
		change func(*token.Caller)
		ok     bool
	}{
		{"everything enabled", func(*token.Caller) {}, true},
		{"expires later", func(b *token.Caller) { b.Token.ExpiresAt = now.Add(1) }, true},
		{"expires now", func(b *token.Caller) { b.Token.ExpiresAt = now }, false},
		{"expired", func(b *token.Caller) { b.Token.ExpiresAt = now.Add(-1) }, false},
		{"token disabled", func(b *token.Caller) { b.Token.Status = token.Disabled }, false},
		{"token revoked", func(b *token.Caller) { b.Token.Status = token.Revoked }, false},
		{"token without status", func(b *token.Caller) { b.Token.Status = "" }, false},
		{"user disabled", func(b *token.Caller) { b.User.Status = tenant.Disabled }, false},
		{"user without status", func(b *token.Caller) { b.User.Status = "" }, false},
		{"tenant disabled", func(b *token.Caller) { b.Tenant.Status = tenant.Disabled }, false},
	} {
		err := caller(row.change).Usable(now)
		if row.ok != (err == nil) || !row.ok && !problem.Is(err, problem.InvalidToken) {
			t.Errorf("%s: Usable = %v, want ok %v", row.rule, err, row.ok)
		}
	}
}

func TestAllowsAddress_MatchesTheAllowlist(t *testing.T) {
	for _, row := range []struct {
		list []string
		addr string
		want bool
	}{
		{nil, "203.0.113.7", true},
		{nil, "2001:db8::1", true},
		{[]string{"203.0.113.7"}, "203.0.113.7", true},
		{[]string{"203.0.113.7"}, "::ffff:203.0.113.7", true},
		{[]string{"::ffff:203.0.113.7"}, "203.0.113.7", true},
		{[]string{"203.0.113.7"}, "203.0.113.8", false},
		{[]string{"10.0.0.0/8"}, "10.255.0.1", true},
		{[]string{"10.1.2.3/8"}, "10.255.0.1", true},
		{[]string{"10.0.0.0/8"}, "11.0.0.1", false},
		{[]string{"10.0.0.0/8", "2001:db8::/32"}, "2001:db8:1::1", true},
		{[]string{"2001:db8::/32"}, "10.0.0.1", false},
		{[]string{"0.0.0.0/0"}, "2001:db8::1", false},
		{[]string{"::/0"}, "10.0.0.1", false},
	} {
		prefixes, err := token.ParseAddresses(row.list)
		if err != nil {
			t.Fatalf("ParseAddresses(%q) = %v", row.list, err)
		}
		allowed := token.Token{Addresses: prefixes}
		if got := allowed.AllowsAddress(netip.MustParseAddr(row.addr)); got != row.want {
			t.Errorf("%q allows %s: %v, want %v", row.list, row.addr, got, row.want)
		}
	}
}

func TestParseAddresses_NamesTheEntryAtFault(t *testing.T) {
	for _, bad := range []string{"", "localhost", "10.0.0", "10.0.0.0/33", "10.0.0.1-10.0.0.9", "10.0.0.1:80",
		"::ffff:10.0.0.0/104"} {
		_, err := token.ParseAddresses([]string{"10.0.0.1", bad})
		if !problem.Is(err, problem.InvalidType) || problem.From(err).Param != "addresses[1]" {
			t.Errorf("ParseAddresses(%q) = %v", bad, err)
		}
	}
}

func TestHasher_ReturnsTheSameAsHashOf(t *testing.T) {
	hasher := token.NewHasher([]byte("Jefe"))
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			value := strings.Repeat("x", i)
			for range 20 {
				if hasher.Hash(value) != token.HashOf([]byte("Jefe"), value) {
					t.Errorf("the hash of %d characters differs", i)
				}
			}
		})
	}
	all.Wait()
}
