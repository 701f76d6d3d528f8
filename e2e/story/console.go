package story

import (
	"net/http"
	"net/http/cookiejar"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/openapi/clients/go/console"
)

// Console is a client of the console's API with a signed-in user. It wraps the generated client.
type Console struct {
	*console.Client
}

// SignIn signs a user in at the console with that base URL.
func SignIn(t *testing.T, base, email, password string) *Console {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := console.NewClient(base, console.WithHTTPClient(&http.Client{Jar: jar, Timeout: Patience}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.CreateSession(Context(t), console.SignIn{Email: email, Password: password})
	Must(t, got, err)
	return &Console{client}
}

// Must fails the test if err is not nil or the console's answer is not a success.
func Must[R interface {
	StatusCode() int
	Status() string
}](t *testing.T, result R, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if result.StatusCode() >= 300 {
		t.Fatalf("%T: %s: %+v", result, result.Status(), result)
	}
}

// AwaitLog waits until the console shows the usage log with the id, and returns it.
func (c *Console) AwaitLog(t *testing.T, id string) *console.UsageLogDetail {
	t.Helper()
	var entry *console.UsageLogDetail
	Eventually(t, Patience, "usage log "+id+" in the console", func() bool {
		got, err := c.GetUsageLog(Context(t), uuid.MustParse(id))
		if err != nil || got.JSON200 == nil && got.StatusCode() != http.StatusNotFound {
			t.Fatalf("%v: %s", err, got.Body)
		}
		entry = got.JSON200
		return entry != nil
	})
	return entry
}

// pageLimit returns the limit for lists that are read in one page.
func pageLimit() *int64 {
	limit := int64(200)
	return &limit
}

// idOf returns the id of the item with that name. It fails the test if there is none.
func idOf[T any](t *testing.T, items []T, is func(*T) (uuid.UUID, string), name string) uuid.UUID {
	t.Helper()
	for i := range items {
		if id, itsName := is(&items[i]); itsName == name {
			return id
		}
	}
	t.Fatalf("no item of %d has the name %q", len(items), name)
	return uuid.Nil
}

// Token returns the id of the token with that name.
func (c *Console) Token(t *testing.T, name string) uuid.UUID {
	t.Helper()
	got, err := c.ListTokens(Context(t), &console.ListTokensParams{Limit: pageLimit()})
	Must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *console.Token) (uuid.UUID, string) { return v.Id, v.Name }, name)
}

// Channel returns the id of the channel with that name.
func (c *Console) Channel(t *testing.T, name string) uuid.UUID {
	t.Helper()
	got, err := c.ListChannels(Context(t), &console.ListChannelsParams{Limit: pageLimit()})
	Must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *console.Channel) (uuid.UUID, string) { return v.Id, v.Name }, name)
}

// Tenant returns the id of the tenant with that slug.
func (c *Console) Tenant(t *testing.T, slug string) uuid.UUID {
	t.Helper()
	got, err := c.ListTenants(Context(t), &console.ListTenantsParams{Limit: pageLimit()})
	Must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *console.Tenant) (uuid.UUID, string) { return v.Id, v.Slug }, slug)
}

// User returns the id of the user with that email address.
func (c *Console) User(t *testing.T, email string) uuid.UUID {
	t.Helper()
	got, err := c.ListUsers(Context(t), &console.ListUsersParams{Limit: pageLimit()})
	Must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *console.User) (uuid.UUID, string) { return v.Id, v.Email }, email)
}
