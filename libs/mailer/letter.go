package mailer

import (
	"fmt"
	html "html/template"
	"strings"
	text "text/template"
	"time"

	"github.com/tollgate/tollgate/libs/mail"
)

// The pages that links lead to. The secret is the fragment, which browsers do
// not send: no log of a server or proxy contains it.
const (
	invitationPage = "/invitation#"
	resetPage      = "/password-reset#"
)

// InvitationLink returns the link by which an invitation is accepted. It is
// relative where the console's URL is not known.
func (m *Mailer) InvitationLink(secret string) string { return m.URL + invitationPage + secret }

// ResetLink returns the link by which a password is set.
func (m *Mailer) ResetLink(secret string) string { return m.URL + resetPage + secret }

// Invitation is the mail to an invitee.
type Invitation struct {
	To        string
	Inviter   string
	Tenant    string // name; "" where it is to run the platform
	Link      string
	ExpiresAt time.Time
}

// Reset is the mail to a user who may set a new password.
type Reset struct {
	To    string
	Link  string
	Valid time.Duration
}

// Where returns the tenant's name, or the words for the platform.
func (i Invitation) Where() string {
	if i.Tenant == "" {
		return "run Tollgate"
	}
	return i.Tenant
}

// Until returns the moment of expiry, for people.
func (i Invitation) Until() string { return i.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST") }

// Minutes returns how many minutes the link is good for.
func (r Reset) Minutes() int { return int(r.Valid / time.Minute) }

// letter is a mail before its templates are filled in.
type letter struct {
	to, subject, body string
	data              any
}

func (i Invitation) letter() letter {
	return letter{to: i.To, subject: "You are invited to " + i.Where(), body: "invitation", data: i}
}

func (r Reset) letter() letter {
	return letter{to: r.To, subject: "Your new password for Tollgate", body: "reset", data: r}
}

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

The link is good once, until {{.Until}}. If you do not know what this is about,
do nothing: without you no account is made.
{{end}}
{{- define "reset"}}Hello,

somebody, probably you, asks for a new password of your account. Choose it at

{{.Link}}

The link is good once, for {{.Minutes}} minutes. If it was not you, do nothing: your
password stays as it is.
{{end}}`))

var pages = html.Must(html.New("").Parse(`
{{- define "invitation"}}<p>Hello,</p>
<p>{{.Inviter}} invites you to {{.Where}}.</p>
<p><a href="{{.Link}}">Accept the invitation</a></p>
<p>The link is good once, until {{.Until}}. If you do not know what this is about, do nothing: without you no account is made.</p>
{{end}}
{{- define "reset"}}<p>Hello,</p>
<p>somebody, probably you, asks for a new password of your account.</p>
<p><a href="{{.Link}}">Choose a new password</a></p>
<p>The link is good once, for {{.Minutes}} minutes. If it was not you, do nothing: your password stays as it is.</p>
{{end}}`))
