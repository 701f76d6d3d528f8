package routing

import (
	"math"
	"slices"

	"github.com/google/uuid"
)

// AffinityOf returns the affinity of the tenant's calls that share a key, such as a prompt cache key. Calls with the
// same affinity go to the same channel. It is never 0 for a key, is 0 without a key, and is the same on every relay.
func AffinityOf(tenant uuid.UUID, key []byte) uint64 {
	if len(key) == 0 {
		return 0
	}
	hash := addToHash(addToHash(fnvOffset, tenant[:]), key)
	return max(mix(hash), 1)
}

// rendezvous sorts channels by weighted rendezvous hashing. Each affinity has its own order, in which a channel comes
// first with a probability proportional to its weight. A channel that is added or removed does not change the order
// of the others, so most affinities keep their channel.
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

// score returns the weighted rendezvous-hash score of the channel for the affinity: -weight / ln(u) for a hash u that
// is uniform in (0, 1). The highest score wins.
func score(affinity uint64, c Candidate) float64 {
	hash := mix(addToHash(affinity, c.Channel.ID[:]))
	uniform := (float64(hash>>11) + 0.5) / (1 << 53)
	return -float64(c.Channel.Weight) / math.Log(uniform)
}

// Preferred returns the index of the name with the highest hash for the affinity, or -1 if there are no names. It
// keeps calls with the same affinity on the same credential of a channel.
func Preferred(affinity uint64, names []string) int {
	best, maxHash := -1, uint64(0)
	for i, name := range names {
		if hash := mix(addToHash(affinity, []byte(name))); best < 0 || hash > maxHash {
			best, maxHash = i, hash
		}
	}
	return best
}

// The constants of the 64-bit FNV-1a hash. It is the same in every process, unlike hash/maphash.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// addToHash continues the FNV-1a hash with text and returns the result. It does not allocate, unlike hash/fnv.
func addToHash(hash uint64, text []byte) uint64 {
	for _, b := range text {
		hash = (hash ^ uint64(b)) * fnvPrime
	}
	return hash
}

// mix spreads a hash over all 64 bits with the finalizer of SplitMix64. FNV-1a alone gives similar inputs
// similar hashes, and score needs the high bits to be uniform.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
