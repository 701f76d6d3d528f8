package porttest_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/tollgate/tollgate/libs/porttest"
)

func TestReservedPort_CanBeListenedOnRepeatedly(t *testing.T) {
	p, err := porttest.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if conn, err := net.Dial("tcp", p.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("dial without a server: got %v, %v, want ECONNREFUSED", conn, err)
		}
		l, err := net.Listen("tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(conn.Close(), l.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Release(); err != nil {
		t.Error(err)
	}
}

func TestReservedPort_IsNotGivenToOtherListeners(t *testing.T) {
	p, err := porttest.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release() //nolint:errcheck // tested above
	for range freeFiles(t, 2000) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		if l.Addr().String() == p.Addr() {
			t.Fatal("a listener on port 0 got the reserved port")
		}
	}
}

// freeFiles returns how many files a test may open: nine tenths of the limit of this process, but not more than most.
func freeFiles(t *testing.T, most int) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	return min(most, int(min(limit.Cur, 1<<20))/10*9)
}
