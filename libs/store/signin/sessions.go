package signin

import (
	"context"
	"database/sql"
	"errors"
	"net/netip"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Means is the way in which a session was opened.
type Means string

// The ways to open a session. ByInvitation is the session that follows the acceptance of an invitation. ByCode opens no
// session, but confirms one.
const (
	ByPassword   Means = "password"
	ByInvitation Means = "invitation"
	ByPasskey    Means = "passkey"
	ByOIDC       Means = "oidc"
	ByCode       Means = "code" // of the second factor

	ByTenantIssuer Means = "tenant_issuer" // by OpenID Connect, through the issuer of the user's tenant
)

// Client describes the program that opened a session, as far as it is known. Users see it in the list of their
// sessions.
type Client struct {
	Address netip.Addr // zero: unknown
	Agent   string     // the User-Agent header; CreateSession stores 256 characters of it
}

// maxSessions is the highest number of sessions of a user. The next one ends the one that was not used for the longest
// time.
const maxSessions = 1000

// maxAgent is the highest number of characters of Client.Agent in the database.
const maxAgent = 256

// Session is a session of a user of the console. It ends at ExpiresAt, when it is deleted, or when the user's
// role, status or password changes. The cookie of the browser holds a secret, and the database only its hash.
type Session struct {
	ID        uuid.UUID
	User      tenant.User   // in lists, only the user's ID is set
	Tenant    tenant.Tenant // zero for operators, and in lists
	Means     Means
	Client    Client
	CreatedAt time.Time
	LastSeen  time.Time // with a precision of a minute
	ExpiresAt time.Time
	MustEnrol bool // set by the console: the user needs a second factor and can only set one up

	ConfirmedAt time.Time // last proof of the user's identity: the sign-in or a later confirmation
}

// sessionRow is a row of sessions.
type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:r"`

	ID        uuid.UUID       `bun:"id,pk,type:uuid"`
	Hash      []byte          `bun:"hash"`
	TenantID  uuid.UUID       `bun:"tenant_id,type:uuid,nullzero"`
	UserID    uuid.UUID       `bun:"user_id,type:uuid"`
	Means     Means           `bun:"means"`
	Address   string          `bun:"address"`
	Agent     string          `bun:"agent"`
	CreatedAt time.Time       `bun:"created_at"`
	LastSeen  time.Time       `bun:"last_seen"`
	ExpiresAt time.Time       `bun:"expires_at"`
	User      *person.UserRow `bun:"rel:belongs-to,join:user_id=id"`

	ConfirmedAt time.Time `bun:"confirmed_at,nullzero"`
}

func (r sessionRow) key() string { return r.ID.String() }

// core returns the session in the form of lists: it has only the id of the user, and no tenant.
func (r sessionRow) core() Session {
	address, _ := netip.ParseAddr(r.Address) // the zero Addr if the address is not known
	confirmedAt := r.ConfirmedAt
	if confirmedAt.IsZero() {
		confirmedAt = r.CreatedAt // signing in is the first proof
	}
	return Session{
		ID: r.ID, User: tenant.User{ID: r.UserID}, Means: r.Means, Client: Client{Address: address, Agent: r.Agent},
		CreatedAt: r.CreatedAt, LastSeen: r.LastSeen, ExpiresAt: r.ExpiresAt, ConfirmedAt: confirmedAt,
	}
}

// NewSession holds the parameters of CreateSession.
type NewSession struct {
	UserID       uuid.UUID
	PasswordHash string   // the user's hash when the sign-in began, see CreateSession
	Hash         [32]byte // SHA-256 of the session's secret
	Means        Means    // "": ByPassword
	Client       Client
	ExpiresAt    time.Time

	// What proved the identity, and must still exist: a reset of the factors ends the sign-ins that use them.
	Challenge *[32]byte // hash of the challenge of the sign-in, which is used up; nil: none
	Passkey   uuid.UUID // uuid.Nil: none
}

// row returns the row of the session without the fields that the database provides.
func (n NewSession) row() sessionRow {
	row := sessionRow{Hash: n.Hash[:], UserID: n.UserID, Means: n.Means, Agent: cleanAgent(n.Client.Agent),
		ExpiresAt: n.ExpiresAt.UTC()}
	if row.Means == "" {
		row.Means = ByPassword
	}
	if n.Client.Address.IsValid() {
		row.Address = n.Client.Address.String()
	}
	return row
}

// cleanAgent removes characters that do not print and cuts the text to maxAgent characters.
func cleanAgent(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, field.Clean(text))
	// Runes and not bytes, so that the cut leaves valid UTF-8.
	if runes := []rune(text); len(runes) > maxAgent {
		return string(runes[:maxAgent])
	}
	return text
}

// CreateSession (system scope) stores a session under the hash of its secret. It returns an Unauthenticated
// problem if the user's password hash is not PasswordHash any more: a sign-in that began before the password
// was changed must not open a session afterwards. It returns the same problem if the passkey was deleted, and a
// NotFound problem if the challenge is gone, so of concurrent calls with a challenge one succeeds. It ends sessions of
// the user beyond maxSessions. The lock on the user makes all this safe.
func (s *Store) CreateSession(ctx context.Context, scope tenant.Scope, n NewSession) (err error) {
	defer db.Wrap(&err, "create session")

	if err := permission.Program(scope); err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		var user person.SecretUserRow
		if err := tx.db.Lock(tx.db.NewSelect().Model(&user).Where("id = ?", n.UserID)).Scan(ctx); err != nil {
			return db.Missing(err, "user")
		}
		if user.PasswordHash != n.PasswordHash {
			return problem.Of(problem.Unauthenticated)
		}
		if err := tx.checkProof(ctx, &n); err != nil {
			return err
		}
		by := tenant.ScopeOf(user.Core())
		if _, err := tx.endSessions(ctx, by, user.ID, tx.exceptLastUsed(user.ID, maxSessions-1)); err != nil {
			return err
		}
		row, now := n.row(), tx.db.Now()
		row.ID, row.TenantID, row.CreatedAt, row.LastSeen = id, user.TenantID, now, now
		if err := tx.db.Insert(ctx, &row, "session"); err != nil {
			return err
		}
		detail := field.Changes{"session_id": id, "means": row.Means, "address": row.Address,
			"expires_at": row.ExpiresAt}
		return tx.db.Record(ctx, by, db.Mutation{
			Action: "session.create", Tenant: user.TenantID, Target: user.ID.String(), Detail: detail,
			Address: row.Address,
		})
	})
}

// checkProof uses up the challenge of a sign-in and checks that its passkey exists. The caller has locked the user.
func (s *Store) checkProof(ctx context.Context, n *NewSession) error {
	if n.Challenge != nil {
		result, err := s.db.NewDelete().Model((*challengeRow)(nil)).Where("hash = ?", n.Challenge[:]).
			Where("expires_at > ?", s.db.Now()).Exec(ctx)
		if err := affects(result, err, db.NoSuch("challenge")); err != nil {
			return err
		}
	}
	if n.Passkey == uuid.Nil {
		return nil
	}
	exists, err := s.db.NewSelect().Model((*passkeyRow)(nil)).Where("id = ?", n.Passkey).Exists(ctx)
	if err == nil && !exists {
		return problem.Of(problem.Unauthenticated)
	}
	return err
}

// Session (system scope) returns the session with the hash of its secret. It returns a NotFound problem if
// there is none, if it has expired, if the user or the tenant is disabled, or if the user must use the tenant's issuer
// and did not.
func (s *Store) Session(ctx context.Context, scope tenant.Scope, hash [32]byte) (_ Session, err error) {
	defer db.Wrap(&err, "read session")

	if err := permission.Program(scope); err != nil {
		return Session{}, err
	}
	var row sessionRow
	err = s.db.NewSelect().Model(&row).Relation("User.Tenant").
		Where("r.hash = ?", hash[:]).Where("r.expires_at > ?", s.db.Now()).Scan(ctx)
	if err != nil {
		return Session{}, db.Missing(err, "session")
	}
	live := row.core()
	if live.User, live.Tenant, err = person.Enabled(row.User); err != nil {
		return Session{}, err
	}
	// Sessions end when a tenant starts to require its issuer. This also ends one that was being opened at that time.
	if live.Tenant.MustUseIssuer(live.User.Role) && live.Means != ByTenantIssuer {
		return Session{}, db.NoSuch("session")
	}
	return live, nil
}

// SeeSession (system scope) records that the session is in use, unless that was recorded less than a minute
// ago.
func (s *Store) SeeSession(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "see session")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*sessionRow)(nil)).Set("last_seen = ?", tx.db.Now()).
			Where("id = ?", id).Where("last_seen <= ?", tx.db.Now().Add(-person.SeenEvery)).Exec(ctx)
		return err
	})
}

// ConfirmSession (system scope) records that the user of the session has proven the identity again, and returns the
// time. What the session grants counts from 0 again (see quota.SessionLimit). It does not change when the session
// expires. It returns a NotFound problem if the session has ended or expired.
func (s *Store) ConfirmSession(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	means Means) (at time.Time, err error) {
	defer db.Wrap(&err, "confirm session")

	if err := permission.Program(scope); err != nil {
		return time.Time{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		at = tx.db.Now()
		var row sessionRow
		err := tx.db.NewUpdate().Model(&row).Set("confirmed_at = ?", at).Set("unconfirmed = 0").
			Where("id = ?", id).Where("expires_at > ?", at).Returning("tenant_id, user_id").Scan(ctx)
		if err != nil {
			return db.Missing(err, "session")
		}
		detail := field.Changes{"session_id": id, "means": means}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "session.confirm", Tenant: row.TenantID,
			Target: row.UserID.String(), Detail: detail})
	})
	return at, err
}

// Sessions lists the sessions of a user that have not expired, newest first. Users read their own, and
// operators those of every user.
func (s *Store) Sessions(ctx context.Context, scope tenant.Scope, userID uuid.UUID,
	p page.Page) (_ page.List[Session], err error) {
	defer db.Wrap(&err, "read sessions")

	var list page.List[Session]
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		if err := in.reachSessions(ctx, scope, userID, permission.ReadSessions); err != nil {
			return err
		}
		q := in.db.NewSelect().Where("r.user_id = ?", userID).Where("r.expires_at > ?", in.db.Now())
		list, err = page.RowsOf(page.NewestFirst, sessionRow.key, sessionRow.core).Read(ctx, q, p)
		return err
	})
	return list, err
}

// maxAddresses is the largest number of sessions whose addresses SessionAddresses reads.
const maxAddresses = 1000

// SessionAddresses (system scope) returns the addresses from which the user with the e-mail address opened sessions
// that have not expired, without duplicates. There are none for an unknown user.
func (s *Store) SessionAddresses(ctx context.Context, scope tenant.Scope, email string) (_ []netip.Addr, err error) {
	defer db.Wrap(&err, "read the addresses of sessions")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var texts []string
	err = s.db.NewSelect().Model((*sessionRow)(nil)).ColumnExpr("DISTINCT r.address").
		Join("JOIN users AS u ON u.id = r.user_id").
		Where("u.address = ?", field.Clean(email)).Where("u.owned_at IS NOT NULL").Where("r.address <> ''").
		Where("r.expires_at > ?", s.db.Now()).
		Limit(maxAddresses).Scan(ctx, &texts)
	addresses := make([]netip.Addr, 0, len(texts))
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil {
			addresses = append(addresses, address)
		}
	}
	return addresses, err
}

// EndSession deletes a session of the scope's own user, or returns a NotFound problem.
func (s *Store) EndSession(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "end session")

	if err := permission.Check(scope, permission.EndSessions); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		count, err := tx.endSessions(ctx, scope, scope.Actor(), onlyID(id))
		if err == nil && count == 0 {
			return db.NoSuch("session")
		}
		return err
	})
}

// EndSessions deletes all sessions of a user except one, or all with uuid.Nil. Users end their own, and
// operators those of every user. It is idempotent.
func (s *Store) EndSessions(ctx context.Context, scope tenant.Scope, userID, except uuid.UUID) (err error) {
	defer db.Wrap(&err, "end sessions")

	return s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.reachSessions(ctx, scope, userID, permission.EndSessions); err != nil {
			return err
		}
		_, err := tx.endSessions(ctx, scope, userID, allExcept(except))
		return err
	})
}

// DeleteSession (system scope) deletes the session with the hash of its secret. It is idempotent: it is no
// error if there is none.
func (s *Store) DeleteSession(ctx context.Context, scope tenant.Scope, hash [32]byte) (err error) {
	defer db.Wrap(&err, "delete session")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		// Read first: the audit log needs the user.
		var row sessionRow
		err := tx.db.NewSelect().Model(&row).Where("hash = ?", hash[:]).Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.endSessions(ctx, scope, row.UserID, onlyID(row.ID))
		return err
	})
}

// selection limits a DELETE to some of a user's sessions.
type selection func(*bun.DeleteQuery) *bun.DeleteQuery

// onlyID selects the session with the id.
func onlyID(id uuid.UUID) selection {
	return func(q *bun.DeleteQuery) *bun.DeleteQuery { return q.Where("id = ?", id) }
}

// allExcept selects all sessions but the one with the id.
func allExcept(id uuid.UUID) selection {
	return func(q *bun.DeleteQuery) *bun.DeleteQuery { return q.Where("id <> ?", id) }
}

// exceptLastUsed selects all sessions of the user but the n that were used last.
func (s *Store) exceptLastUsed(userID uuid.UUID, n int64) selection {
	used := s.db.NewSelect().Model((*sessionRow)(nil)).Column("id").Where("user_id = ?", userID).
		Order("last_seen DESC", "id DESC").Limit(n)
	return func(q *bun.DeleteQuery) *bun.DeleteQuery { return q.Where("id NOT IN (?)", used) }
}

// endSessions deletes the selected sessions of a user, writes the audit log and returns their number.
func (s *Store) endSessions(ctx context.Context, scope tenant.Scope, userID uuid.UUID, which selection) (int, error) {
	var ids []uuid.UUID
	err := which(s.db.NewDelete().Model((*sessionRow)(nil)).Where("user_id = ?", userID)).Returning("id").
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	user, err := person.FindUser(ctx, s.db, userID)
	if err != nil {
		return 0, err
	}
	return len(ids), s.db.Record(ctx, scope, db.Mutation{Action: "session.delete", Tenant: user.TenantID,
		Target: userID.String(), Detail: field.Changes{"session_ids": ids}})
}

// reachSessions returns a NotFound problem unless the scope reaches the user's sessions.
func (s *Store) reachSessions(ctx context.Context, scope tenant.Scope, userID uuid.UUID,
	action permission.Action) error {
	if err := permission.Check(scope, action); err != nil {
		return err
	}
	if scope.Everywhere() { // reports a user who does not exist
		_, err := person.FindUser(ctx, s.db, userID)
		return err
	}
	if userID != scope.Actor() {
		return db.NoSuch("user")
	}
	return nil
}
