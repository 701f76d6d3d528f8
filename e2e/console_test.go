package e2e

import (
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/google/uuid"

	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// console is the console's API, through its generated client, with somebody
// signed in.
type console struct {
	*consoleclient.ClientWithResponses
}

func signIn(t *testing.T, base, email, password string) *console {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := consoleclient.NewClientWithResponses(base, consoleclient.WithHTTPClient(&http.Client{Jar: jar, Timeout: 20 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.CreateSessionWithResponse(testContext(t), consoleclient.SignIn{Email: email, Password: password})
	must(t, got, err)
	return &console{client}
}

// signIn signs in with the password that everyone has.
func (w *world) signIn(t *testing.T, email string) *console {
	t.Helper()
	return signIn(t, w.Console.URL, email, everyonePassword)
}

// must fails the test unless the console did what it was asked for.
func must[R interface {
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

// awaitLog returns the usage log with the id once the console shows it.
func (c *console) awaitLog(t *testing.T, id string) *consoleclient.UsageLogDetail {
	t.Helper()
	var found *consoleclient.UsageLogDetail
	eventually(t, timeToRecord, "usage log "+id+" in the console", func() bool {
		got, err := c.GetUsageLogWithResponse(testContext(t), uuid.MustParse(id))
		if err != nil || got.JSON200 == nil && got.StatusCode() != http.StatusNotFound {
			t.Fatalf("%v: %s", err, got.Body)
		}
		found = got.JSON200
		return found != nil
	})
	return found
}

// whole is the limit for lists that are read in one page.
func whole() *int64 {
	limit := int64(200)
	return &limit
}

// idOf returns the id of the item that is called name.
func idOf[T any](t *testing.T, items []T, is func(*T) (uuid.UUID, string), name string) uuid.UUID {
	t.Helper()
	for i := range items {
		if id, called := is(&items[i]); called == name {
			return id
		}
	}
	t.Fatalf("none of %d is called %q", len(items), name)
	return uuid.Nil
}

func (c *console) token(t *testing.T, name string) uuid.UUID {
	t.Helper()
	got, err := c.ListTokensWithResponse(testContext(t), &consoleclient.ListTokensParams{Limit: whole()})
	must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *consoleclient.Token) (uuid.UUID, string) { return v.Id, v.Name }, name)
}

func (c *console) channel(t *testing.T, name string) uuid.UUID {
	t.Helper()
	got, err := c.ListChannelsWithResponse(testContext(t), &consoleclient.ListChannelsParams{Limit: whole()})
	must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *consoleclient.Channel) (uuid.UUID, string) { return v.Id, v.Name }, name)
}

func (c *console) tenant(t *testing.T, slug string) uuid.UUID {
	t.Helper()
	got, err := c.ListTenantsWithResponse(testContext(t), &consoleclient.ListTenantsParams{Limit: whole()})
	must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *consoleclient.Tenant) (uuid.UUID, string) { return v.Id, v.Slug }, slug)
}

func (c *console) user(t *testing.T, email string) uuid.UUID {
	t.Helper()
	got, err := c.ListUsersWithResponse(testContext(t), &consoleclient.ListUsersParams{Limit: whole()})
	must(t, got, err)
	return idOf(t, got.JSON200.Items, func(v *consoleclient.User) (uuid.UUID, string) { return v.Id, v.Email }, email)
}
