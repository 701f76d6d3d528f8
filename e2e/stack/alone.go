package stack

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
)

// Alone prepares a command that runs in new Linux network and process namespaces. Nothing else listens in that
// network, so the command's ports and addresses are always free. All processes in the namespace end when the
// command ends or when this process ends. The caller starts the command. If this machine cannot create
// namespaces (it needs root), the error wraps ErrMissing.
func Alone(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	for _, program := range []string{"unshare", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%s: %w", program, ErrMissing)
		}
	}
	if output, err := alone(ctx, "true").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("create a network namespace (needs root): %w: %s%w", err, output, ErrMissing)
	}
	return alone(ctx, name, args...), nil
}

// alone returns the command wrapped in unshare. The loopback interface of a new network namespace is down and
// must be enabled before the command runs.
func alone(ctx context.Context, name string, args ...string) *exec.Cmd {
	unshare := []string{"--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c",
		`ip link set lo up && exec "$@"`, "sh"}
	cmd := exec.CommandContext(ctx, "unshare", append(append(unshare, name), args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
