package catalog

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

const (
	// HealthRetention is the time for which a report of a relay is valid. A relay reports more often than that.
	HealthRetention = 3 * time.Minute
	// HealthLimit is the highest number of rows of one relay.
	HealthLimit = 1_000
	// healthTenants is the highest number of tenants of one row.
	healthTenants = 100

	maxRead        = 5_000              // most rows that a read returns
	probeRetention = 7 * 24 * time.Hour // age at which the result of a probe is deleted
)

// ChannelHealth is one relay's report that a channel, a model on it, or a credential for that model is
// unhealthy. Healthy ones are not reported.
type ChannelHealth struct {
	RelayID     uuid.UUID
	ChannelID   uuid.UUID
	Tenants     []uuid.UUID // the only tenants whose calls it concerns, at most healthTenants; none for all tenants
	Model       string      // the upstream's model id; "" if the channel cannot be reached
	Fingerprint string      // of the credential; "" if all credentials are affected
	Mask        string      // harmless part of the credential, for people
	State       string      // state of routing: "cooling" or "trial"
	Code        string      // code of the last failure, such as "timeout"
	Failures    int64       // consecutive failures
	Until       time.Time   // when the relay tries it again
	SaidAt      time.Time   // time of the report
}

// channelHealthRow is a row of channel_health.
type channelHealthRow struct {
	bun.BaseModel `bun:"table:channel_health,alias:r"`

	RelayID     uuid.UUID `bun:"relay_id,pk,type:uuid"`
	ChannelID   uuid.UUID `bun:"channel_id,pk,type:uuid"`
	Tenants     tenantIDs `bun:"tenants"`
	Model       string    `bun:"model,pk"`
	Fingerprint string    `bun:"fingerprint,pk"`
	Mask        string    `bun:"mask"`
	State       string    `bun:"state"`
	Code        string    `bun:"word"`
	Failures    int64     `bun:"failures"`
	Until       time.Time `bun:"until"`
	SaidAt      time.Time `bun:"said_at"`
}

func (r channelHealthRow) core() ChannelHealth {
	return ChannelHealth{
		RelayID: r.RelayID, ChannelID: r.ChannelID, Tenants: r.Tenants, Model: r.Model,
		Fingerprint: r.Fingerprint, Mask: r.Mask,
		State: r.State, Code: r.Code, Failures: r.Failures, Until: r.Until, SaidAt: r.SaidAt,
	}
}

// tenantIDs is the column of tenants: a JSON array, or an empty text for none.
type tenantIDs []uuid.UUID

// Value implements driver.Valuer.
func (t tenantIDs) Value() (driver.Value, error) {
	if len(t) == 0 {
		return "", nil
	}
	text, err := json.Marshal(t)
	return string(text), err
}

// Scan implements sql.Scanner.
func (t *tenantIDs) Scan(value any) error {
	switch text := value.(type) {
	case string:
		return t.decode([]byte(text))
	case []byte:
		return t.decode(text)
	}
	return fmt.Errorf("scan tenants: got %T, want text", value)
}

func (t *tenantIDs) decode(text []byte) error {
	*t = nil
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, (*[]uuid.UUID)(t))
}

// PublishHealth (system scope) replaces the stored reports of a relay by the first HealthLimit elements of
// reports. An empty list deletes them all. RelayID and SaidAt of the elements are ignored. If two elements name
// the same channel, model and credential, the first is stored.
func (s *Store) PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	reports []ChannelHealth) (err error) {
	defer db.Wrap(&err, "publish health")

	if err := permission.Program(scope); err != nil {
		return err
	}
	now := s.db.Now()
	rows := make([]channelHealthRow, 0, min(len(reports), HealthLimit))
	for _, report := range reports[:min(len(reports), HealthLimit)] {
		rows = append(rows, channelHealthRow{
			RelayID: relayID, ChannelID: report.ChannelID,
			Tenants: report.Tenants[:min(len(report.Tenants), healthTenants)], Model: field.Clean(report.Model),
			Fingerprint: field.Clean(report.Fingerprint), Mask: field.Clean(report.Mask),
			State: report.State, Code: field.Clean(report.Code), Failures: report.Failures,
			Until: field.Micros(report.Until), SaidAt: now,
		})
	}
	return s.atomically(ctx, func(tx *Store) error {
		// Replaced as a whole, so that a channel that has recovered disappears. Other relays have rows of their own.
		if _, err := tx.db.NewDelete().Model((*channelHealthRow)(nil)).Where("relay_id = ?", relayID).
			Exec(ctx); err != nil {
			return err
		}
		for part := range slices.Chunk(rows, insertChunk) {
			if _, err := tx.db.NewInsert().Model(&part).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertChunk is the number of rows of one INSERT that keeps its parameters within the limits of both
// databases.
const insertChunk = 250

// ChannelHealth returns the reports of all relays about one channel, or with uuid.Nil about all channels, at
// most 5,000. Reports older than HealthRetention are left out. Only operators and programs may call it.
func (s *Store) ChannelHealth(ctx context.Context, scope tenant.Scope,
	channelID uuid.UUID) (_ []ChannelHealth, err error) {
	defer db.Wrap(&err, "read channel health")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var rows []channelHealthRow
	q := s.db.NewSelect().Model(&rows).Where("said_at > ?", s.db.Now().Add(-HealthRetention)).
		OrderExpr("channel_id, model, fingerprint, relay_id").Limit(maxRead)
	if channelID != uuid.Nil {
		q = q.Where("channel_id = ?", channelID)
	}
	err = q.Scan(ctx)
	return field.Map(rows, channelHealthRow.core), err
}

// Probe is the result of a test request to an upstream with one credential of a channel.
type Probe struct {
	Credential
	Status   int           // HTTP status; 0 without an answer
	Latency  time.Duration // precision of a microsecond
	Error    string        // class of the failure; "" if the credential works
	ProbedAt time.Time
}

// probeRow is a row of channel_probes, which has the last probe of each credential.
type probeRow struct {
	bun.BaseModel `bun:"table:channel_probes,alias:r"`

	ChannelID   uuid.UUID `bun:"channel_id,pk,type:uuid"`
	Fingerprint string    `bun:"fingerprint,pk"`
	Status      int       `bun:"status"`
	LatencyUS   int64     `bun:"latency_us"`
	Error       string    `bun:"error"`
	ProbedAt    time.Time `bun:"probed_at"`
}

func (r probeRow) core() Probe {
	return Probe{
		Credential: Credential{r.ChannelID, r.Fingerprint}, Status: r.Status,
		Latency: time.Duration(r.LatencyUS) * time.Microsecond, Error: r.Error, ProbedAt: r.ProbedAt,
	}
}

// RecordProbe (system scope) stores a probe in place of the previous one of the credential.
func (s *Store) RecordProbe(ctx context.Context, scope tenant.Scope, p Probe) (err error) {
	defer db.Wrap(&err, "record probe")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewInsert().Model(&probeRow{
			ChannelID: p.ChannelID, Fingerprint: field.Clean(p.Fingerprint), Status: p.Status,
			LatencyUS: p.Latency.Microseconds(), Error: field.Clean(p.Error), ProbedAt: field.Micros(p.ProbedAt),
		}).On("CONFLICT (channel_id, fingerprint) DO UPDATE").
			Set("status = EXCLUDED.status").Set("latency_us = EXCLUDED.latency_us").
			Set("error = EXCLUDED.error").Set("probed_at = EXCLUDED.probed_at").Exec(ctx)
		return err
	})
}

// Probes returns the last probe of each credential of one channel, or with uuid.Nil of all channels, at most
// 5,000.
func (s *Store) Probes(ctx context.Context, scope tenant.Scope, channelID uuid.UUID) (_ []Probe, err error) {
	defer db.Wrap(&err, "read probes")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var rows []probeRow
	q := s.db.NewSelect().Model(&rows).OrderExpr("channel_id, fingerprint").Limit(maxRead)
	if channelID != uuid.Nil {
		q = q.Where("channel_id = ?", channelID)
	}
	err = q.Scan(ctx)
	return field.Map(rows, probeRow.core), err
}

// ChannelsServing returns the ids of the channels with a successful request since the beginning of the hour
// of the given time. It reads the hourly totals, which are behind by the time that the worker needs to roll
// up usage.
func (s *Store) ChannelsServing(ctx context.Context, scope tenant.Scope, since time.Time) (_ []uuid.UUID, err error) {
	defer db.Wrap(&err, "read channels serving")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	// The totals with a zero tenant id are those of the whole platform.
	var ids []uuid.UUID
	err = s.db.NewSelect().Table("usage_totals_hourly").ColumnExpr("DISTINCT channel_id").
		Where("tenant_id = ?", uuid.Nil).Where("start >= ?", since.UTC().Truncate(time.Hour)).
		Where("requests > failed").Scan(ctx, &ids)
	return ids, err
}

// Sweep deletes expired reports of relays, and probes older than seven days, whose credentials are probably
// gone.
func Sweep(ctx context.Context, tx *db.DB) error {
	now := tx.Now()
	_, err := tx.NewDelete().Model((*channelHealthRow)(nil)).Where("said_at <= ?", now.Add(-HealthRetention)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewDelete().Model((*probeRow)(nil)).Where("probed_at < ?", now.Add(-probeRetention)).Exec(ctx)
	return err
}
