package erase

import (
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/person"
)

// revoked is the status that tokens of an erased user get.
const revoked = token.Revoked

// subject is the user, or the tenant without a user, whose data is erased.
type subject struct {
	user    uuid.UUID // uuid.Nil: the tenant
	tenant  uuid.UUID // uuid.Nil: the user is an operator
	address string
}

// ofTenant returns the tenant as a parameter that is null for operators.
func (s subject) ofTenant() uuid.NullUUID {
	return uuid.NullUUID{UUID: s.tenant, Valid: s.tenant != uuid.Nil}
}

// rule deletes rows of a table, or changes them if set is not "". In where and set, ?0 is the id of the user, ?1 the
// address, ?2 the tenant or null, and ?3 the address that the user has afterwards. An index serves each where.
type rule struct{ what, table, set, where string }

// inTenant is the condition for rows of the tenant, or of no tenant. No index serves IS NOT DISTINCT FROM.
const inTenant = "(tenant_id = ?2 OR ?2 IS NULL AND tenant_id IS NULL)"

// ofUser holds the rules for the data of a user, besides tokens, alerts, mails and the row of the user.
var ofUser = [...]rule{
	{what: "sessions", table: "sessions", where: "user_id = ?0"},
	{what: "unfinished sign-ins", table: "challenges", where: "user_id = ?0"},
	{what: "password resets", table: "password_resets", where: "user_id = ?0"},
	{what: "passkeys", table: "passkeys", where: "user_id = ?0"},
	{what: "authenticator apps", table: "totps", where: "user_id = ?0"},
	{what: "recovery codes", table: "recovery_codes", where: "user_id = ?0"},
	{what: "identities at issuers", table: "identities", where: "user_id = ?0"},
	{what: "access keys", table: "access_keys", where: "user_id = ?0"},
	{what: "invitations", table: "invitations", where: inTenant + " AND (user_id = ?0 OR email = ?1)"},
	// An operator invites people to tenants. To find these invitations takes a scan: there are few, and few operators
	// are erased.
	{what: "names in invitations", table: "invitations", set: "inviter = ?3",
		where: "inviter = ?1 AND ?1 <> ?3 AND (?2 IS NULL OR tenant_id = ?2)"},
	{what: "stored responses", table: "responses", where: "tenant_id = ?2 AND user_id = ?0"}, // operators have none
	{what: "kept answers", table: "idempotency_keys", where: "token_id IN (SELECT id FROM tokens WHERE user_id = ?0)"},
	{what: "refused calls", table: "refused_calls", where: "user_id = ?0"},
	{what: "clients of tokens", table: "usage_clients", where: "user_id = ?0"},
	{what: "jobs and exports", table: "jobs", where: "user_id = ?0"}, // the foreign key deletes their files
}

// ofTenant holds the rules for the data of a tenant without users, besides the name and the slug.
var ofTenant = [...]rule{
	{what: "invitations", table: "invitations", where: "tenant_id = ?2"},
	{what: "issuers", table: "issuers", where: "tenant_id = ?2"},
	{what: "domains", table: "issuer_domains", where: "tenant_id = ?2"},
	{what: "alerts", table: "alerts", where: "tenant_id = ?2"},
	{what: "alert rules", table: "alert_rules", where: "tenant_id = ?2"},
	{what: "alert destinations", table: "alert_destinations", where: "tenant_id = ?2"},
	{what: "waiting mails", table: "mails", where: "tenant_id = ?2"},
	{what: "kept answers", table: "idempotency_keys",
		where: "token_id IN (SELECT id FROM tokens WHERE tenant_id = ?2)"},
	{what: "stored responses", table: "responses", where: "tenant_id = ?2"},
	{what: "refused calls", table: "refused_calls", where: "tenant_id = ?2"},
	{what: "clients of tokens", table: "usage_clients", where: "tenant_id = ?2"},
	{what: "jobs and exports", table: "jobs", where: "user_id IN (SELECT id FROM users WHERE tenant_id = ?2)"},
}

// apply runs the rules and counts the rows.
func (s *Store) apply(ctx context.Context, rules []rule, who subject, result *Erased) error {
	values := []any{who.user, who.address, who.ofTenant(), person.ErasedEmail(who.user)}
	for _, r := range rules {
		statement := "DELETE FROM " + r.table
		if r.set != "" {
			statement = "UPDATE " + r.table + " SET " + r.set
		}
		n, err := affected(s.db.NewRaw(statement+" WHERE "+r.where, values...).Exec(ctx))
		if err != nil {
			return err
		}
		result.add(r.what, n)
	}
	return nil
}
