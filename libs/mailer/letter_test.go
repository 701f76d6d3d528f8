package mailer

import (
	"strings"
	"testing"
)

// The people of a tenant choose its name, and invitations go to any address.
func TestInvitation_ShowsNoLinkOfTheTenantsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Acme, Inc.":              "bob@x.example invites you to Acme, Inc..",
		"":                        "bob@x.example invites you to run Tollgate.",
		"Win at http://evil.test": "bob@x.example invites you to an organization on Tollgate.",
		"evil.test":               "bob@x.example invites you to an organization on Tollgate.",
		"evil。test":               "bob@x.example invites you to an organization on Tollgate.",
		"mail me@evil":            "bob@x.example invites you to an organization on Tollgate.",
	} {
		message, err := Invitation{To: "ada@x.example", Inviter: "bob@x.example", Tenant: name, Link: "https://console.example/invitation#s"}.letter().compose()
		if err != nil {
			t.Fatal(err)
		}
		if message.Subject != "You are invited to Tollgate" {
			t.Errorf("tenant %q: got the subject %q", name, message.Subject)
		}
		if !strings.Contains(message.Text, want) {
			t.Errorf("tenant %q: got %q, want %q in it", name, message.Text, want)
		}
		if strings.Contains(message.Text+message.HTML, "evil") {
			t.Errorf("tenant %q: the mail contains it", name)
		}
	}
}
