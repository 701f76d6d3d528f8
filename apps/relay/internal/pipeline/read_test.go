package pipeline

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
)

// The first buffer of a large body is used again for the next one.
func TestBodyRead_SharesNoMemoryBetweenBodies(t *testing.T) {
	t.Parallel()
	budget := memory.New(memory.Options{Bytes: 64 << 20, Wait: time.Second, Now: time.Now})
	read := func(letter string, size int) []byte {
		t.Helper()
		use, err := budget.Take(t.Context(), memory.Body{Tenant: uuid.New(), First: memory.SmallBody,
			Length: int64(size)})
		if err != nil {
			t.Fatal(err)
		}
		defer use.Release()
		b := body{length: int64(size), limit: 32 << 20, use: use}
		if err := b.read(t.Context(), strings.NewReader(strings.Repeat(letter, size))); err != nil {
			t.Fatal(err)
		}
		return b.bytes
	}
	letters := strings.Split("abcdefgh", "")
	sizes := []int{memory.SmallBody, memory.SmallBody + 1, 3 * memory.SmallBody, 2 << 20}
	var bodies [][]byte
	for i, letter := range letters {
		bodies = append(bodies, read(letter, sizes[i%len(sizes)]))
	}
	for i, letter := range letters {
		if want := bytes.Repeat([]byte(letter), sizes[i%len(sizes)]); !bytes.Equal(bodies[i], want) {
			t.Errorf("the body of %d times %q has changed", len(want), letter)
		}
	}
}
