package memory

import (
	"testing"
	"testing/quick"
)

func TestBuffer_HasTheSizeThatIsReserved(t *testing.T) {
	fits := func(n uint32) bool {
		size := int64(n%(3<<20) + 1)
		b := NewBuffer(size)
		defer b.Release()
		room := int64(len(b.Bytes()))
		return room == BufferSize(size) && size <= room && room < size+bufferStep
	}
	if err := quick.Check(fits, &quick.Config{MaxCount: 2_000}); err != nil {
		t.Error(err)
	}
}

func TestBuffer_IsNotUsedAgainWhileItHasAUser(t *testing.T) {
	first := NewBuffer(bufferStep)
	first.Retain()
	first.Release()
	copy(first.Bytes(), "kept")
	for range 100 {
		other := NewBuffer(bufferStep)
		if other == first {
			t.Fatal("got a buffer that has a user")
		}
		copy(other.Bytes(), "lost")
		other.Release()
	}
	if got := string(first.Bytes()[:4]); got != "kept" {
		t.Errorf("got %q, want what was written", got)
	}
}

func TestUse_ReleasesItsBufferOnce(t *testing.T) {
	for name, end := range map[string]func(*Use){
		"release": (*Use).Release,
		"keep":    func(u *Use) { u.Keep(0); u.Release() },
	} {
		t.Run(name, func(t *testing.T) {
			use := take(t, budget(), tenantA, bufferStep)
			buffer := NewBuffer(bufferStep)
			buffer.Retain() // so that no other test gets it
			use.Own(buffer)
			end(use)
			if got := buffer.users.Load(); got != 1 {
				t.Errorf("got %d users, want the one of the test", got)
			}
		})
	}
}
