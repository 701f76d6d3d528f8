package relaytest

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/config"
)

// LimitedToken is the token that NewLimited adds.
const LimitedToken = "a-token-that-is-limited"

// NewLimited returns a relay with one more token, which has the limits.
func NewLimited(t *testing.T, limits string, change ...func(*config.Config)) *Relay {
	t.Helper()
	const beside = `          - {name: main, value: "a-token-for-the-tests"}` + "\n"
	return NewWith(t, strings.Replace(Manifest, beside,
		beside+`          - {name: limited, value: "`+LimitedToken+`", limits: {`+limits+`}}`+"\n", 1), change...)
}
