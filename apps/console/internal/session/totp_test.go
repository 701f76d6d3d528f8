package session

import (
	"encoding/base32"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
)

// The times and codes are those of RFC 6238, appendix B, shortened to six digits.
func TestStepOf_FindsTheStepsOfRFC6238(t *testing.T) {
	t.Parallel()
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for unix, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if step, ok := stepOf(secret, code, time.Unix(unix, 0), 0); !ok || step != unix/30 {
			t.Errorf("at %d: got step %d, %v, want %d", unix, step, ok, unix/30)
		}
	}
}

func TestStepOf_AcceptsUnusedCodesWithinTheSkew(t *testing.T) {
	t.Parallel()
	secret, now := newSecret(), time.Unix(1_800_000_015, 0)
	present := now.Unix() / 30
	for _, row := range []struct {
		name  string
		shift time.Duration // of the code's time against the clock
		after int64         // last used step
		want  bool
	}{
		{"current period", 0, 0, true},
		{"previous period", -period, 0, true},
		{"next period", period, 0, true},
		{"two periods ago", -2 * period, 0, false},
		{"two periods ahead", 2 * period, 0, false},
		{"used code", 0, present, false},
		{"earlier than the used code", -period, present, false},
		{"later than the used code", period, present, true},
		{"used code of the next period", period, present + 1, false},
	} {
		code, err := totp.GenerateCode(secret, now.Add(row.shift))
		if err != nil {
			t.Fatal(err)
		}
		step, ok := stepOf(secret, code, now, row.after)
		if ok != row.want || ok && step != present+int64(row.shift/period) {
			t.Errorf("%s: got step %d, accepted = %v", row.name, step, ok)
		}
	}
}

func TestURIOf_EscapesTheAccount(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"a@x.example", `"a b"@x.example`, "a?b#c%d@x.example", "ä@x.example"} {
		link, err := url.Parse(uriOf("SECRET", account))
		if err != nil || link.Path != "/Tollgate:"+account || link.Query().Get("secret") != "SECRET" ||
			link.Query().Get("issuer") != "Tollgate" {
			t.Errorf("uriOf for %q: got %v, %v", account, link, err)
		}
	}
}

func TestRecoveryCodes_AreDistinctAndBoundToTheUser(t *testing.T) {
	t.Parallel()
	codes, seen := newRecoveryCodes(), map[string]bool{}
	one, two := uuid.New(), uuid.New()
	for _, code := range codes {
		seen[code] = true
		if isCode(plain(code)) || recoveryHash(one, code) == recoveryHash(two, code) ||
			recoveryHash(one, code) != recoveryHash(one, plain(code)) {
			t.Errorf("code %s: looks like a TOTP code, or its hash does not depend on user and digits only", code)
		}
	}
	if len(seen) != recoveryCodes {
		t.Errorf("got %d different codes, want %d", len(seen), recoveryCodes)
	}
}

func FuzzStepOf(f *testing.F) {
	f.Add("000000")
	f.Add("ä00000")
	f.Add("")
	secret, now := newSecret(), time.Unix(1_800_000_000, 0)
	f.Fuzz(func(t *testing.T, code string) {
		step, ok := stepOf(secret, plain(code), now, 0)
		if !ok {
			return
		}
		if want, err := totp.GenerateCode(secret, time.Unix(step*30, 0)); err != nil || want != plain(code) {
			t.Errorf("stepOf accepted %q for step %d, whose code is %s (%v)", code, step, want, err)
		}
	})
}
