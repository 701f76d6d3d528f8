package translate_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// choices makes values out of bytes. Fewer and smaller bytes make a simpler value, so that a value which fails a test
// can be shrunk, and a fuzzer can change it.
type choices struct{ rest []byte }

// below returns a number from 0 to n-1; 0 when no bytes are left.
func (c *choices) below(n int) int {
	if len(c.rest) == 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return int(b) % n
}

// rarely is true in one of n cases.
func (c *choices) rarely(n int) bool { return c.below(n) == n-1 }

// pick returns one of the values. The first is the simplest.
func pick[T any](c *choices, values ...T) T { return values[c.below(len(values))] }

// search runs a property on random bytes. It shrinks the bytes of a failure, and fails the test with the error of the
// smallest.
func search(t *testing.T, rounds, size int, property func(c *choices) error) {
	t.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		data := make([]byte, dice.IntN(size))
		for i := range data {
			data[i] = byte(dice.IntN(256))
		}
		if property(&choices{data}) != nil {
			small := shrink(data, func(data []byte) bool { return property(&choices{data}) != nil })
			t.Fatalf("%v\nof the bytes %#v", property(&choices{small}), small)
		}
	}
}

// shrink returns bytes that still fail, of which no part can be left out or be made smaller.
func shrink(data []byte, fails func([]byte) bool) []byte {
	for again := true; again; {
		again = false
		for size := len(data); size > 0; size /= 2 {
			for at := 0; at+size <= len(data); {
				if shorter := append(bytes.Clone(data[:at]), data[at+size:]...); fails(shorter) {
					data, again = shorter, true
				} else {
					at += size
				}
			}
		}
		for i := range data {
			for _, smaller := range []byte{0, data[i] / 2, data[i] - 1} {
				if smaller >= data[i] {
					continue
				}
				simpler := bytes.Clone(data)
				if simpler[i] = smaller; fails(simpler) {
					data, again = simpler, true
					break
				}
			}
		}
	}
	return data
}

func TestShrink_FindsTheSmallestFailure(t *testing.T) {
	has := func(data []byte) bool { return strings.Contains(string(data), "c") }
	if got := shrink([]byte("abcabcabc"), has); string(got) != "c" {
		t.Errorf("got %q, want c", got)
	}
}
