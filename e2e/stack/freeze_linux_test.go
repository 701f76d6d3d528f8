package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// state returns the one-letter state of a process from /proc, for example T for stopped.
func state(t *testing.T, pid int) string {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(raw), ") ")
	return after[:1]
}

func TestFreeze_StopsTheChildrenToo(t *testing.T) {
	p := NewProcess("sh", t.TempDir(), "/bin/sh", "-c", "exec 2>&1; sleep 60 & echo ready; wait")
	if err := p.Launch(); err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	eventually := func(what string, holds func() bool) {
		t.Helper()
		if err := p.Await(ctx, func(context.Context) error {
			if !holds() {
				return errors.New(what)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	var family []int
	eventually("the process has a child", func() bool {
		children, err := childrenOf(p.PID())
		family = append([]int{p.PID()}, children...)
		return err == nil && len(children) == 1 && p.Log() != ""
	})
	for _, step := range []struct {
		name    string
		act     func() error
		stopped bool
	}{{"freeze", p.Freeze, true}, {"thaw", p.Thaw, false}} {
		if err := step.act(); err != nil {
			t.Fatal(err)
		}
		for _, pid := range family {
			eventually(step.name, func() bool { return (state(t, pid) == "T") == step.stopped })
		}
	}
	for _, child := range family[1:] {
		if child, err := os.FindProcess(child); err == nil {
			_ = child.Kill() // ends with the test
		}
	}
}
