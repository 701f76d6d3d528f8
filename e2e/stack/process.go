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

// Process is a child process that may be started again after it has ended. Its methods are not safe for
// concurrent use.
type Process struct {
	Name string
	argv []string
	env  []string // complete environment; nil: the environment of this process
	dir  string
	log  string              // path of the file that gets its output, appended by every start
	as   *syscall.Credential // user to run as; nil: the current user
	stop syscall.Signal      // signal that the kernel sends the child when this process dies; 0: SIGKILL

	ports  Ports        // on which the process listens
	memory *memoryGroup // limits the memory of the process; nil: no limit

	cmd    *exec.Cmd     // of the last start; nil before the first
	exited chan struct{} // closed when the last start has ended
	err    error         // result of cmd.Wait; valid once exited is closed
}

// NewProcess prepares a process that runs in dir and writes its output to the file NAME.log there. Launch
// starts it.
func NewProcess(name, dir string, argv ...string) *Process {
	return &Process{Name: name, argv: argv, dir: dir, log: filepath.Join(dir, name+".log")}
}

// Launch starts the process and returns at once.
func (p *Process) Launch() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	defer log.Close() //nolint:errcheck // the child has its own descriptor
	argv, attributes := p.argv, attributes(p.as, p.stop)
	if p.memory != nil {
		argv = p.memory.enclose(argv)
		separate(attributes)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.env, p.dir, log, log
	cmd.SysProcAttr = attributes
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	// A later start replaces p.exited; the goroutine closes the channel of its own start.
	done := make(chan struct{})
	p.cmd, p.exited, p.err = cmd, done, nil
	go func() {
		p.err = cmd.Wait()
		close(done)
	}()
	return nil
}

// PID returns the process id of the last start. The process must have been started.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// LimitMemory makes the kernel kill the process when it needs more than limit bytes, from the next start on. The
// process finds the limit where a container finds its own. It fails without the right to create control groups;
// Release removes the group of a process that has ended.
func (p *Process) LimitMemory(limit int64) (err error) {
	p.memory, err = newMemoryGroup(p.Name, limit)
	return err
}

// Release frees the ports and the memory limit of a process that has ended. It may be called twice.
func (p *Process) Release() error {
	err := p.ports.Release()
	if p.memory != nil {
		err = errors.Join(err, p.memory.remove())
	}
	return err
}

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

// Kill ends the process with SIGKILL and waits until it has ended. It does nothing if the process does not run.
func (p *Process) Kill() {
	if p.Running() {
		_ = p.cmd.Process.Kill() // it may have ended by itself
		<-p.exited
	}
}

// Signal sends sig and returns at once. It fails if the process does not run.
func (p *Process) Signal(sig os.Signal) error {
	if !p.Running() {
		return fmt.Errorf("%s is not running", p.Name)
	}
	return p.cmd.Process.Signal(sig)
}

// End sends sig and waits until the process has ended, as Wait does. It does nothing if the process does not
// run.
func (p *Process) End(ctx context.Context, sig os.Signal) error {
	if !p.Running() {
		return nil
	}
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return p.Wait(ctx)
}

// Wait waits until the process has ended. It returns an error if the exit status is not 0, or if ctx ends
// first; then it kills the process.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		if p.err != nil {
			return fmt.Errorf("%s failed: %w", p.Name, p.err)
		}
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("%s did not end: %w", p.Name, ctx.Err())
	}
}

// Terminate sends SIGTERM and waits for at most a minute until the process has ended.
func (p *Process) Terminate() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.End(ctx, syscall.SIGTERM)
}

// Log returns the complete output of all starts, or the text of the error if the file cannot be read.
func (p *Process) Log() string {
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// Tail returns the last lines of Log.
func (p *Process) Tail(lines int) string {
	content := strings.Split(strings.TrimRight(p.Log(), "\n"), "\n")
	return strings.Join(content[max(0, len(content)-lines):], "\n")
}

// Await calls ready repeatedly until it returns nil. It fails when ctx or the process ends first; the error
// contains the last 30 lines of the output.
func (p *Process) Await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := p.exited // read now: p.exited changes when the process is started again
	go func() {
		select {
		case <-done:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	if err := wait.Until(ctx, ready); err != nil {
		return fmt.Errorf("%s did not become ready: %w\n%s", p.Name, err, p.Tail(30))
	}
	return nil
}

// errEnded is the cause with which Await stops when the process ends.
var errEnded = errors.New("the process ended")

// run runs a program until it ends and returns its standard output. The error contains the standard error too.
func run(ctx context.Context, env []string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(argv[0]), strings.Join(argv[1:], " "), err,
			stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// Freeze suspends the process and its children with SIGSTOP until Thaw, as a long pause of the machine does.
func (p *Process) Freeze() error { return p.signalAll(syscall.SIGSTOP) }

// Thaw resumes the process and its children.
func (p *Process) Thaw() error { return p.signalAll(syscall.SIGCONT) }

// signalAll signals the process and then its children. The process comes first, because a suspended process
// cannot create more children while signalAll lists them.
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

// SetEnv sets a variable for later starts.
func (p *Process) SetEnv(name, value string) { p.env = append(slices.Clone(p.env), name+"="+value) }
