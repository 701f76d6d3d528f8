package metering

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// addAttribution adds an event to the sums of its end user and of its tags.
func (m *movement) addAttribution(log *usage.Log) {
	if log.EndUser == "" && log.Tags == "" {
		return
	}
	if m.attribution == nil {
		m.attribution = map[rollup.AttributionKey]*rollup.AttributionSums{}
	}
	m.attribute(log, rollup.EndUsers, log.EndUser)
	for name, value := range log.Tags.Map() {
		if attribution.ValidName(name) {
			m.attribute(log, name, value)
		}
	}
}

// attribute adds an event to the sums of one value of a name.
func (m *movement) attribute(log *usage.Log, name, value string) {
	key := rollup.AttributionKey{Start: log.CreatedAt.UTC().Truncate(24 * time.Hour), TenantID: log.TenantID,
		Name: name, Value: field.Clean(value)}
	if key.Value == "" {
		return
	}
	sums := m.attribution[key]
	if sums == nil {
		sums = &rollup.AttributionSums{}
		m.attribution[key] = sums
	}
	sums.Merge(rollup.AttributionSums{Requests: 1, InputTokens: log.Usage.InputTotal(),
		OutputTokens: log.Usage.OutputTotal(), Quota: log.Quota})
}

// attributionOutbox returns the rows for the outbox of attribution. For each tenant and day these are at most
// rollup.MaxTagNames tags, those with the most calls, and rollup.MaxBatchValues values, those with the most quota. The
// usage of other values counts for the name without a value, that of other tags for rollup.OtherTags.
func (m *movement) attributionOutbox() []rollup.AttributionOutboxRow {
	days := map[rollup.AttributionKey][]rollup.AttributionKey{} // by tenant and day
	for key := range m.attribution {
		day := rollup.AttributionKey{Start: key.Start, TenantID: key.TenantID}
		days[day] = append(days[day], key)
	}
	var rows []rollup.AttributionOutboxRow
	for _, keys := range days {
		for key, sums := range m.bounded(keys) {
			rows = append(rows, rollup.AttributionOutboxRowOf(key, *sums))
		}
	}
	return rows
}

// bounded returns the sums of the keys, which are those of one tenant and day, within the bounds of attributionOutbox.
func (m *movement) bounded(keys []rollup.AttributionKey) map[rollup.AttributionKey]*rollup.AttributionSums {
	keep := keptTags(keys, m.attribution)
	slices.SortFunc(keys, func(a, b rollup.AttributionKey) int {
		return cmp.Or(cmp.Compare(m.attribution[b].Quota, m.attribution[a].Quota), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Value, b.Value))
	})
	result, values := map[rollup.AttributionKey]*rollup.AttributionSums{}, 0
	for _, key := range keys {
		sums := m.attribution[key]
		switch {
		case key.Name != rollup.EndUsers && !keep[key.Name]:
			key.Name, key.Value = rollup.OtherTags, ""
		case values < rollup.MaxBatchValues:
			values++
		default:
			key.Value = ""
		}
		if result[key] == nil {
			result[key] = &rollup.AttributionSums{}
		}
		result[key].Merge(*sums)
	}
	return result
}

// keptTags returns the rollup.MaxTagNames tags with the most calls.
func keptTags(keys []rollup.AttributionKey, sums map[rollup.AttributionKey]*rollup.AttributionSums) map[string]bool {
	calls := map[string]int64{}
	for _, key := range keys {
		if key.Name != rollup.EndUsers {
			calls[key.Name] += sums[key].Requests
		}
	}
	names := slices.SortedFunc(maps.Keys(calls),
		func(a, b string) int { return cmp.Or(cmp.Compare(calls[b], calls[a]), cmp.Compare(a, b)) })
	keep := map[string]bool{}
	for _, name := range names[:min(len(names), rollup.MaxTagNames)] {
		keep[name] = true
	}
	return keep
}

// attributionArrays returns the rows of the outbox of attribution column by column, as arguments of hot.attribution.
func (m *movement) attributionArrays() []any {
	rows := m.attributionOutbox()
	n := len(rows)
	starts, tenants := make([]pgtype.Timestamptz, n), make([]pgtype.UUID, n)
	names, values := make([]string, n), make([]string, n)
	requests, input, output, quota := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range rows {
		r := &rows[i]
		starts[i], tenants[i], names[i], values[i] = pgtype.Timestamptz{Time: r.Start, Valid: true},
			pgID(r.TenantID), r.Name, r.Value
		requests[i], input[i], output[i], quota[i] = r.Requests, r.InputTokens, r.OutputTokens, int64(r.Quota)
	}
	return []any{starts, tenants, names, values, requests, input, output, quota}
}

// The bounds of an AttributionQuery.
const (
	MaxAttributionDays  = 366
	MaxAttributionItems = rollup.KeptValues
)

// AttributionQuery selects the usage of a tenant by the values of a tag, or by end user.
type AttributionQuery struct {
	TenantID uuid.UUID // operators must name one
	Tag      string    // name of the tag; "": end users
	From, To time.Time // beginnings of days in UTC, up to MaxAttributionDays apart
	Limit    int       // values in the answer, up to MaxAttributionItems
}

// Attribution is the usage of a tenant by the values of a tag, or by end user.
type Attribution struct {
	Items []AttributedUsage      // the largest values by quota, then by requests
	Other rollup.AttributionSums // calls with the tag, or with an end user, that are not in Items
	Tags  []TagUsage             // all tags of the range, by quota; at most MaxAttributionItems
	// Beyond is the usage of the days' tags beyond rollup.MaxTagNames. A call counts once for each such tag.
	Beyond rollup.AttributionSums
}

// AttributedUsage is the usage of one value.
type AttributedUsage struct {
	Value string `bun:"value"`
	rollup.AttributionSums
}

// TagUsage is the usage of all calls with a tag of the name.
type TagUsage struct {
	Name string `bun:"name"`
	rollup.AttributionSums
}

// check returns a problem of an invalid field.
func (query *AttributionQuery) check() error {
	switch days := query.To.Sub(query.From).Hours() / 24; {
	case query.TenantID == uuid.Nil:
		return problem.New(problem.InvalidType, "tenant_id is missing. Operators must name a tenant.").At("tenant_id")
	case query.Tag != "" && !attribution.ValidName(query.Tag):
		return problem.New(problem.InvalidType,
			"tag must be a name of 1 to %d of the characters a-z, 0-9, '_' and '-'.", attribution.MaxName).At("tag")
	case days <= 0:
		return problem.New(problem.InvalidType, "The range is empty: from must be before to.").At("from")
	case days > MaxAttributionDays:
		return problem.New(problem.InvalidType, "The range must have at most %d days.", MaxAttributionDays).At("from")
	case query.Limit < 1 || query.Limit > MaxAttributionItems:
		return problem.New(problem.InvalidType, "limit must be 1 to %d.", MaxAttributionItems).At("limit")
	}
	return nil
}

// Attribution sums the usage of a tenant by tag or end user. Members may not read it, because it has the usage of all
// users. Usage appears when a worker has drained the outbox, usually after seconds.
func (s *Store) Attribution(ctx context.Context, scope tenant.Scope,
	query AttributionQuery) (result Attribution, err error) {
	defer db.Wrap(&err, "read usage attribution")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return Attribution{}, err
	}
	var user uuid.UUID
	if _, isUser := scope.OnlyUser(); isUser {
		return Attribution{}, problem.Of(problem.Forbidden)
	}
	if _, err := db.Narrow(scope, &query.TenantID, &user); err != nil {
		return Attribution{}, err
	}
	if err := query.check(); err != nil {
		return Attribution{}, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error { return query.read(ctx, in, &result) })
	return result, err
}

// read fills in the answer.
func (query *AttributionQuery) read(ctx context.Context, in *Store, result *Attribution) error {
	name := cmp.Or(query.Tag, rollup.EndUsers)
	if err := query.sums(in, "value").Where("r.name = ? AND r.value <> ''", name).Limit(int64(query.Limit)).
		Scan(ctx, &result.Items); err != nil {
		return err
	}
	// A day has one row of each name with the value "". Two rows more, for end users and for the tags beyond the bound.
	var names []TagUsage
	if err := query.sums(in, "name").Where("r.value = ''").Scan(ctx, &names); err != nil {
		return err
	}
	for _, group := range names {
		if group.Name == name {
			result.Other = group.AttributionSums
		}
		switch {
		case group.Name == rollup.OtherTags:
			result.Beyond = group.AttributionSums
		case group.Name != rollup.EndUsers && len(result.Tags) < MaxAttributionItems:
			result.Tags = append(result.Tags, group)
		}
	}
	for i := range result.Items {
		result.Other.Merge(result.Items[i].negative())
	}
	return nil
}

// negative returns the sums with the opposite sign.
func (u *AttributedUsage) negative() rollup.AttributionSums {
	return rollup.AttributionSums{Requests: -u.Requests, InputTokens: -u.InputTokens, OutputTokens: -u.OutputTokens,
		Quota: -u.Quota}
}

// sums selects the sums of the tenant and range by a column, the largest first.
func (query *AttributionQuery) sums(in *Store, group string) *bun.SelectQuery {
	q := in.db.NewSelect().TableExpr("? AS r", bun.Ident(rollup.AttributionTable)).ColumnExpr("r.?", bun.Ident(group))
	for _, column := range rollup.AttributionColumns()[rollup.AttributionSumsFrom:] {
		q = q.ColumnExpr("CAST(sum(r.?0) AS bigint) AS ?0", bun.Ident(column))
	}
	return q.Where("r.tenant_id = ? AND r.start >= ? AND r.start < ?", query.TenantID, query.From.UTC(),
		query.To.UTC()).
		GroupExpr("r.?", bun.Ident(group)).OrderExpr("quota DESC, requests DESC, r.?", bun.Ident(group))
}

// dropAttribution deletes the sums by attribution of days before limit, in batches: values can be personal data, so
// they live no longer than the usage logs.
func (s *Store) dropAttribution(ctx context.Context, limit time.Time) error {
	for range dropBatches {
		if rows, err := s.dropOldestAttribution(ctx, limit); err != nil || rows < dropBatch {
			return err
		}
	}
	return nil
}

// dropOldestAttribution deletes one batch of dropAttribution.
func (s *Store) dropOldestAttribution(ctx context.Context, limit time.Time) (rows int64, err error) {
	table, key := bun.Ident(rollup.AttributionTable), bun.List([]bun.Ident{"tenant_id", "name", "start", "value"})
	err = s.atomically(ctx, func(tx *Store) error {
		oldest := tx.db.NewSelect().TableExpr("?", table).ColumnExpr("?", key).Where("start < ?", limit.UTC()).
			OrderExpr("start").Limit(dropBatch)
		result, err := tx.db.NewDelete().TableExpr("?", table).Where("(?) IN (?)", key, oldest).Exec(ctx)
		if err != nil {
			return err
		}
		rows, err = result.RowsAffected()
		return err
	})
	return rows, err
}
