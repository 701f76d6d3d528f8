package post

import (
	"context"
	html "html/template"
	"strings"
	text "text/template"
	"time"

	"github.com/tollgate/tollgate/libs/mail"
)

// The pages that links lead to. The secret is their fragment, which browsers
// keep to themselves: it gets into no log of a server or proxy.
const (
	invitationPage = "/invitation#"
	resetPage      = "/password-reset#"
)

// InvitationLink is where an invitation with the secret is accepted. It is
// relative where the console's URL is not known.
func (o *Office) InvitationLink(secret string) string { return o.URL + invitationPage + secret }

// ResetLink is where a password is set with the secret.
func (o *Office) ResetLink(secret string) string { return o.URL + resetPage + secret }

// Invitation is what is told to who is invited.
type Invitation struct {
	To        string
	Inviter   string
	Tenant    string // name; "" where it is to run the platform
	Link      string
	ExpiresAt time.Time
}

// Reset is what is told to who may set a new password.
type Reset struct {
	To    string
	Link  string
	Valid time.Duration
}

// Invite sends an invitation, later. It tells whether it will.
func (o *Office) Invite(i Invitation) bool {
	return o.Configured() && o.Later("invitation", func(ctx context.Context) error {
		return o.send(ctx, letter{to: i.To, subject: "You are invited to " + i.where(), body: "invitation", data: i})
	})
}

func (i Invitation) where() string {
	if i.Tenant == "" {
		return "run Tollgate"
	}
	return i.Tenant
}

// Where is the tenant's name, or what there is instead.
func (i Invitation) Where() string { return i.where() }

// Until is the moment of expiry, for people.
func (i Invitation) Until() string { return i.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST") }

// Minutes is for how long the link is good.
func (r Reset) Minutes() int { return int(r.Valid / time.Minute) }

// SendReset sends a link for a new password, now: it belongs into Later.
func (o *Office) SendReset(ctx context.Context, r Reset) error {
	return o.send(ctx, letter{to: r.To, subject: "Your new password for Tollgate", body: "reset", data: r})
}

type letter struct {
	to, subject, body string
	data              any
}

func (o *Office) send(ctx context.Context, l letter) error {
	var plain, rich strings.Builder
	if err := texts.ExecuteTemplate(&plain, l.body, l.data); err != nil {
		return err
	}
	if err := pages.ExecuteTemplate(&rich, l.body, l.data); err != nil {
		return err
	}
	return o.Sender.Send(ctx, mail.Message{To: l.to, Subject: l.subject, Text: plain.String(), HTML: rich.String()})
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
