package token_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// A token's value ends with a checksum, so a damaged value is refused without a lookup in the database.
func ExampleCheck() {
	value := token.New(uuid.Must(uuid.NewV7()))
	fmt.Println(value[:len(token.Prefix)], len(value), token.Check(value))

	last := byte('a')
	if value[len(value)-1] == last {
		last = 'b'
	}
	damaged := value[:len(value)-1] + string(last)
	fmt.Println(token.Check(damaged) == nil)
	// Output:
	// sk-tg- 77 <nil>
	// false
}

// The database stores a hash of the value, keyed with a pepper that is not in the database. The same value has another
// hash under another pepper.
func ExampleHashOf() {
	stored := token.HashOf([]byte("pepper"), "sk-tg-value")
	fmt.Println(stored.Equal(token.HashOf([]byte("pepper"), "sk-tg-value")))
	fmt.Println(stored.Equal(token.HashOf([]byte("another"), "sk-tg-value")))
	// Output:
	// true
	// false
}

// A caller may call while token, user and tenant are enabled and the token has
// not expired.
func ExampleCaller_Usable() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	caller := token.Caller{
		Token:  token.Token{Status: token.Enabled, ExpiresAt: now.Add(time.Hour)},
		User:   tenant.User{Status: tenant.Enabled},
		Tenant: tenant.Tenant{Status: tenant.Enabled},
	}
	fmt.Println("now:", caller.Usable(now) == nil)
	fmt.Println("an hour later:", caller.Usable(now.Add(time.Hour)) == nil)
	caller.Tenant.Status = tenant.Disabled
	fmt.Println("tenant disabled:", caller.Usable(now) == nil)
	// Output:
	// now: true
	// an hour later: false
	// tenant disabled: false
}

// An allowlist names addresses and networks. Without one every address may call.
func ExampleToken_AllowsAddress() {
	allowlist, err := token.ParseAddresses([]string{"203.0.113.7", "10.0.0.0/8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	t := token.Token{Addresses: allowlist}
	fmt.Println(t.AllowsAddress(netip.MustParseAddr("10.1.2.3")), t.AllowsAddress(netip.MustParseAddr("203.0.113.8")))
	// Output: true false
}
