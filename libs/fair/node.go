package fair

import "slices"

// maxSpare is the number of nodes that are kept to be used again.
const maxSpare = 64

// node is a key, below the keys before it, with all requests that have these keys. The root is no key and has all
// requests. Keys without a request are removed.
type node[K comparable] struct {
	parent   *node[K] // nil for the root
	key      K
	depth    int // 0 for the root, 1 for first keys
	children map[K]*node[K]

	weight   int64         // weight of the requests that are granted
	waiters  int           // number of those that wait
	turns    []*node[K]    // children with requests that wait, in the order of their turns
	requests []*request[K] // that wait and have no further key, in the order in which they came
}

// request is a request that waits.
type request[K comparable] struct {
	at     *node[K]
	weight int64
	answer chan bool // gets one value: true with the weight, false when another key takes the place
}

func newRequest[K comparable](at *node[K], weight int64) *request[K] {
	return &request[K]{at: at, weight: weight, answer: make(chan bool, 1)}
}

// find returns the node of the keys, and makes it if there is none.
func (q *Queue[K]) find(keys []K) *node[K] {
	n := &q.root
	for _, key := range keys {
		child := n.children[key]
		if child == nil {
			child = q.newNode()
			child.parent, child.key, child.depth = n, key, n.depth+1
			if n.children == nil {
				n.children = map[K]*node[K]{}
			}
			n.children[key] = child
		}
		n = child
	}
	return n
}

func (q *Queue[K]) newNode() *node[K] {
	top := len(q.spare) - 1
	if top < 0 {
		return new(node[K])
	}
	n := q.spare[top]
	q.spare = q.spare[:top]
	return n
}

// trim removes the node, and those above it, if they have no request.
func (q *Queue[K]) trim(n *node[K]) {
	for n.parent != nil && n.weight == 0 && n.waiters == 0 {
		parent := n.parent
		delete(parent.children, n.key)
		if len(q.spare) < maxSpare {
			var none K
			n.parent, n.key = nil, none
			q.spare = append(q.spare, n)
		}
		n = parent
	}
}

// hold adds weight to the node and all above it.
func (n *node[K]) hold(weight int64) {
	for ; n != nil; n = n.parent {
		n.weight += weight
	}
}

// hasRoom reports whether the bounds of this node permit the weight.
func (q *Queue[K]) hasRoom(n *node[K], weight int64) bool {
	sum, o := n.weight+weight, &q.options
	switch {
	case n.depth == 0:
		return o.Total == 0 || sum <= o.Total
	case n.depth == 1 && o.PerKey > 0 && sum > o.PerKey:
		return false
	}
	return o.MaxOfFree == 0 || q.freeAfter(n, weight) >= 0
}

// freeAfter returns the weight that Total and MaxOfFree leave to the node when it holds the weight in addition.
func (q *Queue[K]) freeAfter(n *node[K], weight int64) int64 {
	if n.parent == nil {
		return q.options.Total - n.weight - weight
	}
	return q.options.MaxOfFree*q.freeAfter(n.parent, weight) - n.weight - weight
}

// fits reports whether the bounds of the node and of all above it permit the weight.
func (q *Queue[K]) fits(n *node[K], weight int64) bool {
	for ; n != nil; n = n.parent {
		if !q.hasRoom(n, weight) {
			return false
		}
	}
	return true
}

// canFit reports whether the weight fits into the node if nothing is held.
func (q *Queue[K]) canFit(n *node[K], weight int64) bool {
	o := &q.options
	if o.Total > 0 && weight > o.Total || o.PerKey > 0 && weight > o.PerKey {
		return false
	}
	if o.MaxOfFree == 0 {
		return true
	}
	free := o.Total - weight
	for range n.depth {
		free = o.MaxOfFree*free - weight
	}
	return free >= 0
}

// serve grants the requests whose turn it is, as long as there is room.
func (q *Queue[K]) serve() {
	for q.root.waiters > 0 {
		r := q.next(&q.root)
		if r == nil {
			return
		}
		q.remove(r)
		for n := r.at; n.parent != nil; n = n.parent {
			if n.waiters > 0 { // its next turn is after those of the others
				n.parent.skip(n)
				q.enqueue(n)
			}
		}
		r.at.hold(r.weight)
		r.answer <- true
	}
}

// next returns the request at or below the node whose turn it is, nil if none may be granted. Requests that wait for
// the bound of a child are passed. Nobody passes one that waits for the bound of the node itself.
func (q *Queue[K]) next(n *node[K]) *request[K] {
	for _, child := range n.turns {
		if r := q.next(child); r != nil {
			if !q.hasRoom(n, r.weight) {
				return nil
			}
			return r
		}
	}
	if len(n.requests) == 0 || !q.hasRoom(n, n.requests[0].weight) {
		return nil
	}
	return n.requests[0]
}

// add lets the request wait.
func (q *Queue[K]) add(r *request[K]) {
	r.at.requests = append(r.at.requests, r)
	for n := r.at; n != nil; n = n.parent {
		if n.waiters++; n.waiters == 1 && n.parent != nil {
			q.enqueue(n)
		}
	}
}

// remove ends the wait of the request and reports whether it was waiting.
func (q *Queue[K]) remove(r *request[K]) bool {
	i := slices.Index(r.at.requests, r)
	if i < 0 {
		return false
	}
	r.at.requests = slices.Delete(r.at.requests, i, i+1)
	for n := r.at; n != nil; n = n.parent {
		if n.waiters--; n.waiters == 0 && n.parent != nil {
			n.parent.skip(n)
		}
	}
	return true
}

// enqueue gives a child the last turn among those of its parent that have the same priority.
func (q *Queue[K]) enqueue(child *node[K]) {
	n := child.parent
	at := len(n.turns)
	if q.options.Priority != nil && n == &q.root {
		rank := q.options.Priority(child.key)
		for at > 0 && q.options.Priority(n.turns[at-1].key) > rank {
			at--
		}
	}
	n.turns = slices.Insert(n.turns, at, child)
}

// skip takes the turn of a child away.
func (n *node[K]) skip(child *node[K]) {
	i := slices.Index(n.turns, child)
	n.turns = slices.Delete(n.turns, i, i+1)
}

// makePlace reports whether one more request of the node may wait. Where too many wait, it takes the place of another
// key.
func (q *Queue[K]) makePlace(n *node[K]) bool {
	var child *node[K]
	for ; n != nil; child, n = n, n.parent {
		if n.depth >= len(q.options.MaxWaiting) || q.options.MaxWaiting[n.depth] == 0 ||
			n.waiters < q.options.MaxWaiting[n.depth] {
			continue
		}
		if child == nil || q.options.Priority != nil || !q.displace(n, child) {
			return false
		}
	}
	return true
}

// displace ends the wait of the newest request of the child with the most of them, in favor of another child. It
// returns false if no child has more requests than that one would have.
func (q *Queue[K]) displace(n, child *node[K]) bool {
	victim := slices.MaxFunc(n.turns, func(a, b *node[K]) int { return a.waiters - b.waiters })
	if victim.waiters <= child.waiters+1 {
		return false
	}
	for len(victim.turns) > 0 {
		victim = victim.turns[len(victim.turns)-1]
	}
	newest := victim.requests[len(victim.requests)-1]
	q.remove(newest)
	q.trim(newest.at)
	q.refusals++
	newest.answer <- false
	return true
}
