package bpe

import (
	"math"
	"unicode/utf8"
)

const (
	// maxUnits is the upper bound of the units that are joined at a time. The time for each unit grows with it.
	maxUnits  = 32
	indexMask = maxUnits - 1 // the bits of a key that hold an index; those above hold a rank
	noKey     = math.MaxUint32
)

// joiner joins the units of a part of a piece. A unit begins as a character, or as a byte of a character that is not a
// token, and grows until it forms no token with an adjacent unit. Units are numbered by their first position.
type joiner struct {
	begins         [maxUnits + 1]uint8 // where the units begin in the part, then the end of the part
	previous, next [maxUnits + 1]uint8 // the units before and after each unit
	// keys[i] is the rank of unit i joined with the next one, followed by i; noKey if they form no token or unit i
	// is part of another one.
	keys [maxUnits]uint32
	n    int // number of units at the beginning
}

// split splits the beginning of part into its first units and returns its length.
func (j *joiner) split(e *Encoding, part string) (length int) {
	for length < len(part) {
		_, size := utf8.DecodeRuneInString(part[length:])
		if j.n+size > maxUnits {
			break // the bytes of this character may not fit
		}
		if size > 1 && e.rank(part[length:length+size]) == noToken {
			for range size - 1 {
				j.add(length)
				length++
			}
			size = 1
		}
		j.add(length)
		length += size
	}
	j.begins[j.n] = uint8(length)
	return length
}

// add adds a unit that begins at the position.
func (j *joiner) add(begin int) {
	j.begins[j.n] = uint8(begin)
	j.previous[j.n+1], j.next[j.n] = uint8(j.n), uint8(j.n+1)
	j.n++
}

// join joins the units of part and returns how many are left.
func (j *joiner) join(e *Encoding, part string) int64 {
	for i := range j.n {
		j.update(e, part, uint8(i))
	}
	for parts := j.n; ; parts-- {
		best := uint32(noKey)
		for _, key := range j.keys[:j.n] {
			best = min(best, key)
		}
		if best == noKey {
			return int64(parts)
		}
		at := uint8(best & indexMask)
		right := j.next[at]
		after := j.next[right]
		j.keys[right] = noKey
		j.next[at], j.previous[after] = after, at
		j.update(e, part, at)
		if at > 0 {
			j.update(e, part, j.previous[at])
		}
	}
}

// update sets the key of unit i.
func (j *joiner) update(e *Encoding, part string, i uint8) {
	j.keys[i] = noKey
	next := j.next[i]
	if int(next) == j.n {
		return
	}
	if rank := e.rank(part[j.begins[i]:j.begins[j.next[next]]]); rank != noToken {
		j.keys[i] = rank*maxUnits | uint32(i)
	}
}
