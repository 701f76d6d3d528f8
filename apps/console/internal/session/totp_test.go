package session

import (
	"encoding/base32"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
)

// The times and codes are those of RFC 6238, appendix B, cut to six digits.
func TestStepOfKnownCodes(t *testing.T) {
	t.Parallel()
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for unix, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if step, ok := stepOf(secret, code, time.Unix(unix, 0), 0); !ok || step != unix/30 {
			t.Errorf("at %d: step %d, %v", unix, step, ok)
		}
	}
}

func TestStepOf(t *testing.T) {
	t.Parallel()
	secret, now := newSecret(), time.Unix(1_800_000_015, 0)
	present := now.Unix() / 30
	for _, row := range []struct {
		name  string
		made  time.Duration
		after int64
		want  bool
	}{
		{"now", 0, 0, true},
		{"a period ago", -period, 0, true},
		{"a period ahead", period, 0, true},
		{"two periods ago", -2 * period, 0, false},
		{"two periods ahead", 2 * period, 0, false},
		{"used", 0, present, false},
		{"earlier than one that was used", -period, present, false},
		{"later than one that was used", period, present, true},
		{"used ahead of time", period, present + 1, false},
	} {
		code, err := totp.GenerateCode(secret, now.Add(row.made))
		if err != nil {
			t.Fatal(err)
		}
		step, ok := stepOf(secret, code, now, row.after)
		if ok != row.want || ok && step != present+int64(row.made/period) {
			t.Errorf("%s: step %d, %v", row.name, step, ok)
		}
	}
}

func TestURIOfAnyAccount(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"a@x.example", `"a b"@x.example`, "a?b#c%d@x.example", "ä@x.example"} {
		link, err := url.Parse(uriOf("SECRET", account))
		if err != nil || link.Path != "/Tollgate:"+account || link.Query().Get("secret") != "SECRET" || link.Query().Get("issuer") != "Tollgate" {
			t.Errorf("%q: %v, %v", account, link, err)
		}
	}
}

func TestRecoveryCodesAreOneUsersOwn(t *testing.T) {
	t.Parallel()
	codes, seen := newRecoveryCodes(), map[string]bool{}
	one, two := uuid.New(), uuid.New()
	for _, code := range codes {
		seen[code] = true
		if isCode(plain(code)) || recoveryHash(one, code) == recoveryHash(two, code) || recoveryHash(one, code) != recoveryHash(one, plain(code)) {
			t.Errorf("code %s", code)
		}
	}
	if len(seen) != recoveryCodes {
		t.Errorf("%d different codes", len(seen))
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
		if made, err := totp.GenerateCode(secret, time.Unix(step*30, 0)); err != nil || made != plain(code) {
			t.Errorf("%q was accepted for step %d, whose code is %s (%v)", code, step, made, err)
		}
	})
}
