// Package memory bounds the bytes that the calls in flight hold for request bodies and for large answers.
//
// A count of calls does not bound memory, because one body may be a thousand times as large as another. So each
// relay has a Budget in bytes. A call takes from it before it allocates, in a Use, and gives back when the memory is
// free again:
//
//	Take     before the first byte is read: room for the first buffer
//	Grow     before a larger buffer is allocated, as bytes arrive: a header alone reserves no memory
//	Try      as Grow, for memory that the call can do without
//	Shrink   the smaller buffer is free again
//	Keep     the upstream has answered: only these bytes are still in use
//	Release  the call has ended
//
// The bytes in use never exceed the size of the budget. Tenants share it like this:
//
//   - A tenant takes at most four times what is free afterwards: alone four fifths of the budget, a second one then
//     four fifths of the rest. While a call of another tenant waits, it takes no more than half.
//   - When room becomes free, the tenant that holds the least is served first. Among the calls of a tenant, small
//     bodies come first, then bodies that are being read, then large bodies that wait to be read; each in order of
//     arrival.
//   - A call that finds no room waits for a limited time with its body unread, and is then refused.
//
// A large body counts with its declared length against the part of its own tenant, so that a tenant's bodies are read
// one after the other instead of all being read in part. This expectation ends when the body arrives slowly. While a
// call waits, bodies that have stalled are given up, so that they cannot keep their memory (stall.go).
//
// The memory of large bodies is a Buffer, which a later call gets when the Use and all uploads have released it.
package memory

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// SmallBody is the size in bytes up to which a body is small. Small bodies pass large ones in the queue of their
// tenant.
const SmallBody = 64 << 10

const (
	// retryAfter is the advice to a client that found no room.
	retryAfter = time.Second
	// maxWaiting bounds the calls of one tenant that wait before their bodies are read. Further ones are refused
	// at once.
	maxWaiting = 256
)

// Options configures a Budget. All fields are required.
type Options struct {
	Bytes int64         // the size of the budget
	Wait  time.Duration // how long a call waits for room
	Now   func() time.Time
}

// Budget is a number of bytes that calls share. It is safe for concurrent use.
type Budget struct {
	size int64
	wait time.Duration
	now  func() time.Time

	mu       sync.Mutex
	inUse    int64
	tenants  map[uuid.UUID]*account // tenants with a Use
	spare    []*account             // accounts to use again, which saves an allocation for most calls
	queue    []*account             // tenants with waiting calls
	waiters  int                    // calls that wait
	swept    time.Time              // when stalled bodies were last looked for
	refusals int64                  // calls that found no room, since the start
	stalls   int64                  // bodies that were given up because they had stalled, since the start
}

// New returns an empty Budget.
func New(o Options) *Budget {
	return &Budget{size: o.Bytes, wait: o.Wait, now: o.Now, tenants: map[uuid.UUID]*account{}}
}

// account is the share of one tenant. The budget's mu guards it.
type account struct {
	tenant   uuid.UUID
	uses     int               // Uses that are not released
	held     int64             // bytes in use
	expected int64             // bytes of declared bodies that have not arrived yet
	waiters  [classes][]*ask   // calls that wait
	reading  map[*Use]struct{} // Uses whose large bodies are being read; nil for none
}

// Stats are the figures of a Budget at one moment.
type Stats struct {
	Size    int64 // bytes
	Used    int64 // bytes
	Waiting int64 // calls that wait for room
	Refused int64 // calls that found no room, since the start
	Stopped int64 // bodies that were given up because they had stalled while others waited, since the start
}

// Stats returns the present figures.
func (b *Budget) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Size: b.size, Used: b.inUse, Waiting: int64(b.waiters), Refused: b.refusals, Stopped: b.stalls}
}

// Use is the memory of one call. Its methods must not be called concurrently, except that a Grow may wait while others
// Try and Shrink, and that the budget may call Stop of its Body at any time before Finish or Release.
type Use struct {
	budget  *Budget
	account *account

	// The budget's mu guards these.
	held, expected int64
	waits          bool
	stop           func()
	gaveUp         bool

	unmarked int64 // bytes that arrived since the last mark; only the reader uses it
	mark     mark

	buffer *Buffer // of the body; nil for none, or after Keep
}

// Body describes a body that is about to be read.
type Body struct {
	Tenant uuid.UUID
	First  int64 // size of the first buffer
	Length int64 // declared length; First if it is unknown or not larger than First
	// Stop ends the reading of a body that has stalled. It is called at most once, and must not block. nil if the
	// body cannot stall.
	Stop func()
}

// Take reserves the first buffer of a body. It waits for room, and returns an Overloaded problem if there is none in
// time, or TooLarge if there can be none. The caller must release the Use.
func (b *Budget) Take(ctx context.Context, body Body) (*Use, error) {
	u := &Use{budget: b, stop: body.Stop}
	a := ask{use: u, bytes: body.First, expects: max(0, body.Length-body.First), class: begin}
	if body.First+a.expects <= SmallBody {
		a.class = small
	}
	b.mu.Lock()
	u.account = b.account(body.Tenant)
	u.account.uses++
	if err := b.get(ctx, a); err != nil {
		u.Release()
		return nil, err
	}
	if u.stop != nil {
		b.watch(u)
	}
	return u, nil
}

// Grow takes n more bytes. It waits for room, and returns an Overloaded problem if there is none in time, or TooLarge
// if there can be none; the Use then holds what it held before.
func (u *Use) Grow(ctx context.Context, n int64) error {
	u.budget.mu.Lock()
	return u.budget.get(ctx, ask{use: u, bytes: n, class: growth})
}

// Try takes n more bytes if there is room now, and reports whether it did. Unlike Grow it never waits.
func (u *Use) Try(n int64) bool {
	u.budget.mu.Lock()
	defer u.budget.mu.Unlock()
	a := ask{use: u, bytes: n, class: growth}
	if u.account.waitsBefore(growth) || !u.budget.fits(u.account, &a) {
		return false
	}
	u.budget.grant(&a)
	return true
}

// Shrink gives back n of the bytes.
func (u *Use) Shrink(n int64) {
	b := u.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveBack(u, min(n, u.held))
}

// Own makes the Use a user of the buffer, until Keep or Release.
func (u *Use) Own(buffer *Buffer) { u.buffer = buffer }

// Buffer returns the buffer that the Use owns, nil for none.
func (u *Use) Buffer() *Buffer { return u.buffer }

// disown releases the buffer.
func (u *Use) disown() {
	if u.buffer != nil {
		u.buffer.Release()
		u.buffer = nil
	}
}

// Keep gives back all but n of the bytes, or nothing if the Use holds less. It releases the buffer.
func (u *Use) Keep(n int64) {
	u.disown()
	b := u.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveBack(u, max(0, u.held-n))
}

// Finish notes that the whole body has arrived. It returns false if the body was given up before.
func (u *Use) Finish() bool {
	b := u.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unwatch(u)
	return !u.gaveUp
}

// Release gives everything back and ends the Use. A nil Use and a Use that is released hold nothing.
func (u *Use) Release() {
	if u == nil || u.account == nil {
		return
	}
	u.disown()
	b, a := u.budget, u.account
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unwatch(u)
	a.uses--
	b.giveBack(u, u.held)
	u.account = nil
	if a.uses == 0 {
		delete(b.tenants, a.tenant)
		if len(b.spare) < maxSpare {
			b.spare = append(b.spare, a)
		}
	}
}

// maxSpare is the number of accounts that are kept for use again.
const maxSpare = 64

// account returns the account of a tenant. The caller holds mu.
func (b *Budget) account(tenant uuid.UUID) *account {
	if a := b.tenants[tenant]; a != nil {
		return a
	}
	var a *account
	if n := len(b.spare); n > 0 {
		a, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		a = new(account)
	}
	a.tenant = tenant
	b.tenants[tenant] = a
	return a
}

// giveBack returns n bytes of a Use to the budget and serves the calls that wait. The caller holds mu.
func (b *Budget) giveBack(u *Use, n int64) {
	u.held -= n
	u.account.held -= n
	b.inUse -= n
	b.serve()
}

// tooLarge returns the problem of a call that needs more than a tenant can ever have.
func tooLarge() error {
	return problem.New(problem.TooLarge, "The request needs more memory than this gateway has for one. Send a "+
		"smaller one, with fewer parts, or ask for a smaller answer.")
}

// refusal returns the problem of a call that found no room.
func refusal() error { return problem.Of(problem.Overloaded).After(retryAfter) }
