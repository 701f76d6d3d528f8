// Package client stores from which addresses and with which programs each token was used, so that its owner can see who
// uses it. Relays write it in the background and may lose some.
//
// The table usage_clients has a row for each combination of token, address and User-Agent, at most PerToken of a token.
// One more row, without address and agent, counts the calls of all further clients. A row expires when it was not used
// for the time that is configured; its expiry is moved once a day, so that most updates change no index.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// PerToken is the greatest number of clients of a token that are stored one by one.
const PerToken = 100

// tokensLock is the first key of the advisory locks of tokens that get new clients: "tolc".
const tokensLock = 0x746f6c63

// Store reads and writes clients of tokens. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// readAs runs a function as db.DB.ReadAs does, with a Store on the transaction.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}

// row is a row of usage_clients.
type row struct {
	bun.BaseModel `bun:"table:usage_clients,alias:r"`

	ID        uuid.UUID `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID `bun:"tenant_id,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,type:uuid"`
	TokenID   uuid.UUID `bun:"token_id,type:uuid"`
	Address   string    `bun:"address"`
	Agent     string    `bun:"agent"`
	FirstAt   time.Time `bun:"first_at"`
	LastAt    time.Time `bun:"last_at"`
	Calls     int64     `bun:"calls"`
	ExpiresAt time.Time `bun:"expires_at"`
}

// core returns the client. A text that is no address cannot be stored.
func (r *row) core() usage.Client {
	address, _ := netip.ParseAddr(r.Address)
	return usage.Client{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, TokenID: r.TokenID, Address: address, Agent: r.Agent,
		FirstAt: r.FirstAt.UTC(), LastAt: r.LastAt.UTC(), Calls: r.Calls,
	}
}

func rowOf(c *usage.Client, keep time.Duration) (row, error) {
	id, err := uuid.NewV7()
	address := ""
	if c.Address.IsValid() {
		address = c.Address.String()
	}
	const day = 24 * time.Hour
	return row{
		ID: id, TenantID: c.TenantID, UserID: c.UserID, TokenID: c.TokenID, Address: address, Agent: c.Agent,
		FirstAt: field.Micros(c.FirstAt), LastAt: field.Micros(c.LastAt), Calls: c.Calls,
		ExpiresAt: c.LastAt.UTC().Truncate(day).Add(day + keep),
	}, err
}

// key identifies a client. The zero address and agent stand for all further clients of the token.
type key struct {
	tokenID uuid.UUID
	address netip.Addr
	agent   string
}

func keyOf(c *usage.Client) key { return key{c.TokenID, c.Address, c.Agent} }

// isFurther reports whether the key is that of all further clients of its token.
func (k key) isFurther() bool { return !k.address.IsValid() }

// byKey orders clients as all transactions lock their rows.
func byKey(a, b usage.Client) int {
	return cmp.Or(bytes.Compare(a.TokenID[:], b.TokenID[:]), a.Address.Compare(b.Address),
		cmp.Compare(a.Agent, b.Agent))
}

// Record (system scope) adds the calls of the clients. Rows expire when they were not used for the time keep. New
// clients beyond PerToken of a token count as further ones.
func (s *Store) Record(ctx context.Context, scope tenant.Scope, clients []usage.Client,
	keep time.Duration) (err error) {
	defer db.Wrap(&err, "record clients of tokens")

	if err := permission.Program(scope); err != nil {
		return err
	}
	clients = cleaned(clients)
	return s.db.Atomically(ctx, func(tx *db.DB) error { return New(tx).record(ctx, clients, keep) })
}

// cleaned returns the clients with agents that a database accepts.
func cleaned(clients []usage.Client) []usage.Client {
	clean := make([]usage.Client, 0, len(clients))
	for _, c := range clients {
		c.Agent = field.Clean(usage.AgentOf(c.Agent))
		if !c.Address.IsValid() {
			c = c.Further()
		}
		clean = append(clean, c)
	}
	return clean
}

func (s *Store) record(ctx context.Context, clients []usage.Client, keep time.Duration) error {
	stored, err := s.stored(ctx, tokensOf(clients))
	if err != nil {
		return err
	}
	newClients := slices.DeleteFunc(slices.Clone(clients), func(c usage.Client) bool {
		k := keyOf(&c)
		return stored[k] || k.isFurther()
	})
	if len(newClients) > 0 {
		// Only one transaction at a time adds clients of a token, so that several relays together keep the bound. These
		// locks come before those of all rows.
		if err := s.lock(ctx, tokensOf(newClients)); err != nil {
			return err
		}
		if stored, err = s.stored(ctx, tokensOf(clients)); err != nil {
			return err
		}
	}
	return s.add(ctx, merge(clients, stored), keep)
}

// tokensOf returns the ids of the tokens, each once and in order.
func tokensOf(clients []usage.Client) []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(clients))
	for i := range clients {
		ids = append(ids, clients[i].TokenID)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// stored returns the keys of the stored clients of the tokens.
func (s *Store) stored(ctx context.Context, tokens []uuid.UUID) (map[key]bool, error) {
	var rows []row
	err := s.db.NewSelect().Model(&rows).Column("token_id", "address", "agent").
		Where("r.token_id IN (?)", bun.List(tokens)).Where("r.address <> ''").Scan(ctx)
	keys := make(map[key]bool, len(rows))
	for i := range rows {
		c := rows[i].core()
		keys[keyOf(&c)] = true
	}
	return keys, err
}

// lockKey is the second key of an advisory lock.
type lockKey struct {
	Key int32 `bun:"key,type:integer"`
}

// lock waits for the other transactions that add clients of the tokens. On SQLite it does nothing: transactions run one
// after the other anyway.
func (s *Store) lock(ctx context.Context, tokens []uuid.UUID) error {
	if !s.db.Postgres() {
		return nil
	}
	keys := make([]lockKey, 0, len(tokens))
	for _, id := range tokens {
		keys = append(keys, lockKey{int32(binary.BigEndian.Uint32(id[12:]))})
	}
	slices.SortFunc(keys, func(a, b lockKey) int { return cmp.Compare(a.Key, b.Key) })
	_, err := s.db.NewRaw("WITH v (key) AS (?) SELECT pg_advisory_xact_lock(?, v.key) FROM v", s.db.NewValues(&keys),
		tokensLock).Exec(ctx)
	return err
}

// merge returns the clients in the order of their keys, each once. New clients beyond PerToken of their token are added
// to its further clients; the earliest new clients get the places that are left.
func merge(clients []usage.Client, stored map[key]bool) []usage.Client {
	counts := map[uuid.UUID]int{} // of clients by token
	for k := range stored {
		counts[k.tokenID]++
	}
	clients = slices.Clone(clients)
	slices.SortStableFunc(clients, func(a, b usage.Client) int { return a.FirstAt.Compare(b.FirstAt) })
	sums := map[key]*usage.Client{}
	for _, c := range clients {
		k := keyOf(&c)
		if !k.isFurther() && !stored[k] && sums[k] == nil {
			if counts[k.tokenID] >= PerToken {
				c = c.Further()
				k = keyOf(&c)
			} else {
				counts[k.tokenID]++
			}
		}
		if sum := sums[k]; sum != nil {
			sum.Add(&c)
			continue
		}
		sums[k] = &c
	}
	list := make([]usage.Client, 0, len(sums))
	for _, sum := range sums {
		list = append(list, *sum)
	}
	slices.SortFunc(list, byKey)
	return list
}

// add adds the clients, which are in the order of their keys, to the rows that exist, and creates the others.
func (s *Store) add(ctx context.Context, clients []usage.Client, keep time.Duration) error {
	if len(clients) == 0 {
		return nil
	}
	rows := make([]row, 0, len(clients))
	for i := range clients {
		r, err := rowOf(&clients[i], keep)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	_, err := s.db.NewInsert().Model(&rows).On("CONFLICT (token_id, address, agent) DO UPDATE").
		Set("calls = r.calls + EXCLUDED.calls").
		Set("first_at = CASE WHEN EXCLUDED.first_at < r.first_at THEN EXCLUDED.first_at ELSE r.first_at END").
		Set("last_at = CASE WHEN EXCLUDED.last_at > r.last_at THEN EXCLUDED.last_at ELSE r.last_at END").
		Set("expires_at = CASE WHEN EXCLUDED.last_at > r.last_at THEN EXCLUDED.expires_at ELSE r.expires_at END").
		Exec(ctx)
	return err
}

// OfToken returns the clients of a token that the scope reaches, the latest first, at most PerToken and the further
// ones together. Of a token that the scope does not reach it returns none.
func (s *Store) OfToken(ctx context.Context, scope tenant.Scope, id uuid.UUID) (clients []usage.Client, err error) {
	defer db.Wrap(&err, "read clients of the token")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	var rows []row
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect().Model(&rows), scope, uuid.Nil)
		if err != nil {
			return err
		}
		return db.OfUser(q, scope, uuid.Nil).Where("r.token_id = ?", id).Where("r.expires_at > ?", in.db.Now()).
			OrderExpr("r.last_at DESC, r.address, r.agent").Limit(PerToken + 1).Scan(ctx)
	})
	for i := range rows {
		clients = append(clients, rows[i].core())
	}
	return clients, err
}

// Client returns a client that the scope reaches and that has not expired, or a NotFound problem, also for the further
// clients of a token.
func (s *Store) Client(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ usage.Client, err error) {
	defer db.Wrap(&err, "read a client of a token")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return usage.Client{}, err
	}
	var client row
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect().Model(&client), scope, uuid.Nil)
		if err != nil {
			return err
		}
		err = db.OfUser(q, scope, uuid.Nil).Where("r.id = ?", id).Where("r.address <> ''").
			Where("r.expires_at > ?", in.db.Now()).Scan(ctx)
		return db.Missing(err, "client of a token")
	})
	return client.core(), err
}

// Sweep deletes rows that have expired, see db.DB.Sweep.
func Sweep(ctx context.Context, d *db.DB) error {
	return d.Sweep(ctx, db.Expired{Model: (*row)(nil), Column: "expires_at"})
}

// Clear (system scope) deletes the clients of all tokens in batches, for installations that store none.
func (s *Store) Clear(ctx context.Context, scope tenant.Scope) (err error) {
	defer db.Wrap(&err, "delete clients of tokens")

	if err := permission.Program(scope); err != nil {
		return err
	}
	later := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) // than every expiry
	return s.db.Sweep(ctx, db.Expired{Model: (*row)(nil), Column: "expires_at", Until: later})
}
