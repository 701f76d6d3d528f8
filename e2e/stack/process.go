package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/wait"
)

// Process is a child process that may be started again after it ended. Its
// methods are not safe for concurrent use.
type Process struct {
	Name string
	argv []string
	env  []string // complete environment; nil: that of this process
	dir  string
	log  string // path of the file that gets its output, over all starts
	as   *syscall.Credential
	stop syscall.Signal // ends it with this process; 0: SIGKILL

	ports Ports // that it listens at

	cmd    *exec.Cmd
	exited chan struct{}
	err    error // of Wait, valid once exited is closed
}

// NewProcess prepares a process that writes its output to a file in dir.
func NewProcess(name, dir string, argv ...string) *Process {
	return &Process{Name: name, argv: argv, dir: dir, log: filepath.Join(dir, name+".log")}
}

// Launch starts the process.
func (p *Process) Launch() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	defer log.Close() //nolint:errcheck // the child has its own descriptor
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.env, p.dir, log, log
	cmd.SysProcAttr = attributes(p.as, p.stop)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	exited := make(chan struct{})
	p.cmd, p.exited, p.err = cmd, exited, nil
	go func() {
		p.err = cmd.Wait()
		close(exited)
	}()
	return nil
}

// PID returns the process id of the last start.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Running reports whether the process was started and has not ended.
func (p *Process) Running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Kill ends the process with SIGKILL and waits for its end.
func (p *Process) Kill() {
	if p.Running() {
		_ = p.cmd.Process.Kill() // it may have ended by itself
		<-p.exited
	}
}

// Signal sends sig without waiting for its effect.
func (p *Process) Signal(sig os.Signal) error {
	if !p.Running() {
		return fmt.Errorf("%s is not running", p.Name)
	}
	return p.cmd.Process.Signal(sig)
}

// End sends sig and waits for the end of the process, as Wait does.
func (p *Process) End(ctx context.Context, sig os.Signal) error {
	if !p.Running() {
		return nil
	}
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return p.Wait(ctx)
}

// Wait waits for the end of the process. It kills a process that is still
// there when ctx ends, and reports that, or a bad exit status.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		if p.err != nil {
			return fmt.Errorf("%s ended badly: %w", p.Name, p.err)
		}
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("%s did not end: %w", p.Name, ctx.Err())
	}
}

// Terminate is End with SIGTERM and 30 s of patience.
func (p *Process) Terminate() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return p.End(ctx, syscall.SIGTERM)
}

// Log returns all the process has written.
func (p *Process) Log() string {
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// Tail returns the last lines of Log.
func (p *Process) Tail(lines int) string {
	all := strings.Split(strings.TrimRight(p.Log(), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Await polls ready until it returns nil. It fails when ctx ends or the
// process does.
func (p *Process) Await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	exited := p.exited // the goroutine may begin when the process was started again
	go func() {
		select {
		case <-exited:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	if err := wait.Until(ctx, ready); err != nil {
		return fmt.Errorf("%s did not get ready: %w\n%s", p.Name, err, p.Tail(30))
	}
	return nil
}

var errEnded = errors.New("the process ended")

// run runs a program to its end and returns what it printed to stdout.
func run(ctx context.Context, env []string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(argv[0]), strings.Join(argv[1:], " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// Freeze stops the process and its children where they stand, as a long
// pause of the machine would, until Thaw.
func (p *Process) Freeze() error { return p.signalAll(syscall.SIGSTOP) }

// Thaw lets them go on.
func (p *Process) Thaw() error { return p.signalAll(syscall.SIGCONT) }

// signalAll signals the process first, so that it has no more children by the
// time they are looked for.
func (p *Process) signalAll(sig syscall.Signal) error {
	if err := p.Signal(sig); err != nil {
		return err
	}
	children, err := childrenOf(p.PID())
	for _, pid := range children {
		if e := syscall.Kill(pid, sig); e != nil && !errors.Is(e, syscall.ESRCH) { // it may have ended meanwhile
			err = errors.Join(err, e)
		}
	}
	return err
}

// SetEnv sets a variable for the starts to come.
func (p *Process) SetEnv(name, value string) { p.env = append(slices.Clone(p.env), name+"="+value) }
