package routing

import (
	"math"
	"slices"

	"github.com/google/uuid"
)

// AffinityOf is the affinity of the calls of a tenant that share a key, such
// as a prompt cache's; 0 for no key. It is the same on every relay.
func AffinityOf(tenant uuid.UUID, key []byte) uint64 {
	if len(key) == 0 {
		return 0
	}
	hash := hashed(hashed(offset, tenant[:]), key)
	return max(mixed(hash), 1)
}

// rendezvous orders channels so that each affinity has an order of its own,
// in which a channel comes first with the chance of its weight, and that a
// channel that comes or goes changes for no other.
func rendezvous(tier []Candidate, affinity uint64) {
	slices.SortStableFunc(tier, func(a, b Candidate) int {
		x, y := score(affinity, a), score(affinity, b)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
}

// score returns the weighted rendezvous-hash score of the channel for this key.
func score(affinity uint64, c Candidate) float64 {
	hash := mixed(hashed(affinity, c.Channel.ID[:]))
	uniform := (float64(hash>>11) + 0.5) / (1 << 53)
	return -float64(c.Channel.Weight) / math.Log(uniform)
}

// Preferred returns the index of the name with the highest score for the
// affinity, -1 if there are no names.
func Preferred(affinity uint64, names []string) int {
	best, most := -1, uint64(0)
	for i, name := range names {
		if hash := mixed(hashed(affinity, []byte(name))); best < 0 || hash > most {
			best, most = i, hash
		}
	}
	return best
}

// FNV-1a, which allocates nothing and is the same in every process.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func hashed(hash uint64, text []byte) uint64 {
	for _, b := range text {
		hash = (hash ^ uint64(b)) * prime
	}
	return hash
}

// mixed spreads a hash over all bits (the finaliser of SplitMix64).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
