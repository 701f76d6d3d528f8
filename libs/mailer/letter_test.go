package mailer

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/language"
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
		message := Invitation{To: "ada@x.example", Inviter: "bob@x.example", Tenant: name,
			Link: "https://console.example/invitation#s"}.letter().compose()
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

// Each letter has all its texts, with the same names of values, in every language.
func TestWords_AreTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	placeholders := func(text string) []string {
		found := names.FindAllString(text, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	want := reflect.ValueOf(*english())
	for _, tag := range language.All() {
		got := reflect.ValueOf(*wordsOf(tag))
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			if name == "joins" { // empty in English
				continue
			}
			if got.Field(i).Kind() == reflect.String {
				text := got.Field(i).String()
				if text == "" || !slices.Equal(placeholders(text), placeholders(want.Field(i).String())) {
					t.Errorf("%s: %s is %q, want the names of %q in it", tag, name, text, want.Field(i))
				}
				if tag != language.English && text == want.Field(i).String() {
					t.Errorf("%s: %s is English", tag, name)
				}
			}
		}
		for event, sentence := range english().sentences {
			if translated := wordsOf(tag).sentences[event]; translated == "" ||
				(tag != language.English && translated == sentence) {
				t.Errorf("%s: the sentence for %s is %q", tag, event, translated)
			}
		}
		if got, want := len(wordsOf(tag).sentences), len(english().sentences); got != want {
			t.Errorf("%s: got %d sentences, want %d", tag, got, want)
		}
	}
}

func TestLetters_AreInTheLanguageOfTheUser(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 13, 5, 0, 0, time.UTC)
	const chinese = language.SimplifiedChinese
	for _, row := range []struct {
		letter        letter
		subject, want string
	}{
		{Invitation{Language: chinese, Inviter: "bob@x.example", Tenant: "Acme", ExpiresAt: at}.letter(),
			"Tollgate 邀请函", "bob@x.example 邀请您加入 Acme。"},
		{Invitation{Language: chinese, Inviter: "bob@x.example", ExpiresAt: at}.letter(), "Tollgate 邀请函",
			"2026年3月1日 13:05 UTC"},
		{Reset{Language: chinese, Valid: time.Hour}.letter(), "设置您的 Tollgate 新密码", "60 分钟内有效"},
		{Notice{Language: chinese, Event: NewDevice, At: at, From: "203.0.113.7", Link: "https://c.example"}.letter(),
			"您的 Tollgate 账户有新的登录", "地址：203.0.113.7"},
		{Reset{Valid: time.Hour}.letter(), "Your new password for Tollgate", "for 60 minutes"},
		{Reset{Language: "xx", Valid: time.Hour}.letter(), "Your new password for Tollgate", "for 60 minutes"},
	} {
		message := row.letter.compose()
		if message.Subject != row.subject || !strings.Contains(message.Text, row.want) ||
			!strings.Contains(message.HTML, row.want) {
			t.Errorf("got %q, %q, %q; want the subject %q and %q", message.Subject, message.Text, message.HTML,
				row.subject, row.want)
		}
	}
}

func TestLetters_AreComplete(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 13, 5, 0, 0, time.UTC)
	for _, row := range []struct {
		letter     letter
		text, page []string
	}{
		{
			Invitation{Inviter: `<b>"Bob"</b> {link}`, Tenant: "R&D", Link: "https://c.example/invitation#s",
				ExpiresAt: at}.letter(),
			[]string{`<b>"Bob"</b> {link} invites you to R&D. To accept,`, "\n\nhttps://c.example/invitation#s\n\n",
				"until 1 March 2026, 13:05 UTC."},
			[]string{`<p>&lt;b&gt;&#34;Bob&#34;&lt;/b&gt; {link} invites you to R&amp;D.</p>`,
				`<a href="https://c.example/invitation#s">`, "until 1 March 2026, 13:05 UTC."},
		},
		{
			Reset{Link: `https://c.example/password-reset#"s`, Valid: 90 * time.Minute}.letter(),
			[]string{"\n\nhttps://c.example/password-reset#\"s\n\n", "for 90 minutes."},
			[]string{`<a href="https://c.example/password-reset#&#34;s">`, "for 90 minutes."},
		},
		{
			Notice{Event: PasskeyAdded, At: at, From: "203.0.113.7", Link: "https://c.example"}.letter(),
			[]string{"\n\nA passkey was added to your account.\n\nTime: 1 March 2026, 13:05 UTC\nAddress: " +
				"203.0.113.7\n\nIf this", "under Settings:\n\nhttps://c.example/settings/security\n\nIf you"},
			[]string{"<p>Time: 1 March 2026, 13:05 UTC<br>Address: 203.0.113.7</p>",
				`under <a href="https://c.example/settings/security">Settings</a>.</p>`},
		},
		{
			Notice{Event: NewDevice, At: at}.letter(),
			[]string{"\n\nTime: 1 March 2026, 13:05 UTC\n\nIf this", "under Settings.\n\nIf you"},
			[]string{"<p>Time: 1 March 2026, 13:05 UTC</p>", "under Settings.</p>"},
		},
	} {
		message := row.letter.compose()
		for _, want := range row.text {
			if !strings.Contains(message.Text, want) {
				t.Errorf("%s: the text lacks %q:\n%s", row.letter.subject, want, message.Text)
			}
		}
		for _, want := range row.page {
			if !strings.Contains(message.HTML, want) {
				t.Errorf("%s: the page lacks %q:\n%s", row.letter.subject, want, message.HTML)
			}
		}
	}
}
