// Package turn bounds how much expensive work runs at once, and lets clients take turns at it fairly.
//
// A Line has a few slots. A client that finds none free waits in one of three lanes. A slot that becomes free goes to the
// lanes in turn, in a lane to the addresses in turn, and at an address to the accounts in turn. So a flood from one
// address, or at one account, waits behind itself, and a flood from many addresses leaves the other lanes alone.
//
// The number of waiting clients is bounded in all, by address and by account, and so is the time that each one
// waits. An address without a waiting client gets a place even in a full lane: the address with the most waiting
// clients loses its newest one.
package turn

import (
	"context"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// The bounds of each lane. A lane holds about as many clients as one slot serves while they wait.
const (
	maxWaiting   = 64 // clients
	maxByAddress = 16 // clients of one address
	maxByAccount = 8  // clients at one account, from all addresses together
)

// Patience is the longest time that a client waits for a slot in all programs. Only tests wait longer.
const Patience = 5 * time.Second

// Ticket describes the client that waits for a slot.
type Ticket struct {
	Lane    Lane
	Address string // network of the client, or the user who is signed in
	Account string
}

// Lane says among which clients a client waits.
type Lane uint8

// The lanes.
const (
	Known  Lane = iota // clients that have proven who they are before
	Fresh              // strangers at addresses that have not asked for long
	Others             // all other strangers

	lanes = iota
)

// Line gives out slots. It is safe for concurrent use.
type Line struct {
	patience time.Duration // longest wait of a client
	mu       sync.Mutex
	free     int
	lanes    [lanes]lane
	turn     int // the lane that is served next if clients wait in it
}

// New returns a Line with the number of slots, in which a client waits no longer than patience.
func New(slots int, patience time.Duration) *Line {
	return &Line{patience: patience, free: slots, lanes: [lanes]lane{newLane(), newLane(), newLane()}}
}

// waiter is a client that waits.
type waiter struct {
	Ticket
	called chan bool // gets one value: true with a slot, false when the place goes to another address
}

// Take waits for a slot. The caller must call release once. Take returns an Overloaded problem if the client finds no
// place, loses it, or has waited for the patience of the line, and the error of ctx if ctx ends first.
func (l *Line) Take(ctx context.Context, t Ticket) (release func(), err error) {
	w, err := l.join(t)
	if err != nil || w == nil {
		return l.leave, err
	}
	timer := time.NewTimer(l.patience)
	defer timer.Stop()
	select {
	case slot := <-w.called:
		if !slot {
			return nil, overloaded()
		}
		return l.leave, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = overloaded()
	}
	if !l.withdraw(w) && <-w.called { // the slot came at the same moment
		l.leave()
	}
	return nil, err
}

// overloaded returns the problem of a client that gets no slot.
func overloaded() error { return problem.Of(problem.Overloaded).After(Patience) }

// join takes a free slot, for which it returns nil, or a place among the waiting clients.
func (l *Line) join(t Ticket) (*waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 { // then nobody waits
		l.free--
		return nil, nil //nolint:nilnil // no waiter: the client has a slot
	}
	w := &waiter{Ticket: t, called: make(chan bool, 1)}
	if !l.lanes[t.Lane].add(w) {
		return nil, overloaded()
	}
	return w, nil
}

// leave passes a slot on to the next waiting client.
func (l *Line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range lanes {
		next := l.lanes[l.turn].next()
		l.turn = (l.turn + 1) % lanes
		if next != nil {
			next.called <- true
			return
		}
	}
	l.free++
}

// withdraw removes a waiting client and reports whether it was still waiting. If it was not, called has its value.
func (l *Line) withdraw(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lanes[w.Lane].remove(w)
}
