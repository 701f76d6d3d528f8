package turn

import "slices"

// lane holds the waiting clients of one kind: addresses in the order of their turns, at each address accounts in the
// order of their turns, and at each account clients in the order in which they came. Addresses and accounts without a
// waiting client are not kept.
type lane struct {
	addresses []*address
	waiting   int
	accounts  map[string]int // waiting clients by account, from all addresses together
}

// address is an address with its waiting clients.
type address struct {
	name     string
	waiting  int
	accounts [][]*waiter // at least one, none of them empty
}

func newLane() lane { return lane{accounts: map[string]int{}} }

// add appends the client to those of its address and account, and reports whether there was a place for it. If the
// lane is full, an address with fewer clients than another one takes the place of that one's newest client.
func (l *lane) add(w *waiter) bool {
	from := l.find(w.Address)
	waiting := 0
	if from != nil {
		waiting = from.waiting
	}
	if waiting >= maxByAddress || l.accounts[w.Account] >= maxByAccount {
		return false
	}
	if l.waiting >= maxWaiting && !l.displace(waiting) {
		return false
	}
	if from == nil {
		from = &address{name: w.Address}
		l.addresses = append(l.addresses, from)
	}
	from.add(w)
	l.waiting++
	l.accounts[w.Account]++
	return true
}

// find returns the address with the name, or nil.
func (l *lane) find(name string) *address {
	for _, from := range l.addresses {
		if from.name == name {
			return from
		}
	}
	return nil
}

// displace removes a client of the address with the most clients, for an address that would have more than
// waiting clients. It returns false if no address has more clients than that one would have.
func (l *lane) displace(waiting int) bool {
	most := slices.MaxFunc(l.addresses, func(a, b *address) int { return a.waiting - b.waiting })
	if most.waiting <= waiting+1 {
		return false
	}
	accounts := most.accounts[len(most.accounts)-1]
	last := accounts[len(accounts)-1]
	l.remove(last)
	last.called <- false
	return true
}

// next removes and returns the client whose turn it is, or returns nil if none waits.
func (l *lane) next() *waiter {
	if len(l.addresses) == 0 {
		return nil
	}
	from := l.addresses[0]
	w := from.accounts[0][0]
	l.remove(w)
	// The address goes to the end of the addresses, and the account to the end of those of the address.
	if from.waiting > 0 {
		l.addresses = append(l.addresses[1:], from)
		if first := from.accounts[0]; len(from.accounts) > 1 && first[0].Account == w.Account {
			from.accounts = append(from.accounts[1:], first)
		}
	}
	return w
}

// remove removes the client and reports whether it was waiting.
func (l *lane) remove(w *waiter) bool {
	i := slices.IndexFunc(l.addresses, func(from *address) bool { return from.name == w.Address })
	if i < 0 || !l.addresses[i].remove(w) {
		return false
	}
	if l.addresses[i].waiting == 0 {
		l.addresses = slices.Delete(l.addresses, i, i+1)
	}
	l.waiting--
	if l.accounts[w.Account]--; l.accounts[w.Account] == 0 {
		delete(l.accounts, w.Account)
	}
	return true
}

// add appends the client to those of its account.
func (a *address) add(w *waiter) {
	a.waiting++
	for i, clients := range a.accounts {
		if clients[0].Account == w.Account {
			a.accounts[i] = append(clients, w)
			return
		}
	}
	a.accounts = append(a.accounts, []*waiter{w})
}

// remove removes the client and reports whether it was waiting.
func (a *address) remove(w *waiter) bool {
	for i, clients := range a.accounts {
		j := slices.Index(clients, w)
		if j < 0 {
			continue
		}
		a.waiting--
		if a.accounts[i] = slices.Delete(clients, j, j+1); len(a.accounts[i]) == 0 {
			a.accounts = slices.Delete(a.accounts, i, i+1)
		}
		return true
	}
	return false
}
