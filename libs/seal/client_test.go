package seal_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/seal"
)

func TestMarkClient_DiffersByTokenAddressAndAgent(t *testing.T) {
	s, token, address := seal.New([32]byte{1}), uuid.New(), netip.MustParseAddr("192.0.2.1")
	marks := []int64{
		s.MarkClient(token, address, "curl/8"),
		s.MarkClient(uuid.New(), address, "curl/8"),
		s.MarkClient(token, netip.MustParseAddr("192.0.2.2"), "curl/8"),
		s.MarkClient(token, address, "curl/9"),
		seal.New([32]byte{2}).MarkClient(token, address, "curl/8"),
	}
	if again := s.MarkClient(token, address, "curl/8"); again != marks[0] {
		t.Errorf("got %d and %d for the same client", marks[0], again)
	}
	slices.Sort(marks)
	if once := slices.Compact(slices.Clone(marks)); len(once) != len(marks) {
		t.Errorf("got equal marks of different clients among %v", marks)
	}
}

func TestMarkClient_AllocatesNothing(t *testing.T) {
	s, token, address := seal.New([32]byte{1}), uuid.New(), netip.MustParseAddr("192.0.2.1")
	if n := testing.AllocsPerRun(100, func() { s.MarkClient(token, address, "curl/8") }); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func TestClientMarks_AreThoseOfBothSecretKeys(t *testing.T) {
	before, after := seal.New([32]byte{1}), seal.NewRotating([32]byte{2}, [32]byte{1})
	token, address := uuid.New(), netip.MustParseAddr("2001:db8::7")
	marks := after.ClientMarks(token, address, "")
	want := []int64{after.MarkClient(token, address, ""), before.MarkClient(token, address, "")}
	if !slices.Equal(marks, want) {
		t.Errorf("got %v, want %v", marks, want)
	}
}

func BenchmarkMarkClient(b *testing.B) {
	s, token, address := seal.New([32]byte{1}), uuid.New(), netip.MustParseAddr("192.0.2.1")
	b.ReportAllocs()
	for b.Loop() {
		s.MarkClient(token, address, "OpenAI/Python 2.1.0")
	}
}
