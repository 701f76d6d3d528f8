package main

import (
	"fmt"
	"strings"
)

// The tokens of the traffic that is spread over many accounts.
const (
	crowdTenants   = 250
	usersPerTenant = 4
	tokensPerUser  = 5
	busyTokens     = usersPerTenant * tokensPerUser // those of the first tenant
	crowdTokens    = crowdTenants * busyTokens
)

// crowdToken returns the i-th token.
func crowdToken(i int) string { return fmt.Sprintf("crowd-token-%016d", i) }

// crowd returns the part of the manifest with the tenants of all crowd tokens. It continues the tenants' list.
func crowd() string {
	var text strings.Builder
	for i := range crowdTokens {
		if i%busyTokens == 0 {
			n := i / busyTokens
			fmt.Fprintf(&text, "  - {slug: crowd-%d, name: Crowd %d, quota: \"1000.00\", users: [\n", n, n)
		}
		if i%tokensPerUser == 0 {
			fmt.Fprintf(&text, "      {email: user-%d@crowd.example, role: owner, group: default, tokens: [\n",
				i/tokensPerUser)
		}
		fmt.Fprintf(&text, "        {name: token-%d, value: %s},\n", i, crowdToken(i))
		if (i+1)%tokensPerUser == 0 {
			text.WriteString("      ]},\n")
		}
		if (i+1)%busyTokens == 0 {
			text.WriteString("    ]}\n")
		}
	}
	return text.String()
}
