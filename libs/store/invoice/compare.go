package invoice

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	// lateDays is the number of days whose usage logs are added up again with each comparison: relays that could not
	// reach the database record usage later.
	lateDays = 3
	// compareDays is the number of days that one call of Compare compares at most.
	compareDays = 40
	// retentionDays is the age in days at which charges and comparisons are deleted.
	retentionDays = 800
	// failedPage is the number of usage logs that are read at once.
	failedPage = 500
	// statementTime bounds each statement that reads the usage logs of a day.
	statementTime = 2 * time.Minute
)

// ownRow is a row of supplier_own.
type ownRow struct {
	bun.BaseModel `bun:"table:supplier_own,alias:r"`

	AccountID    uuid.UUID    `bun:"account_id,pk,type:uuid"`
	Day          string       `bun:"day,pk"`
	Model        string       `bun:"model,pk"`
	Key          string       `bun:"key,pk"`
	Cost         money.Amount `bun:"cost"`
	InputTokens  int64        `bun:"input_tokens"`
	OutputTokens int64        `bun:"output_tokens"`
	Requests     int64        `bun:"requests"`
	Unpriced     int64        `bun:"unpriced"`
	Estimated    int64        `bun:"estimated"`
}

func (r ownRow) core() invoice.Own {
	return invoice.Own{
		Model: r.Model, Key: r.Key, Cost: r.Cost, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
		Requests: r.Requests, Unpriced: r.Unpriced, Estimated: r.Estimated,
	}
}

// resultRow is a row of supplier_days with the result of the comparison.
type resultRow struct {
	dayRow `bun:",extend"`

	ComparedAt time.Time      `bun:"compared_at,nullzero"`
	Status     invoice.Status `bun:"status,nullzero"`
	Reason     invoice.Reason `bun:"reason,nullzero"`
	Amount     *money.Amount  `bun:"amount"`
	OwnCost    money.Amount   `bun:"own_cost,nullzero"`
	Difference money.Amount   `bun:"difference,nullzero"`
	Requests   int64          `bun:"requests,nullzero"`
	Unpriced   int64          `bun:"unpriced,nullzero"`
}

// Result is the stored result of the comparison of one day.
type Result struct {
	AccountID  uuid.UUID
	Day        invoice.Day
	Status     invoice.Status
	Reason     invoice.Reason
	Amount     *money.Amount // of the provider; nil: it states none
	OwnCost    money.Amount
	Difference money.Amount
	Requests   int64     // of our usage logs
	Unpriced   int64     // of these, without a supplier cost
	FetchedAt  time.Time // zero: the provider has not reported the day
	ComparedAt time.Time
}

func (r resultRow) core() Result {
	result := Result{
		AccountID: r.AccountID, Day: invoice.Day(r.Day), Status: r.Status, Reason: r.Reason, Amount: r.Amount,
		OwnCost:    r.OwnCost,
		Difference: r.Difference, Requests: r.Requests, Unpriced: r.Unpriced, ComparedAt: r.ComparedAt.UTC(),
	}
	if !r.FetchedAt.IsZero() {
		result.FetchedAt = r.FetchedAt.UTC()
	}
	return result
}

// Compare (system scope) compares the days of an account that changed since their last comparison, the newest first,
// and the last completed days, for which usage logs may arrive late. It returns whether there are more days to compare.
// Each day is a transaction of its own. Days whose usage logs were deleted keep their result.
func (s *Store) Compare(ctx context.Context, scope tenant.Scope, id uuid.UUID) (more bool, err error) {
	defer db.Wrap(&err, "compare supplier charges")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	account, err := s.Account(ctx, scope, id)
	if err != nil {
		return false, err
	}
	days, err := s.dueDays(ctx, &account)
	if err != nil {
		return false, err
	}
	for _, due := range days[:min(len(days), compareDays)] {
		var own []invoice.Own
		if due.late {
			if own, err = s.ownOf(ctx, &account, due.day); err != nil {
				return false, err
			}
		}
		if err := s.compareDay(ctx, &account, due, own); err != nil {
			return false, err
		}
	}
	if len(days) > compareDays {
		return true, nil
	}
	return false, s.forget(ctx, id)
}

// dueDay is a day to compare.
type dueDay struct {
	day  invoice.Day
	late bool // our usage logs must be added up again: they may have changed, or the account has
}

// dueDays returns the days to compare, the newest first.
func (s *Store) dueDays(ctx context.Context, a *invoice.Account) ([]dueDay, error) {
	today := invoice.DayOf(s.db.Now())
	firstDay := today.Add(-retentionDays)
	var droppedBefore sql.NullTime
	err := s.db.NewSelect().Table("usage_retention").Column("dropped_before").Where("id = 1").Scan(ctx, &droppedBefore)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	if droppedBefore.Valid {
		firstDay = max(firstDay, invoice.DayOf(droppedBefore.Time).Add(1))
	}
	var rows []resultRow
	err = s.db.NewSelect().Model(&rows).Column("day", "compared_at").Where("account_id = ?", a.ID).
		Where("day >= ?", string(firstDay)).Where("day < ?", string(today)).
		Where("compared_at IS NULL OR compared_at < fetched_at OR compared_at < ?", a.UpdatedAt).Scan(ctx)
	if err != nil {
		return nil, err
	}
	due := map[invoice.Day]bool{}
	for i := range rows {
		day := invoice.Day(rows[i].Day)
		due[day] = rows[i].ComparedAt.Before(a.UpdatedAt) || rows[i].ComparedAt.Before(day.Add(1+lateDays).Start())
	}
	if a.Provider != invoice.Upload { // people upload files when they like: nothing is missing before
		for n := 1; n <= lateDays && today.Add(-n) >= firstDay; n++ {
			due[today.Add(-n)] = true
		}
	}
	days := make([]dueDay, 0, len(due))
	for day, isLate := range due {
		days = append(days, dueDay{day, isLate})
	}
	slices.SortFunc(days, func(a, b dueDay) int { return strings.Compare(string(b.day), string(a.day)) })
	return days, nil
}

// compareDay stores the result of the comparison of a day, and our sums of it if they were added up again. The lock on
// the account keeps a report from being stored meanwhile.
func (s *Store) compareDay(ctx context.Context, a *invoice.Account, due dueDay, own []invoice.Own) error {
	day := due.day
	return s.atomically(ctx, func(tx *Store) error {
		var account accountRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&account).Where("id = ?", a.ID)).Scan(ctx); err != nil {
			return db.Missing(err, "billing account")
		}
		if !account.UpdatedAt.Equal(a.UpdatedAt) { // the sums may be those of other channels: the day is still due
			return nil
		}
		charges, err := tx.charges(ctx, a.ID, day)
		if err != nil {
			return err
		}
		row := resultRow{dayRow: dayRow{AccountID: a.ID, Day: string(day)}}
		if err := tx.db.NewSelect().Model(&row).WherePK().Scan(ctx); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if due.late {
			err = tx.replaceOwn(ctx, a.ID, day, own)
		} else {
			own, err = tx.own(ctx, a.ID, day)
		}
		if err != nil {
			return err
		}
		c := invoice.Compare(a, reported(&row, charges), charges, own)
		row.ComparedAt, row.Status, row.Reason, row.Amount = tx.db.Now(), c.Status, c.Reason, c.Provider.Amount
		row.OwnCost, row.Difference, row.Requests, row.Unpriced = c.Own.Cost, c.Difference,
			c.Own.Requests, c.Own.Unpriced
		q := tx.db.NewInsert().Model(&row).On("CONFLICT (account_id, day) DO UPDATE")
		for _, column := range []string{"compared_at", "status", "reason", "amount", "own_cost", "difference",
			"requests", "unpriced"} {
			q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		_, err = q.Exec(ctx)
		return err
	})
}

// settled is the time after the end of a day from which a report without charges is believed. Before, the provider may
// not have added up the day yet.
const settled = 48 * time.Hour

// reported reports whether the provider has reported the amounts of the row's day. It can report tokens before.
func reported(row *resultRow, charges []invoice.Charge) bool {
	end := invoice.Day(row.Day).Add(1).Start()
	stated := slices.ContainsFunc(charges, func(c invoice.Charge) bool { return c.Amount != nil })
	return !row.FetchedAt.IsZero() && (stated || row.FetchedAt.Sub(end) >= settled)
}

// own returns the stored sums of a day.
func (s *Store) own(ctx context.Context, id uuid.UUID, day invoice.Day) ([]invoice.Own, error) {
	var rows []ownRow
	err := s.db.NewSelect().Model(&rows).Where("account_id = ?", id).Where("day = ?", string(day)).Scan(ctx)
	return field.Map(rows, ownRow.core), err
}

// replaceOwn stores our sums of a day.
func (s *Store) replaceOwn(ctx context.Context, id uuid.UUID, day invoice.Day, own []invoice.Own) error {
	if _, err := s.db.NewDelete().Model((*ownRow)(nil)).Where("account_id = ?", id).Where("day = ?", string(day)).
		Exec(ctx); err != nil {
		return err
	}
	rows := field.Map(own, func(o invoice.Own) ownRow {
		return ownRow{
			AccountID: id, Day: string(day), Model: o.Model, Key: o.Key, Cost: o.Cost, InputTokens: o.InputTokens,
			OutputTokens: o.OutputTokens,
			Requests:     o.Requests, Unpriced: o.Unpriced, Estimated: o.Estimated,
		}
	})
	for part := range slices.Chunk(rows, insertRows) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes what is older than retentionDays.
func (s *Store) forget(ctx context.Context, id uuid.UUID) error {
	before := string(invoice.DayOf(s.db.Now()).Add(-retentionDays))
	return s.atomically(ctx, func(tx *Store) error {
		for _, row := range []any{(*chargeRow)(nil), (*ownRow)(nil), (*dayRow)(nil)} {
			if _, err := tx.db.NewDelete().Model(row).Where("account_id = ?", id).Where("day < ?", before).
				Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// The sums of tokens of a usage log over the classes.
var inputTokens, outputTokens = sumOf(false), sumOf(true)

// sumOf returns the sum of the columns of the output classes, or of the input classes.
func sumOf(output bool) string { //nolint:revive // output is a side of a call, not a mode
	var columns []string
	for i := range usage.Classes {
		if c := &usage.Classes[i]; c.Output == output {
			columns = append(columns, "r."+c.Column())
		}
	}
	return strings.Join(columns, " + ")
}

// answered is the condition for a usage log whose last attempt the upstream may have charged. The cost of any other log
// is that of its earlier attempts alone.
var answered = "r.outcome <> 'failed' OR " + inputTokens + " + " + outputTokens + " > 0"

// logsOf returns a query for the usage logs of a UTC day.
func (s *Store) logsOf(day invoice.Day) *bun.SelectQuery {
	return field.CreatedBetween(s.db.NewSelect().TableExpr("usage_logs AS r"), day.Start(), day.Add(1).Start())
}

// ownOf adds up the supplier costs of a day that the account's channels caused, by upstream model and credential. It
// reads one state of the usage logs. The database ends a statement that takes too long, even if the worker was killed
// meanwhile.
//
// The supplier cost of a call includes its failed attempts that were charged. These may have been on other channels
// than the last attempt, so their shares are moved.
func (s *Store) ownOf(ctx context.Context, a *invoice.Account, day invoice.Day) (own []invoice.Own, err error) {
	if len(a.Channels) == 0 {
		return nil, nil
	}
	err = s.db.Consistently(ctx, func(tx *db.DB) error {
		if tx.Postgres() {
			if _, err := tx.NewRaw("SET LOCAL statement_timeout = ?", statementTime.Milliseconds()).
				Exec(ctx); err != nil {
				return err
			}
		}
		own, err = New(tx).addUp(ctx, a, day)
		return err
	})
	return own, err
}

// addUp does the work of ownOf.
func (s *Store) addUp(ctx context.Context, a *invoice.Account, day invoice.Day) ([]invoice.Own, error) {
	key := "COALESCE(r.attempts -> -1 ->> 'key', '')"
	if !s.db.Postgres() {
		key = "COALESCE(json_extract(r.attempts, '$[#-1].key'), '')"
	}
	var rows []ownRow
	err := s.logsOf(day).ColumnExpr("r.upstream_model AS model").ColumnExpr(key+" AS key").
		ColumnExpr("CAST(COALESCE(sum(r.supplier_cost), 0) AS bigint) AS cost").
		ColumnExpr("CAST(sum("+inputTokens+") AS bigint) AS input_tokens").
		ColumnExpr("CAST(sum("+outputTokens+") AS bigint) AS output_tokens").
		ColumnExpr("count(*) AS requests").
		ColumnExpr("count(CASE WHEN r.supplier_cost IS NULL THEN 1 END) AS unpriced").
		ColumnExpr("count(CASE WHEN r.estimated THEN 1 END) AS estimated").
		Where("r.channel_id IN (?)", bun.List(a.Channels)).Where(answered).
		GroupExpr("1, 2").Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	sums := sums{}
	for i := range rows {
		*sums.at(rows[i].Model, rows[i].Key) = rows[i].core()
	}
	if err := s.addFailed(ctx, a, day, sums); err != nil {
		return nil, err
	}
	list := make([]invoice.Own, 0, len(sums))
	for _, own := range sums {
		list = append(list, *own)
	}
	return list, nil
}

// sums are our sums by model and key.
type sums map[[2]string]*invoice.Own

func (s sums) at(model, key string) *invoice.Own {
	place := [2]string{model, key}
	if s[place] == nil {
		s[place] = &invoice.Own{Model: model, Key: key}
	}
	return s[place]
}

// failedRow is a usage log that has a failed attempt that was charged.
type failedRow struct {
	ID            uuid.UUID       `bun:"id,type:uuid"`
	ChannelID     uuid.UUID       `bun:"channel_id,type:uuid,nullzero"`
	Model         string          `bun:"model"`
	UpstreamModel string          `bun:"upstream_model"`
	Attempts      json.RawMessage `bun:"attempts,type:json"`
	Added         bool            `bun:"added"` // whether the sums of the usage logs have its supplier cost
}

// addFailed moves the shares of failed attempts to the channels on which they were.
func (s *Store) addFailed(ctx context.Context, a *invoice.Account, day invoice.Day, total sums) error {
	models, err := s.upstreamModels(ctx, a.Channels)
	if err != nil {
		return err
	}
	for after := uuid.Nil; ; {
		var rows []failedRow
		err := s.logsOf(day).Column("r.id", "r.channel_id", "r.model", "r.upstream_model", "r.attempts").
			ColumnExpr("r.supplier_cost IS NOT NULL AND ("+answered+") AS added").
			Where("CAST(r.attempts AS text) LIKE ?", `%"usage"%`).Where("r.id > ?", after).OrderExpr("r.id").
			Limit(failedPage).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			if err := rows[i].move(a, models, total); err != nil {
				return err
			}
		}
		after = rows[len(rows)-1].ID
	}
}

// move takes the shares of the log's failed attempts from the channel that answered, and adds them to their own
// channels.
func (r *failedRow) move(a *invoice.Account, models map[uuid.UUID]map[string]string, total sums) error {
	var attempts []usage.Attempt
	if err := json.Unmarshal(r.Attempts, &attempts); err != nil || len(attempts) == 0 {
		return err
	}
	credential := attempts[len(attempts)-1].Credential
	for i := range attempts {
		attempt := &attempts[i]
		if attempt.Usage == nil { // only a failed attempt that the upstream charged has one
			continue
		}
		if attempt.SupplierCost != nil && r.Added && slices.Contains(a.Channels, r.ChannelID) {
			total.at(r.UpstreamModel, credential).Cost -= *attempt.SupplierCost
		}
		if !slices.Contains(a.Channels, attempt.ChannelID) {
			continue
		}
		model, ok := models[attempt.ChannelID][r.Model]
		if !ok {
			model = r.UpstreamModel
		}
		own := total.at(model, attempt.Credential)
		own.Requests++
		own.InputTokens += attempt.Usage.InputTotal()
		own.OutputTokens += attempt.Usage.OutputTotal()
		if attempt.SupplierCost != nil {
			own.Cost += *attempt.SupplierCost
		} else {
			own.Unpriced++
		}
	}
	return nil
}

// upstreamModels returns the models of channels: public ids to those at the upstream.
func (s *Store) upstreamModels(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]map[string]string, error) {
	var rows []struct {
		ID     uuid.UUID         `bun:"id,type:uuid"`
		Models map[string]string `bun:"models,type:jsonb"`
	}
	if err := s.db.NewSelect().Table("channels").Column("id", "models").Where("id IN (?)", bun.List(ids)).
		Scan(ctx, &rows); err != nil {
		return nil, err
	}
	models := map[uuid.UUID]map[string]string{}
	for _, row := range rows {
		models[row.ID] = row.Models
	}
	return models, nil
}

// Query selects days.
type Query struct {
	AccountID uuid.UUID   // uuid.Nil: all
	From, To  invoice.Day // both inclusive
	Status    invoice.Status
}

// Days returns the results of the days that the query selects and that were compared, the newest first.
func (s *Store) Days(ctx context.Context, scope tenant.Scope, query Query) (_ []Result, err error) {
	defer db.Wrap(&err, "read supplier days")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var rows []resultRow
	q := s.db.NewSelect().Model(&rows).Where("r.compared_at IS NOT NULL").Where("r.day >= ?", string(query.From)).
		Where("r.day <= ?", string(query.To))
	if query.AccountID != uuid.Nil {
		q = q.Where("r.account_id = ?", query.AccountID)
	}
	if query.Status != "" {
		q = q.Where("r.status = ?", query.Status)
	}
	if err := q.OrderExpr("r.day DESC, r.account_id").Scan(ctx); err != nil {
		return nil, err
	}
	return field.Map(rows, resultRow.core), nil
}

// Comparison returns the comparison of one day by model and key, from the stored sums of both sides, and when the day
// was fetched and compared. It returns a NotFound problem for a day that was not compared.
func (s *Store) Comparison(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	day invoice.Day) (c invoice.Comparison, result Result, err error) {
	defer db.Wrap(&err, "read supplier comparison")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return c, result, err
	}
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		tx := New(in)
		account, err := tx.Account(ctx, scope, id)
		if err != nil {
			return err
		}
		row := resultRow{dayRow: dayRow{AccountID: id, Day: string(day)}}
		if err := in.NewSelect().Model(&row).WherePK().Where("r.compared_at IS NOT NULL").Scan(ctx); err != nil {
			return db.Missing(err, "compared day")
		}
		charges, err := tx.charges(ctx, id, day)
		if err != nil {
			return err
		}
		own, err := tx.own(ctx, id, day)
		c, result = invoice.Compare(&account, reported(&row, charges), charges, own), row.core()
		return err
	})
	return c, result, err
}

// Health summarizes an enabled account for metrics.
type Health struct {
	Name string
	// Of the last report; of the account's creation if there is none; zero for accounts of CSV files.
	FetchedAt  time.Time
	Days       map[invoice.Status]int
	Difference money.Amount // the provider's amounts less ours, over the same days
}

// The days of Health: those that ended two days ago or earlier, because the newest days often change, and not more than
// nine days ago.
const (
	healthFrom = 9
	healthTo   = 3
)

// Healths (system scope) returns the summaries of all enabled accounts.
func (s *Store) Healths(ctx context.Context, scope tenant.Scope) (_ []Health, err error) {
	defer db.Wrap(&err, "read supplier health")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var accounts []accountRow
	if err := s.db.NewSelect().Model(&accounts).Where("status = ?", tenant.Enabled).OrderExpr("id").
		Limit(invoice.MaxAccounts).Scan(ctx); err != nil {
		return nil, err
	}
	today := invoice.DayOf(s.db.Now())
	results, err := s.Days(ctx, scope, Query{From: today.Add(-healthFrom), To: today.Add(-healthTo)})
	if err != nil {
		return nil, err
	}
	healths := make([]Health, len(accounts))
	for i := range accounts {
		h := Health{Name: accounts[i].Name, FetchedAt: accounts[i].FetchedAt,
			Days: map[invoice.Status]int{invoice.Matches: 0, invoice.Differs: 0, invoice.Pending: 0}}
		if h.FetchedAt.IsZero() {
			h.FetchedAt = accounts[i].CreatedAt
		}
		if accounts[i].Provider == invoice.Upload {
			h.FetchedAt = time.Time{} // people upload files when they like
		}
		for _, r := range results {
			if r.AccountID == accounts[i].ID {
				h.Days[r.Status]++
				h.Difference += r.Difference
			}
		}
		healths[i] = h
	}
	return healths, nil
}
