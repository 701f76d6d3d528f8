package e2e

import (
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// signIn signs a user in with the password that all users have.
func (w *testbed) signIn(t *testing.T, email string) *story.Console {
	t.Helper()
	return story.SignIn(t, w.Console.URL, email, everyonePassword)
}
