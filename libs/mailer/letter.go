package mailer

import (
	"fmt"
	html "html/template"
	"regexp"
	"strings"
	text "text/template"
	"time"

	"github.com/tollgate/tollgate/libs/mail"
)

// The pages of the console that links open. The secret is in the fragment of the URL, which browsers do not
// send. So it appears in no log of a server or proxy.
const (
	invitationPage = "/invitation#"
	resetPage      = "/password-reset#"
)

// InvitationLink returns the link that accepts an invitation. It is a path without a host if the console's
// URL is not configured.
func (m *Mailer) InvitationLink(secret string) string { return m.URL + invitationPage + secret }

// ResetLink returns the link that sets a new password, in the form of InvitationLink.
func (m *Mailer) ResetLink(secret string) string { return m.URL + resetPage + secret }

// Invitation is the content of a mail that invites a person.
type Invitation struct {
	To        string // address
	Inviter   string // address of the user who invites
	Tenant    string // name of the tenant; "" for an invitation of an operator
	Link      string
	ExpiresAt time.Time // of the link
}

// Reset is the content of a mail with the link of a password reset.
type Reset struct {
	To    string // address
	Link  string
	Valid time.Duration // lifetime of the link
}

// Event is a sign-in or a change of an account, of which its user gets a notice.
type Event string

// The events.
const (
	NewDevice            Event = "new_device"
	PasswordChanged      Event = "password_changed"
	AuthenticatorAdded   Event = "authenticator_added"
	AuthenticatorRemoved Event = "authenticator_removed"
	RecoveryCodesRenewed Event = "recovery_codes_renewed"
	FactorsReset         Event = "factors_reset"
	PasskeyAdded         Event = "passkey_added"
	PasskeyRemoved       Event = "passkey_removed"
	AccessKeyCreated     Event = "access_key_created"
)

// sentences tells people what happened.
var sentences = map[Event]string{ //nolint:gosec // sentences for people, no credentials
	NewDevice:            "A browser that was not used for your account before signed in to it.",
	PasswordChanged:      "The password of your account was changed.",
	AuthenticatorAdded:   "An authenticator app was added to your account.",
	AuthenticatorRemoved: "The authenticator app was removed from your account.",
	RecoveryCodesRenewed: "The recovery codes of your account were replaced.",
	FactorsReset:         "An administrator removed the second factor and the passkeys of your account.",
	PasskeyAdded:         "A passkey was added to your account.",
	PasskeyRemoved:       "A passkey was removed from your account.",
	AccessKeyCreated:     "An access key was created for your account.",
}

// Notice is the content of a mail about a sign-in or a change of an account. It contains no text that others chose.
type Notice struct {
	To    string // address
	Event Event
	At    time.Time
	From  string // network address of the client, "" if it is not known
	Link  string // URL of the console, "" if it is not configured
}

// What returns the sentence about the event.
func (n Notice) What() string { return sentences[n.Event] }

// When returns the time of the event in UTC, in a form for people.
func (n Notice) When() string { return n.At.UTC().Format("2 January 2006, 15:04 MST") }

// letter returns the notice as a letter.
func (n Notice) letter() letter {
	subject := "A change of your account on Tollgate"
	if n.Event == NewDevice {
		subject = "A new sign-in to your account on Tollgate"
	}
	return letter{to: n.To, subject: subject, body: "notice", data: n}
}

// Where returns the tenant, or the words for operators, to follow "invites you to". The people of a tenant choose its
// name, and the mail goes to strangers. So a name that a mail program could show as a link is left out.
func (i Invitation) Where() string {
	switch {
	case i.Tenant == "":
		return "run Tollgate"
	case links.MatchString(i.Tenant):
		return "an organization on Tollgate"
	}
	return i.Tenant
}

// links matches text that mail programs show as a link: URLs, addresses, and names of hosts.
var links = regexp.MustCompile(`://|@|\S\.\S|[。．｡]`)

// Until returns the time of expiry in UTC, in a form for people.
func (i Invitation) Until() string { return i.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST") }

// Minutes returns the lifetime of the link in minutes.
func (r Reset) Minutes() int { return int(r.Valid / time.Minute) }

// letter is a mail whose templates are not executed yet.
type letter struct {
	to, subject string
	body        string // name of the templates
	data        any    // for the templates
}

// letter returns the invitation as a letter.
func (i Invitation) letter() letter {
	return letter{to: i.To, subject: "You are invited to Tollgate", body: "invitation", data: i}
}

// letter returns the password reset as a letter.
func (r Reset) letter() letter {
	return letter{to: r.To, subject: "Your new password for Tollgate", body: "reset", data: r}
}

// compose executes the templates of the plain text and of the HTML page.
func (l letter) compose() (mail.Message, error) {
	var plain, rich strings.Builder
	if err := texts.ExecuteTemplate(&plain, l.body, l.data); err != nil {
		return mail.Message{}, fmt.Errorf("write the text of the mail: %w", err)
	}
	if err := pages.ExecuteTemplate(&rich, l.body, l.data); err != nil {
		return mail.Message{}, fmt.Errorf("write the page of the mail: %w", err)
	}
	return mail.Message{To: l.to, Subject: l.subject, Text: plain.String(), HTML: rich.String()}, nil
}

var texts = text.Must(text.New("").Parse(`
{{- define "invitation"}}Hello,

{{.Inviter}} invites you to {{.Where}}. To accept, choose a password at

{{.Link}}

The link works once, until {{.Until}}. If you did not expect this invitation,
ignore this mail. No account is created unless you accept.
{{end}}
{{- define "reset"}}Hello,

someone asked for a new password for your account. If it was you, choose one at

{{.Link}}

The link works once, for {{.Minutes}} minutes. If it was not you, ignore this mail. Your
password does not change.
{{end}}
{{- define "notice"}}Hello,

{{.What}}

Time: {{.When}}
{{- if .From}}
Address: {{.From}}{{end}}

If this was you, there is nothing to do. If not, set a new password, end all
sessions, and check the passkeys and access keys under Settings{{if .Link}}:

{{.Link}}/settings/security{{else}}.{{end}}

If you cannot sign in, ask an administrator of your organization.
{{end}}`))

var pages = html.Must(html.New("").Parse(`
{{- define "invitation"}}<p>Hello,</p>
<p>{{.Inviter}} invites you to {{.Where}}.</p>
<p><a href="{{.Link}}">Accept the invitation</a></p>
<p>The link works once, until {{.Until}}. If you did not expect this invitation, ignore this mail. No account is created unless you accept.</p>
{{end}}
{{- define "reset"}}<p>Hello,</p>
<p>someone asked for a new password for your account. If it was you, follow this link.</p>
<p><a href="{{.Link}}">Choose a new password</a></p>
<p>The link works once, for {{.Minutes}} minutes. If it was not you, ignore this mail. Your password does not change.</p>
{{end}}
{{- define "notice"}}<p>Hello,</p>
<p>{{.What}}</p>
<p>Time: {{.When}}{{if .From}}<br>Address: {{.From}}{{end}}</p>
<p>If this was you, there is nothing to do. If not, set a new password, end all sessions, and check the passkeys and access keys under {{if .Link}}<a href="{{.Link}}/settings/security">Settings</a>{{else}}Settings{{end}}.</p>
<p>If you cannot sign in, ask an administrator of your organization.</p>
{{end}}`))
