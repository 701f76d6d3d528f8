package oneapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/manifest"
)

// The roles and states of users in the old program.
const (
	roleAdmin   = 10 // this and higher roles are administrators
	userEnabled = 1
	userDeleted = 3
)

// maxNameRunes is the largest length of a tenant's name in Tollgate.
const maxNameRunes = 200

// people creates a tenant for every user, because in the old program every user has
// a separate quota. An administrator of the old program also becomes an operator,
// with a second e-mail address, because operators have neither tokens nor quota.
func (m *importer) people() {
	byUser := map[string][]row{}
	for _, r := range m.dump.Rows["tokens"] {
		byUser[row{r}.text("user_id")] = append(byUser[row{r}.text("user_id")], row{r})
	}
	values := map[string]bool{}
	for _, r := range m.dump.Rows["users"] {
		user := row{r}
		name := cmp.Or(user.text("username"), "user "+user.text("id"))
		tokens := byUser[user.text("id")]
		delete(byUser, user.text("id"))
		if user.deleted() || user.number("status", userEnabled) == userDeleted {
			m.note("user", name, "is deleted and not imported, nor are its %d tokens", len(tokens))
			continue
		}
		m.person(user, name, &tokenReader{importer: m, owner: name, ownGroup: cmp.Or(user.text("group"), defaultGroup),
			values: values, rows: tokens})
	}
	for _, r := range m.dump.Rows["tokens"] {
		if userID := (row{r}).text("user_id"); byUser[userID] != nil {
			m.note("token", cmp.Or(row{r}.text("name"), "token "+row{r}.text("id")),
				"is not imported: there is no user %s", userID)
		}
	}
}

// person converts one user to a tenant. A Tollgate user has one group,
// so tokens of another group belong to a second user of the tenant.
func (m *importer) person(user row, name string, tokens *tokenReader) {
	slug := m.slug(user, name)
	t := manifest.Tenant{Slug: slug, Name: displayName(user, name), Quota: m.wallet(user, name)}
	if user.number("status", userEnabled) != userEnabled {
		status := tenant.Disabled
		t.Status = &status
		m.note("user", name, "is imported as disabled, because the user was disabled")
	}
	email := m.email(user, name, slug)
	userGroup := tokens.ownGroup
	t.Users = []manifest.User{{Email: email, Role: tenant.Owner, Group: userGroup}}
	for _, group := range tokens.groups() {
		m.special(name, userGroup, group)
		member := &t.Users[0]
		if group != userGroup {
			local, domain, _ := strings.Cut(email, "@")
			t.Users = append(t.Users, manifest.User{Email: m.free(local+"+"+plain(group), domain),
				Role: tenant.Member, Group: group})
			member = &t.Users[len(t.Users)-1]
			m.note("user", name, "has tokens of the group %q: in Tollgate they belong to a second user of the same "+
				"tenant, %s", group, member.Email)
		}
		member.Tokens = tokens.read(group)
	}
	m.manifest.Tenants = append(m.manifest.Tenants, t)
	switch admin := user.number("role", 1) >= roleAdmin; {
	case admin && t.Status != nil:
		m.note("user", name, "was an administrator: no operator is created, because the user is disabled")
	case admin:
		m.operator(name, email)
	}
	m.signIn(user, name)
}

// special adds a note for a user who paid a special ratio for tokens of a group.
func (m *importer) special(name, userGroup, group string) {
	ratio := m.ratios.groupFor[userGroup][group]
	if ratio != nil && ratio.Cmp(cmp.Or(m.ratios.group[group], one)) != 0 {
		m.note("user", name, "paid %s times the price for tokens of the group %s: in Tollgate the group's "+
			"multiplier applies", decimal(ratio), group)
	}
}

// operator creates an operator for an administrator of the old program.
func (m *importer) operator(name, email string) {
	local, domain, _ := strings.Cut(email, "@")
	o := manifest.Operator{Email: m.free(local+"+operator", domain), Password: m.Password()}
	m.manifest.Operators = append(m.manifest.Operators, o)
	m.note("user", name, "was an administrator: the operator %s is created too, because operators have neither "+
		"tokens nor quota in Tollgate", o.Email)
}

// wallet returns the remaining quota of the user, in USD.
func (m *importer) wallet(user row, name string) money.Amount {
	units := user.number("quota", 0)
	if units < 0 {
		m.note("user", name, "has a negative quota: the quota starts at 0")
		return 0
	}
	amount, exact := rounded(m.usd(units))
	if !exact {
		m.note("user", name, "the quota is rounded to %s USD", amount)
	}
	if commission := user.number("aff_quota", 0); commission > 0 {
		worth, _ := rounded(m.usd(commission))
		m.note("user", name, "%s USD of quota from invitations are not imported: grant them in the console", worth)
	}
	return amount
}

// links holds the columns with links to accounts elsewhere, which have to be created again.
var links = []string{"github_id", "wechat_id", "lark_id", "oidc_id", "telegram_id", "linux_do_id", "discord_id",
	"stripe_customer"}

// signIn adds notes for the ways to sign in that a user has to set up again.
func (m *importer) signIn(user row, name string) {
	if user.text("password") != "" {
		m.note("user", name, "has no password: create a reset link in the console, or use single sign-on")
	}
	for _, column := range links {
		if user.text(column) != "" {
			m.note("user", name, "the link in %s is not imported", column)
		}
	}
	if user.text("access_token") != "" {
		m.note("user", name, "the access token for the old program's API is not imported: create an access key in "+
			"the console")
	}
}

// displayName returns the name for the tenant: the display name of the user, made valid if necessary.
func displayName(user row, name string) string {
	display := cmp.Or(user.text("display_name"), name)
	if tenant.CheckName(display) == nil {
		return display
	}
	return string([]rune(plain(display))[:min(len([]rune(plain(display))), maxNameRunes)])
}

var unplain = regexp.MustCompile(`[^a-z0-9]+`)

// plain returns the name in lower case with at most 40 ASCII letters, digits and hyphens; never empty.
func plain(name string) string {
	name = strings.Trim(unplain.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return cmp.Or(strings.Trim(name[:min(len(name), 40)], "-"), "x")
}

// slug returns a unique slug for the user's tenant.
func (m *importer) slug(user row, name string) string {
	slug := plain(name)
	if slug == "x" && !strings.EqualFold(name, "x") {
		slug = "user-" + plain(user.text("id"))
	}
	slug = unique(m.slugs, slug, "-", plain(user.text("id")))
	m.slugs[slug] = true
	return slug
}

// email returns the e-mail address of the user, or a new one under Domain if the user has no usable address.
func (m *importer) email(user row, name, slug string) string {
	address := email.Normalize(user.text("email"))
	var reason string
	switch {
	case address == "":
		reason = "has no e-mail address"
	case email.Check(address) != nil:
		reason = "the e-mail address cannot be used"
	case m.emails[address]:
		reason = "another user has the same e-mail address"
	default:
		m.emails[address] = true
		return address
	}
	address = m.free(slug, m.Domain)
	m.note("user", name, "%s: %s is used instead", reason, address)
	return address
}

// free returns an address that no other user has, and marks it as taken.
func (m *importer) free(local, domain string) string {
	email := local + "@" + domain
	for n := 2; m.emails[email]; n++ {
		email = fmt.Sprintf("%s-%d@%s", local, n, domain)
	}
	m.emails[email] = true
	return email
}

// ownFirst returns the user's own group, followed by the other groups in alphabetical order.
func ownFirst(groups map[string]bool, userGroup string) []string {
	list := []string{userGroup}
	for group := range groups {
		if group != userGroup {
			list = append(list, group)
		}
	}
	slices.Sort(list[1:])
	return list
}
