package oneapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/manifest"
)

// The roles and states of users there.
const (
	roleAdmin    = 10 // and above
	userEnabled  = 1
	userDeleted  = 3
	maxNameRunes = 200
)

// people makes a tenant of every user: there each has a quota of his own.
// Whoever administers the old program is an operator too, under an address of
// its own, for an operator has neither tokens nor quota.
func (m *importer) people() {
	byUser := map[string][]row{}
	for _, r := range m.dump.Rows["tokens"] {
		byUser[row{r}.text("user_id")] = append(byUser[row{r}.text("user_id")], row{r})
	}
	values := map[string]bool{}
	for _, r := range m.dump.Rows["users"] {
		user := row{r}
		name := nameOr(user.text("username"), "user "+user.text("id"))
		tokens := byUser[user.text("id")]
		delete(byUser, user.text("id"))
		if user.deleted() || user.number("status", userEnabled) == userDeleted {
			m.note("user", name, "is deleted and not carried over, and neither are the %d tokens", len(tokens))
			continue
		}
		m.person(user, name, &tokenReader{importer: m, of: name, own: nameOr(user.text("group"), defaultGroup), values: values, rows: tokens})
	}
	for _, r := range m.dump.Rows["tokens"] {
		if of := (row{r}).text("user_id"); byUser[of] != nil {
			m.note("token", nameOr(row{r}.text("name"), "token "+row{r}.text("id")), "is not carried over: there is no user %s", of)
		}
	}
}

func (m *importer) person(user row, name string, tokens *tokenReader) {
	slug := m.slug(user, name)
	t := manifest.Tenant{Slug: slug, Name: displayName(user, name), Quota: m.wallet(user, name)}
	if user.number("status", userEnabled) != userEnabled {
		disabled := tenant.Disabled
		t.Status = &disabled
		m.note("user", name, "is carried over disabled, as it was")
	}
	email := m.email(user, name, slug)
	own := tokens.own
	t.Users = []manifest.User{{Email: email, Role: tenant.Owner, Group: own}}
	for _, group := range tokens.groups() {
		m.special(name, own, group)
		of := &t.Users[0]
		if group != own {
			local, domain, _ := strings.Cut(email, "@")
			t.Users = append(t.Users, manifest.User{Email: m.free(local+"+"+plain(group), domain), Role: tenant.Member, Group: group})
			of = &t.Users[len(t.Users)-1]
			m.note("user", name, "has tokens of the group %q: they belong to a second user of the same tenant, %s", group, of.Email)
		}
		of.Tokens = tokens.read(group)
	}
	m.manifest.Tenants = append(m.manifest.Tenants, t)
	switch admin := user.number("role", 1) >= roleAdmin; {
	case admin && t.Status != nil:
		m.note("user", name, "administered the old program, and no operator is made: the user is disabled")
	case admin:
		m.operator(name, email)
	}
	m.bonds(user, name)
}

// special tells of a user who pays another ratio for a group than others do.
func (m *importer) special(name, own, group string) {
	ratio := m.ratios.groupFor[own][group]
	if ratio != nil && ratio.Cmp(or(m.ratios.group[group], one)) != 0 {
		m.note("user", name, "paid %s times the price in the group %s there: here it is the group's own multiplier", decimal(ratio), group)
	}
}

// operator makes an operator of who administers the old program.
func (m *importer) operator(name, email string) {
	local, domain, _ := strings.Cut(email, "@")
	o := manifest.Operator{Email: m.free(local+"+operator", domain), Password: m.Password()}
	m.manifest.Operators = append(m.manifest.Operators, o)
	m.note("user", name, "administers the old program: an operator %s is made too, for operators have neither tokens nor quota here", o.Email)
}

// wallet is what the user has left there.
func (m *importer) wallet(user row, name string) money.Amount {
	units := user.number("quota", 0)
	if units < 0 {
		m.note("user", name, "owes quota there; the wallet begins at nothing")
		return 0
	}
	amount, exact := rounded(m.usd(units))
	if !exact {
		m.note("user", name, "the wallet is rounded to %s USD", amount)
	}
	if earned := user.number("aff_quota", 0); earned > 0 {
		worth, _ := rounded(m.usd(earned))
		m.note("user", name, "%s USD earned by invitations and not yet moved to the wallet are not carried over: grant them in the console", worth)
	}
	return amount
}

// links are ways to sign in, and other ties, that have to be made anew.
var links = []string{"github_id", "wechat_id", "lark_id", "oidc_id", "telegram_id", "linux_do_id", "discord_id", "stripe_customer"}

// bonds tells of what a user has to do again.
func (m *importer) bonds(user row, name string) {
	if user.text("password") != "" {
		m.note("user", name, "has no password here: make a reset link in the console, or let single sign-on do it")
	}
	for _, column := range links {
		if user.text(column) != "" {
			m.note("user", name, "the link by %s is not carried over", column)
		}
	}
	if user.text("access_token") != "" {
		m.note("user", name, "the access token for the old program's own API is not carried over: make an access key in the console")
	}
}

func displayName(user row, name string) string {
	shown := nameOr(user.text("display_name"), name)
	if tenant.CheckName(shown) == nil {
		return shown
	}
	return string([]rune(plain(shown))[:min(len([]rune(plain(shown))), maxNameRunes)])
}

var unplain = regexp.MustCompile(`[^a-z0-9]+`)

// plain keeps letters and digits of ASCII.
func plain(name string) string {
	name = strings.Trim(unplain.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return nameOr(strings.Trim(name[:min(len(name), 40)], "-"), "x")
}

func (m *importer) slug(user row, name string) string {
	slug := plain(name)
	if slug == "x" && !strings.EqualFold(name, "x") {
		slug = "user-" + plain(user.text("id"))
	}
	if m.slugs[slug] {
		slug = strings.ReplaceAll(unique(m.slugs, slug, plain(user.text("id"))), " ", "-")
	}
	m.slugs[slug] = true
	return slug
}

// email is the user's own address where it can be used.
func (m *importer) email(user row, name, slug string) string {
	email := strings.ToLower(user.text("email"))
	var why string
	switch {
	case email == "":
		why = "has no e-mail address"
	case tenant.CheckEmail(email) != nil:
		why = "the e-mail address cannot be used"
	case m.emails[email]:
		why = "another user has the same e-mail address"
	default:
		m.emails[email] = true
		return email
	}
	email = m.free(slug, m.Domain)
	m.note("user", name, "%s: %s stands in for it", why, email)
	return email
}

// free makes an address that nobody has.
func (m *importer) free(local, domain string) string {
	email := local + "@" + domain
	for n := 2; m.emails[email]; n++ {
		email = fmt.Sprintf("%s-%d@%s", local, n, domain)
	}
	m.emails[email] = true
	return email
}

// firsts are the groups in the order in which they are to be read: the user's own
// before others.
func firsts(groups map[string]bool, own string) []string {
	list := []string{own}
	for group := range groups {
		if group != own {
			list = append(list, group)
		}
	}
	slices.Sort(list[1:])
	return list
}
