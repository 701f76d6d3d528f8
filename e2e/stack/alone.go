package stack

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
)

// Alone is a command in a network of its own, in which nothing else listens and
// nothing changes, and among processes of its own, which end with it or with this
// one. Its error has ErrMissing in its chain where this machine cannot do that: it
// takes root.
func Alone(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	for _, program := range []string{"unshare", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%s: %w", program, ErrMissing)
		}
	}
	if out, err := alone(ctx, "true").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("a network of its own (it takes root): %w: %s%w", err, out, ErrMissing)
	}
	return alone(ctx, name, args...), nil
}

func alone(ctx context.Context, name string, args ...string) *exec.Cmd {
	walls := []string{"--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c", `ip link set lo up && exec "$@"`, "sh"}
	cmd := exec.CommandContext(ctx, "unshare", append(append(walls, name), args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
