// Package auditbuffer counts security events in memory and writes them to the audit log every few seconds. They are
// events that no transaction records: refused sign-ins and requests, what operators read of tenants, and the first use
// of an access key on a day from an address. The audit log has an entry for each
//
//	session.refused   tenant or platform, address, minute    accounts: how often each was tried; reasons: of refused issuers' statements
//	request.refused   user, address, minute                  requests: how often each was refused
//	tenant.read       tenant, operator, address, minute      requests: how often each was made
//	channel.test      channel, operator, address, minute     tests: how often each credential called each model or the list of models; no channel if it is not stored
//	access_key.use    key, address, day, of all consoles together
//	audit_log.lost    outage                                 count: how many events could not be recorded
//
// Events are counted so that a refused request waits for no database and a flood
// of them writes few rows: at most two for each of these combinations, and at most maxSums combinations at a time.
// Events beyond that are counted together. While the database does not answer, at most maxSums combinations wait; the
// events of others are lost and counted. An event that the database refuses for its content is lost alone: the others
// are written.
package auditbuffer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/periodic"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// The actions of the entries.
const (
	SignInRefused  = "session.refused"
	RequestRefused = "request.refused"
	TenantRead     = "tenant.read"
	ChannelTested  = "channel.test"
	KeyUsed        = "access_key.use"
	EventsLost     = "audit_log.lost"
)

const (
	writeEvery = 2 * time.Second
	writeTime  = 30 * time.Second // time-out of one write
	maxSums    = 2000             // combinations that are counted at a time
	maxDetails = 20               // accounts or requests that one entry names
	maxUses    = 10_000           // uses of keys that are remembered
	maxText    = 254              // bytes of an account or a request in an entry
)

// others is the name under which an entry counts what it has no room to name.
const others = "others"

// Log is the part of the store that Buffer writes. Chain links entries of every origin to the chain of their tenant.
type Log interface {
	Append(ctx context.Context, scope tenant.Scope, entries []audit.Entry) error
	Chain(ctx context.Context, scope tenant.Scope, since time.Time) (int, error)
}

// Event is one event. What is the account or the request, Why the reason of a refused sign-in, "" for the usual one.
type Event struct {
	Action           string
	TenantID, UserID uuid.UUID // uuid.Nil: the platform; nobody who is known
	Actor            string
	Target           string
	Address          netip.Addr
	What, Why        string
}

// combination holds the values that all events of one entry share. The minute is that of the first.
type combination struct {
	minute                 time.Time
	action                 string
	tenant, user           uuid.UUID
	actor, target, address string
}

// sum counts the events of a combination that are not written yet.
type sum struct {
	start   time.Time
	count   int64
	details map[string]int64
	reasons map[string]int64
	written bool // an entry for the combination exists
}

// counted is a sum with its combination.
type counted struct {
	combination
	*sum
}

// use is a use of an access key from a network.
type use struct {
	key, address string
	day          time.Time
}

// Options are the dependencies of New.
type Options struct {
	Log      Log
	Now      func() time.Time
	Logger   *slog.Logger
	Registry *prometheus.Registry
}

// Buffer counts events and writes them. It is safe for concurrent use. The zero Buffer is not usable.
type Buffer struct {
	Options
	refused prometheus.Counter
	lost    prometheus.Counter
	scope   tenant.Scope

	mu   sync.Mutex
	sums map[combination]*sum
	uses map[use]struct{}

	writing  *periodic.Task
	linkedAt time.Time // all entries that were written before have a link; zero: unknown. Only for writing
}

// New returns a Buffer that counts, and writes nothing before Start.
func New(o Options) (*Buffer, error) {
	b := &Buffer{
		Options: o, scope: tenant.SystemScope("console"), sums: map[combination]*sum{}, uses: map[use]struct{}{},
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_sign_ins_refused_total", Help: "Attempts to sign in that were refused: wrong passwords, " +
				"second factors and passkeys, and attempts after too many of them.",
		}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_audit_events_lost_total", Help: "Events that the audit log has no entry for: too many " +
				"waited for the database, or it refused their content.",
		}),
	}
	b.writing = periodic.New(writeEvery, b.work)
	if err := errors.Join(o.Registry.Register(b.refused), o.Registry.Register(b.lost)); err != nil {
		return nil, fmt.Errorf("register the metrics of the audit log: %w", err)
	}
	return b, nil
}

// work writes what is due, and links entries.
func (b *Buffer) work(ctx context.Context) {
	b.write(ctx, b.Now())
	b.chain(ctx)
}

// Note counts the event.
func (b *Buffer) Note(e *Event) {
	now := b.Now().UTC()
	if e.Action == SignInRefused {
		b.refused.Inc()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := combination{
		minute: now.Truncate(time.Minute), action: e.Action, tenant: e.TenantID, user: e.UserID, actor: e.Actor,
		target: e.Target, address: networkOf(e.Address),
	}
	if b.sums[key] == nil && len(b.sums) >= maxSums {
		key = combination{minute: key.minute, action: e.Action, actor: others}
	}
	s := b.sums[key]
	if s == nil {
		s = &sum{start: now, details: map[string]int64{}, reasons: map[string]int64{}}
		b.sums[key] = s
	}
	s.add(e.What, 1, now)
	count(s.reasons, e.Why, 1)
}

// add counts an event n times.
func (s *sum) add(event string, n int64, at time.Time) {
	if s.count == 0 {
		s.start = at
	}
	s.count += n
	count(s.details, event, n)
}

// count adds n to the number of a text that is not "", or to that of others if there are many texts.
func count(texts map[string]int64, text string, n int64) {
	if text == "" {
		return
	}
	text = field.Clean(text[:min(len(text), maxText)])
	if _, ok := texts[text]; !ok && len(texts) >= maxDetails {
		text = others
	}
	texts[text] += n
}

// Use records that the access key was used from the address, if it is the first time on this day. It remembers uses, so
// that few of them reach the database, which has the uses of all consoles.
func (b *Buffer) Use(e *Event) {
	now := b.Now().UTC()
	u := use{key: e.Target, address: networkOf(e.Address), day: now.Truncate(24 * time.Hour)}
	b.mu.Lock()
	_, ok := b.uses[u]
	if !ok {
		if len(b.uses) >= maxUses {
			clear(b.uses)
		}
		b.uses[u] = struct{}{}
	}
	b.mu.Unlock()
	if !ok {
		b.Note(e)
	}
}

// networkOf returns the text of the network of a client's address; "" without an address.
func networkOf(client netip.Addr) string {
	if !client.IsValid() {
		return ""
	}
	return address.Network(client)
}

// Start writes in the background until Stop.
func (b *Buffer) Start(ctx context.Context) error {
	b.writing.Start(ctx)
	return nil
}

// Stop ends the background work and writes what is counted. It may be called twice, or before Start.
func (b *Buffer) Stop(ctx context.Context) error {
	b.writing.Stop()
	b.write(ctx, b.Now().Add(time.Minute)) // those of the present minute too
	b.chain(ctx)
	return nil
}

// chain links the entries that have no link yet. The first time it looks at all entries, because some may have been
// written while no console ran, and then at those since its last success.
func (b *Buffer) chain(ctx context.Context) {
	begun := b.Now()
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	for {
		n, err := b.Log.Chain(ctx, b.scope, b.linkedAt)
		if errors.Is(err, audit.ErrOvertaken) {
			return
		}
		if err != nil {
			b.Logger.WarnContext(ctx, "audit entries wait for their links", "error", err)
			return
		}
		if n == 0 {
			b.linkedAt = begun
			return
		}
	}
}

// write writes the sums that are due: those without an entry, and those of minutes that have ended at a time. Those
// that cannot be written now stay.
func (b *Buffer) write(ctx context.Context, now time.Time) {
	due := b.take(now)
	if len(due) == 0 {
		return
	}
	slices.SortFunc(due, func(a, b counted) int {
		return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.action, b.action), cmp.Compare(a.actor, b.actor),
			cmp.Compare(a.target, b.target))
	})
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	if remainder, err := b.append(ctx, due); err != nil {
		b.Logger.WarnContext(ctx, "audit entries wait for the database", "entries", len(remainder), "error", err)
		b.giveBack(remainder)
	}
}

// append writes the sums, and returns those that must wait with the reason. If the database refuses their content, it
// writes both halves separately. It drops a single sum that is refused.
func (b *Buffer) append(ctx context.Context, due []counted) (remainder []counted, err error) {
	entries := make([]audit.Entry, 0, len(due))
	for i := range due {
		entries = append(entries, due[i].entry())
	}
	err = b.Log.Append(ctx, b.scope, entries)
	switch {
	case err == nil:
		return nil, nil
	case db.Transient(err):
		return due, err
	case len(due) == 1:
		b.Logger.ErrorContext(ctx, "audit entry dropped: the database refuses its content", "action", due[0].action,
			"events", due[0].count, "error", err)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lose(&due[0])
		return nil, nil
	}
	half := len(due) / 2
	if remainder, err = b.append(ctx, due[:half]); err != nil {
		return slices.Concat(remainder, due[half:]), err
	}
	return b.append(ctx, due[half:])
}

// take removes and returns the sums that are due at a time.
func (b *Buffer) take(now time.Time) (due []counted) {
	minute := now.UTC().Truncate(time.Minute)
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, s := range b.sums {
		isOver := key.minute.Before(minute)
		if s.count > 0 && (isOver || !s.written) {
			due = append(due, counted{key, s})
			b.sums[key] = &sum{details: map[string]int64{}, reasons: map[string]int64{}, written: true}
		}
		if isOver {
			delete(b.sums, key)
		}
	}
	return due
}

// giveBack adds sums that could not be written to those that are counted, within maxSums. It loses the others.
func (b *Buffer) giveBack(remainder []counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range remainder {
		key, s := remainder[i].combination, remainder[i].sum
		if now := b.sums[key]; now != nil {
			for event, n := range now.details {
				s.add(event, n, s.start)
				s.count -= n
			}
			for reason, n := range now.reasons {
				count(s.reasons, reason, n)
			}
			s.count += now.count
		} else if len(b.sums) >= maxSums && key.action != EventsLost {
			b.lose(&remainder[i])
			continue
		}
		b.sums[key] = s
	}
}

// lose counts the events of a sum that is given up, for an entry of its own. The caller has the lock.
func (b *Buffer) lose(c *counted) {
	if c.action == EventsLost {
		return // they are counted already
	}
	b.lost.Add(float64(c.count))
	key := combination{action: EventsLost, actor: "console"} // of no minute: it is due at once
	s := b.sums[key]
	if s == nil {
		s = &sum{details: map[string]int64{}, reasons: map[string]int64{}}
		b.sums[key] = s
	}
	s.add("", c.count, c.start)
}

// entry returns the entry of the audit log for the sum.
func (c *counted) entry() audit.Entry {
	detail := map[string]any{}
	if c.action != KeyUsed || c.target == "" {
		detail["count"] = c.count
	}
	if len(c.details) > 0 {
		detail[map[string]string{SignInRefused: "accounts", RequestRefused: "requests", TenantRead: "requests",
			ChannelTested: "tests", KeyUsed: "key"}[c.action]] = c.details
	}
	if len(c.reasons) > 0 {
		detail["reasons"] = c.reasons
	}
	return audit.Entry{
		TenantID: c.tenant, ActorID: c.user, Actor: c.actor, Action: c.action, Target: c.target, Address: c.address,
		Detail: detail, CreatedAt: c.start, Daily: c.action == KeyUsed && c.target != "",
	}
}
