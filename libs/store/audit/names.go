package audit

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// named is a table whose rows have names.
type named struct {
	table, name  string
	tenantColumn string // column with the id of the tenant; "": every tenant may read the names
	platform     bool   // only operators read the names
}

// people returns the table of users, whose names are their addresses.
func people() named { return named{table: "users", name: "address", tenantColumn: "tenant_id"} }

// ofTenant returns a table of what belongs to a tenant.
func ofTenant(table string) named {
	return named{table: table, name: "name", tenantColumn: "tenant_id"}
}

// tableOf returns the table of the targets of the action, by the action's kind.
func tableOf(action string) (named, bool) {
	switch kind, _, _ := strings.Cut(action, "."); kind {
	case "user", "session", "totp", "recovery_code", "recovery_codes", "password_reset", "identity":
		return people(), true
	case "tenant", "quota", "issuer":
		return named{table: "tenants", name: "name", tenantColumn: "id"}, true
	case "token":
		return ofTenant("tokens"), true
	case "group":
		return named{table: "groups", name: "name"}, true
	case "channel":
		return named{table: "channels", name: "name", platform: true}, true
	case "access_key":
		return ofTenant("access_keys"), true
	case "alert_destination":
		return ofTenant("alert_destinations"), true
	case "alert_rule":
		return ofTenant("alert_rules"), true
	case "billing_account":
		return named{table: "billing_accounts", name: "name", platform: true}, true
	default:
		return named{}, false
	}
}

// tableOfField returns the table of the ids in a field of an entry's detail.
func tableOfField(name string) (named, bool) {
	switch name {
	case "user_id":
		return people(), true
	case "group_id", "default_group_id":
		return named{table: "groups", name: "name"}, true
	case "channel_id", "channels":
		return named{table: "channels", name: "name", platform: true}, true
	case "destinations":
		return ofTenant("alert_destinations"), true
	default:
		return named{}, false
	}
}

// Names returns the present names of what the entries mention by id: their targets, and ids in changed fields. It
// leaves out what the scope cannot read, what was deleted, and targets whose ids are names. It sends one statement for
// each kind. It needs the permission ReadAudit.
func (s *Store) Names(ctx context.Context, scope tenant.Scope,
	entries []Entry) (names map[uuid.UUID]string, err error) {
	defer db.Wrap(&err, "read the names in the audit log")

	if err := permission.Check(scope, permission.ReadAudit); err != nil {
		return nil, err
	}
	names = map[uuid.UUID]string{}
	err = s.readAs(ctx, scope, func(in *Store) error {
		for table, ids := range mentioned(entries) {
			if table.platform && !scope.Everywhere() {
				continue
			}
			if err := in.addNames(ctx, scope, table, ids, names); err != nil {
				return err
			}
		}
		return nil
	})
	return names, err
}

// addNames adds the names of the rows with the ids that the scope reaches.
func (s *Store) addNames(ctx context.Context, scope tenant.Scope, source named, ids map[uuid.UUID]struct{},
	names map[uuid.UUID]string) error {
	keys := make([]uuid.UUID, 0, len(ids))
	for id := range ids {
		keys = append(keys, id)
	}
	var rows []struct {
		ID   uuid.UUID
		Name string
	}
	q := s.db.NewSelect().Table(source.table).Column("id").ColumnExpr("? AS name", bun.Ident(source.name)).
		Where("id IN (?)", bun.List(keys))
	if source.tenantColumn != "" && !scope.Everywhere() {
		q = q.Where("? = ?", bun.Ident(source.tenantColumn), scope.Tenant())
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return nil
}

// TenantsOf returns the tenants that have the ids or to which the users, tokens, access keys and clients of tokens with
// the ids belong, each once, and every tenant for no ids. Other ids have none. It is for operators, whose reads the
// console records in the log of each tenant.
func (s *Store) TenantsOf(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (tenants []uuid.UUID, err error) {
	defer db.Wrap(&err, "find the tenants of ids")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		q := in.db.NewSelect().Table("tenants").Column("id")
		if len(ids) == 0 {
			return q.Scan(ctx, &tenants)
		}
		if err := q.Where("id IN (?)", bun.List(ids)).Scan(ctx, &tenants); err != nil {
			return err
		}
		for _, table := range []string{"users", "tokens", "access_keys", "usage_clients"} {
			var part []uuid.UUID
			q := in.db.NewSelect().Table(table).Distinct().Column("tenant_id").Where("id IN (?)", bun.List(ids)).
				Where("tenant_id IS NOT NULL")
			if err := q.Scan(ctx, &part); err != nil {
				return err
			}
			tenants = append(tenants, part...)
		}
		return nil
	})
	slices.SortFunc(tenants, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(tenants), err
}

// Mentions returns the ids in the entry that Names may have names for.
func (e *Entry) Mentions() (ids []uuid.UUID) {
	e.eachMention(func(_ named, id uuid.UUID) { ids = append(ids, id) })
	return ids
}

// mentioned returns the ids in the entries by the tables of their rows.
func mentioned(entries []Entry) map[named]map[uuid.UUID]struct{} {
	ids := map[named]map[uuid.UUID]struct{}{}
	for i := range entries {
		entries[i].eachMention(func(source named, id uuid.UUID) {
			if ids[source] == nil {
				ids[source] = map[uuid.UUID]struct{}{}
			}
			ids[source][id] = struct{}{}
		})
	}
	return ids
}

// eachMention calls do for each id in the entry whose table is known.
func (e *Entry) eachMention(do func(named, uuid.UUID)) {
	mention := func(source named, value any) {
		text, _ := value.(string)
		if id, err := uuid.Parse(text); err == nil && id != uuid.Nil {
			do(source, id)
		}
	}
	if source, ok := tableOf(e.Action); ok {
		mention(source, e.Target)
	}
	for _, fields := range []map[string]any{e.Detail, e.Before} {
		for name, value := range fields {
			source, ok := tableOfField(name)
			if !ok {
				continue
			}
			if list, is := value.([]any); is {
				for _, element := range list {
					mention(source, element)
				}
				continue
			}
			mention(source, value)
		}
	}
}
