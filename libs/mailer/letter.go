package mailer

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/language"
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
	To        string       // address
	Language  language.Tag // of the inviter: the invited person has none yet
	Inviter   string       // address of the user who invites
	Tenant    string       // name of the tenant; "" for an invitation of an operator
	Link      string
	ExpiresAt time.Time // of the link
}

// Reset is the content of a mail with the link of a password reset.
type Reset struct {
	To       string       // address
	Language language.Tag // of the user
	Link     string
	Valid    time.Duration // lifetime of the link
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

// Notice is the content of a mail about a sign-in or a change of an account. It contains no text that others chose.
type Notice struct {
	To       string       // address
	Language language.Tag // of the user
	Event    Event
	At       time.Time
	From     string // network address of the client, "" if it is not known
	Link     string // URL of the console, "" if it is not configured
}

// Alert is the content of a mail about a quota or the platform.
type Alert struct {
	ID          string // of the alert, which becomes the Message-ID
	To          string // address
	Language    language.Tag
	Title, Text string // in the language, see alert.Fact.Words
	Link        string // URL of the console, "" if it is not configured
}

// AlertMail holds the parameters of QueueAlert.
type AlertMail struct {
	DeliveryID, TenantID uuid.UUID
	Alert
}

// letter returns the alert as a letter.
func (a Alert) letter() letter {
	w := wordsOf(a.Language)
	l := letter{id: a.ID, to: a.To, subject: a.Title, text: w.alertText, page: w.alertPage,
		values: map[string]string{"title": a.Title, "what": a.Text, "link": a.Link}}
	if a.Link != "" {
		return l.with("settings", w.alertSettings+w.colon+"\n\n{link}/alerts",
			`<a href="{link}/alerts">`+w.alertSettings+`</a>`+w.stop)
	}
	return l.with("settings", w.alertSettings+w.stop, w.alertSettings+w.stop)
}

// letter returns the notice as a letter.
func (n Notice) letter() letter {
	w := wordsOf(n.Language)
	l := letter{to: n.To, subject: w.noticeSubject, text: w.noticeText, page: w.noticePage, values: map[string]string{
		"what": w.sentences[n.Event], "when": w.readable(n.At), "from": n.From, "link": n.Link,
	}}
	if n.Event == NewDevice {
		l.subject = w.newDeviceSubject
	}
	if n.From != "" {
		l = l.with("address", "\n"+w.address, "<br>"+w.address)
	}
	if n.Link != "" {
		return l.with("settings", w.settings+w.colon+"\n\n{link}/settings/security",
			`<a href="{link}/settings/security">`+w.settings+`</a>`+w.stop)
	}
	return l.with("settings", w.settings+w.stop, w.settings+w.stop)
}

// where returns the words that follow "invites you to": the tenant, or those for operators. The people of a tenant
// choose its name, and the mail goes to strangers. So a name that a mail program could show as a link is left out.
func (i Invitation) where(w *words) string {
	switch {
	case i.Tenant == "":
		return w.platform
	case links.MatchString(i.Tenant):
		return w.someTenant
	}
	return w.joins + i.Tenant
}

// links matches text that mail programs show as a link: URLs, addresses, and names of hosts.
var links = regexp.MustCompile(`://|@|\S\.\S|[。．｡]`)

// letter is a mail whose templates are not filled in yet. It does not use package html/template, which looks methods up
// by their names and so makes the linker keep every method of the program.
type letter struct {
	id          string // of the message; "": a random one
	to, subject string
	// Templates of the plain text and of the HTML page, with names as {link} in the place of values.
	text, page string
	values     map[string]string // plain texts by their names; the page gets them escaped
}

// with puts parts of the two templates in the place of a name.
func (l letter) with(name, text, page string) letter {
	l.text, l.page = strings.ReplaceAll(l.text, "{"+name+"}", text), strings.ReplaceAll(l.page, "{"+name+"}", page)
	return l
}

// compose fills in the templates.
func (l letter) compose() mail.Message {
	identity := func(text string) string { return text }
	return mail.Message{ID: l.id, To: l.to, Subject: l.subject, Text: fill(l.text, l.values, identity),
		HTML: fill(l.page, l.values, html.EscapeString)}
}

// fill puts the escaped values in the place of their names. A value may contain a name: it stays. A name in the
// template without a value stands for nothing.
func fill(template string, values map[string]string, escape func(string) string) string {
	return names.ReplaceAllStringFunc(template, func(name string) string {
		return escape(values[strings.Trim(name, "{}")])
	})
}

var names = regexp.MustCompile(`\{[a-z]+\}`)

// letter returns the invitation as a letter.
func (i Invitation) letter() letter {
	w := wordsOf(i.Language)
	return letter{to: i.To, subject: w.invitationSubject, text: w.invitationText, page: w.invitationPage,
		values: map[string]string{
			"inviter": i.Inviter, "where": i.where(w), "link": i.Link, "until": w.readable(i.ExpiresAt),
		}}
}

// letter returns the password reset as a letter.
func (r Reset) letter() letter {
	w := wordsOf(r.Language)
	return letter{to: r.To, subject: w.resetSubject, text: w.resetText, page: w.resetPage, values: map[string]string{
		"link": r.Link, "minutes": strconv.Itoa(int(r.Valid / time.Minute)),
	}}
}
