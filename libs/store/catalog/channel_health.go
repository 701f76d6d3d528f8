package catalog

import (
	"context"
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
	// HealthKept is how long what a relay said of channels counts: it says so
	// again in less.
	HealthKept = 3 * time.Minute
	// HealthLimit bounds what one relay says.
	HealthLimit = 1_000

	healthShown = 5_000
	probesKept  = 7 * 24 * time.Hour
)

// ChannelHealth is what one relay sees of a channel, a model on it, or a
// credential for that, that is not well.
type ChannelHealth struct {
	RelayID     uuid.UUID
	ChannelID   uuid.UUID
	Model       string // the upstream's id
	Fingerprint string // of the credential, "" where all of them are concerned
	Mask        string // of the credential
	State       string // word of routing: cooling, trial
	Word        string // of the last failure
	Failures    int64  // in a row
	Until       time.Time
	SaidAt      time.Time
}

type channelHealthRow struct {
	bun.BaseModel `bun:"table:channel_health,alias:r"`

	RelayID     uuid.UUID `bun:"relay_id,pk,type:uuid"`
	ChannelID   uuid.UUID `bun:"channel_id,pk,type:uuid"`
	Model       string    `bun:"model,pk"`
	Fingerprint string    `bun:"fingerprint,pk"`
	Mask        string    `bun:"mask"`
	State       string    `bun:"state"`
	Word        string    `bun:"word"`
	Failures    int64     `bun:"failures"`
	Until       time.Time `bun:"until"`
	SaidAt      time.Time `bun:"said_at"`
}

func (r channelHealthRow) core() ChannelHealth {
	return ChannelHealth{
		RelayID: r.RelayID, ChannelID: r.ChannelID, Model: r.Model, Fingerprint: r.Fingerprint, Mask: r.Mask,
		State: r.State, Word: r.Word, Failures: r.Failures, Until: r.Until, SaidAt: r.SaidAt,
	}
}

// PublishHealth (system scope) replaces all that a relay has said by the first
// HealthLimit of ills. Their RelayID and SaidAt are not read.
func (s *Store) PublishHealth(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, ills []ChannelHealth) (err error) {
	defer db.Wrap(&err, "publish health")

	if err := permission.Program(scope); err != nil {
		return err
	}
	now := s.db.Now()
	rows := make([]channelHealthRow, 0, min(len(ills), HealthLimit))
	for _, ill := range ills[:min(len(ills), HealthLimit)] {
		rows = append(rows, channelHealthRow{
			RelayID: relayID, ChannelID: ill.ChannelID, Model: field.Clean(ill.Model), Fingerprint: field.Clean(ill.Fingerprint), Mask: field.Clean(ill.Mask),
			State: ill.State, Word: field.Clean(ill.Word), Failures: ill.Failures, Until: field.Micros(ill.Until), SaidAt: now,
		})
	}
	return s.atomically(ctx, func(tx *Store) error {
		if _, err := tx.db.NewDelete().Model((*channelHealthRow)(nil)).Where("relay_id = ?", relayID).Exec(ctx); err != nil {
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

// insertChunk keeps a statement's parameters under the databases' limits.
const insertChunk = 250

// ChannelHealth returns what relays said lately of a channel, or of all
// (uuid.Nil), up to 5,000 of it.
func (s *Store) ChannelHealth(ctx context.Context, scope tenant.Scope, channelID uuid.UUID) (_ []ChannelHealth, err error) {
	defer db.Wrap(&err, "read channel health")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var rows []channelHealthRow
	q := s.db.NewSelect().Model(&rows).Where("said_at > ?", s.db.Now().Add(-HealthKept)).
		OrderExpr("channel_id, model, fingerprint, relay_id").Limit(healthShown)
	if channelID != uuid.Nil {
		q = q.Where("channel_id = ?", channelID)
	}
	err = q.Scan(ctx)
	return field.Map(rows, channelHealthRow.core), err
}

// Probe is what a probe of one credential of a channel found.
type Probe struct {
	Credential
	Status   int // HTTP status, 0 without an answer
	Latency  time.Duration
	Error    string // word, "" where the credential is good
	ProbedAt time.Time
}

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

// RecordProbe (system scope) notes a probe in place of the one before.
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

// Probes returns the last probes of a channel, or of all (uuid.Nil), up to
// 5,000.
func (s *Store) Probes(ctx context.Context, scope tenant.Scope, channelID uuid.UUID) (_ []Probe, err error) {
	defer db.Wrap(&err, "read probes")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var rows []probeRow
	q := s.db.NewSelect().Model(&rows).OrderExpr("channel_id, fingerprint").Limit(healthShown)
	if channelID != uuid.Nil {
		q = q.Where("channel_id = ?", channelID)
	}
	err = q.Scan(ctx)
	return field.Map(rows, probeRow.core), err
}

// ChannelsServing returns the channels that have served calls since, as far as
// they are rolled up.
func (s *Store) ChannelsServing(ctx context.Context, scope tenant.Scope, since time.Time) (_ []uuid.UUID, err error) {
	defer db.Wrap(&err, "read channels serving")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	err = s.db.NewSelect().Table("usage_totals_hourly").ColumnExpr("DISTINCT channel_id").
		Where("tenant_id = ?", uuid.Nil).Where("start >= ?", since.UTC().Truncate(time.Hour)).
		Where("requests > failed").Scan(ctx, &ids)
	return ids, err
}

// Sweep deletes what relays said that are gone, and probes of
// credentials that are.
func Sweep(ctx context.Context, tx *db.DB) error {
	now := tx.Now()
	_, err := tx.NewDelete().Model((*channelHealthRow)(nil)).Where("said_at <= ?", now.Add(-HealthKept)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewDelete().Model((*probeRow)(nil)).Where("probed_at < ?", now.Add(-probesKept)).Exec(ctx)
	return err
}
