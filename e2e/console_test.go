package e2e

import (
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// signIn signs in with the password that everyone has.
func (w *world) signIn(t *testing.T, email string) *story.Console {
	t.Helper()
	return story.SignIn(t, w.Console.URL, email, everyonePassword)
}
