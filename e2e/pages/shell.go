package pages

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tollgate/tollgate/e2e/wait"
)

const (
	pageTimeout = 9 * time.Minute // limit for a page, which may compile programs
	soon        = time.Minute     // limit for a block with the comment "soon"
)

// shell is a bash that runs one block after the other, so that blocks share variables and the current folder.
// It ends with the first command that fails. It reports the end of each block on file descriptor 3.
type shell struct {
	notes string // folder with the scripts of the blocks and their output
	stdin io.WriteCloser
	done  chan string // numbers of the blocks that have ended
	ended chan error  // receives the result of the bash
}

// startShell starts a bash in dir.
func startShell(dir string, env []string) (*shell, error) {
	s := &shell{done: make(chan string, 1), ended: make(chan error, 1)}
	var err error
	if s.notes, err = os.MkdirTemp("", "tollgate-page-"); err != nil {
		return nil, err
	}
	reports, reporter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("bash", "--noprofile", "--norc")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, env, []*os.File{reporter}
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = reporter.Close() // the shell has its own copy
	go s.listen(reports)
	go func() { s.ended <- cmd.Wait() }()
	_, err = io.WriteString(s.stdin, "set -euo pipefail\n")
	return s, err
}

// listen passes on the numbers of blocks that have ended.
func (s *shell) listen(reports io.ReadCloser) {
	defer reports.Close() //nolint:errcheck // only read from
	for lines := bufio.NewScanner(reports); lines.Scan(); {
		s.done <- lines.Text()
	}
}

// close ends the shell. Processes that it started end with the page's namespace.
func (s *shell) close() {
	_ = s.stdin.Close() // the shell may have ended
	_ = os.RemoveAll(s.notes)
}

// run runs the block, or writes its file, and compares its output with the expectation.
func (s *shell) run(ctx context.Context, b *Block) error {
	switch b.Kind {
	case Unrun:
		return nil
	case File, Command, Server:
	}
	script, text := filepath.Join(s.notes, fmt.Sprint(b.Line)), b.Text
	if b.Kind == File { // readers write it to the folder that the commands have changed to
		text = fmt.Sprintf("cat >%s <<'END OF FILE'\n%sEND OF FILE\n", b.Name, b.Text)
	}
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return err
	}
	if b.Kind == Server {
		return s.serve(ctx, b, script)
	}
	if !b.Soon {
		return s.once(ctx, b, script)
	}
	short, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	return wait.Until(short, func(context.Context) error { return s.once(ctx, b, script) })
}

// once runs a block until it ends. A block with the comment "soon" runs in a subshell, so that its failure does
// not end the shell.
func (s *shell) once(ctx context.Context, b *Block, script string) error {
	// source keeps the block's variables for the next blocks. Without a standard input of its own the block
	// would read the commands that follow.
	line := fmt.Sprintf("source %[1]s </dev/null >%[1]s.out 2>&1\necho %[2]d >&3\n", script, b.Line)
	if b.Soon {
		line = fmt.Sprintf("( source %[1]s ) </dev/null >%[1]s.out 2>&1 || true\necho %[2]d >&3\n", script, b.Line)
	}
	if _, err := io.WriteString(s.stdin, line); err != nil {
		return err
	}
	select {
	case <-s.done:
	case err := <-s.ended:
		return fmt.Errorf("the block failed: %w\n%s%s", err, b.Text, printed(script))
	case <-ctx.Done():
		return fmt.Errorf("the block did not end in time: %w\n%s%s", ctx.Err(), b.Text, printed(script))
	}
	return b.compare(printed(script))
}

// serve runs a block in the background and waits until it has printed what is expected.
func (s *shell) serve(ctx context.Context, b *Block, script string) error {
	// 3>&- closes the reports in the background process: they would otherwise stay open after the shell has ended.
	line := fmt.Sprintf("( source %[1]s ) </dev/null >%[1]s.out 2>&1 3>&- &\necho %[2]d >&3\n", script, b.Line)
	if _, err := io.WriteString(s.stdin, line); err != nil {
		return err
	}
	<-s.done
	return wait.Until(ctx, func(context.Context) error { return b.compare(printed(script)) })
}

// compare compares the output with the expectation, if there is one.
func (b *Block) compare(output string) error {
	if b.Wanted == nil {
		return nil
	}
	if err := b.Wanted.Check(output); err != nil {
		return fmt.Errorf("%sthe output is\n%s%w", b.Text, output, err)
	}
	return nil
}

// printed returns the output of a script so far.
func printed(script string) string {
	text, err := os.ReadFile(script + ".out")
	if err != nil {
		return ""
	}
	return string(text)
}
