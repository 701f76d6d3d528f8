package stack

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

func TestLimitMemory_KillsTheProcessThatNeedsMore(t *testing.T) {
	short(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, row := range []struct {
		name, program string
		killed        bool
	}{
		{"within", "grep -qsx 67108864 /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes", false},
		{"beyond", "head -c 200m /dev/zero | tail -n 1 | wc -c", true}, // tail keeps the whole line in memory
	} {
		t.Run(row.name, func(t *testing.T) {
			p := NewProcess("limited", t.TempDir(), "/bin/bash", "-o", "pipefail", "-c", row.program)
			if err := p.LimitMemory(64 << 20); err != nil {
				if os.Getuid() != 0 {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			if err := p.Launch(); err != nil {
				t.Fatal(err)
			}
			if err := p.Wait(ctx); (err != nil) != row.killed {
				t.Errorf("the process ended with %v: %s", err, p.Log())
			}
			if err := errors.Join(p.Release(), p.Release()); err != nil {
				t.Error(err)
			}
		})
	}
}
