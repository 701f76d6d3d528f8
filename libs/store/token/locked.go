package token

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/field"
)

// lockFields keeps a restriction that an admin sets on the token of another user in force: it records the fields in
// r.Locked that a person of the scope restricts, and removes those that the scope frees. Programs, such as the one that
// applies a manifest, lock nothing. It returns a Forbidden problem if the scope is that of a member, and a changed
// field is locked. Members may still revoke their tokens.
func (r *tokenRow) lockFields(scope tenant.Scope, changes field.Changes) error {
	_, member := scope.OnlyUser()
	for _, name := range changes.Names() {
		at := slices.Index(r.Locked, name)
		switch {
		case !restricts(name), changes[name] == token.Revoked:
		case member && at >= 0:
			return problem.New(problem.Forbidden,
				"An admin has set this field of the token. Ask an admin to change it.").At(name)
		case member:
		case at >= 0 && free(changes[name]):
			r.Locked = slices.Delete(r.Locked, at, at+1)
		case at < 0 && !free(changes[name]) && scope.Actor() != r.UserID && scope.Actor() != uuid.Nil:
			r.Locked = append(r.Locked, name)
		}
	}
	slices.Sort(r.Locked)
	return nil
}

// lockNewFields records the fields that restrict a new token, as lockFields does. A token that replaces another one has
// the restrictions of that one.
func (r *tokenRow) lockNewFields(scope tenant.Scope, n *NewToken) error {
	if n.Replaces != uuid.Nil {
		return nil
	}
	changes := field.Changes{
		"quota": n.Cap, "status": r.Status, "caps.day": n.Caps.Day, "caps.week": n.Caps.Week,
		"caps.month": n.Caps.Month,
		"models":     r.Models, "addresses": r.Addresses, "expires_at": r.ExpiresAt,
	}
	field.NoteRates(changes, n.Limits)
	return r.lockFields(scope, changes)
}

// restricts reports whether the field can take away what a token may do or spend.
func restricts(name string) bool {
	return slices.Contains([]string{"status", "quota", "models", "addresses", "expires_at"}, name) ||
		strings.HasPrefix(name, "caps.") || strings.HasPrefix(name, "limits.")
}

// free reports whether the value of a field that can restrict a token does not.
func free(value any) bool {
	switch value := value.(type) {
	case token.Status:
		return value == token.Enabled
	case *money.Amount:
		return value == nil
	case int64:
		return value == 0
	case []string: // patterns of models
		return len(value) == 0 || slices.Contains(value, "*")
	case []netip.Prefix:
		return len(value) == 0
	case time.Time:
		return value.IsZero()
	}
	return true
}
