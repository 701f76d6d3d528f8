package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tollgate/tollgate/e2e/stack"
)

// inside is the variable with the task for a child process that Run starts in a namespace. Its presence tells
// the child to run a page.
const inside = "TOLLGATE_E2E_PAGE"

// lacking is the exit status with which the child reports that a program is not installed.
const lacking = 77

// task holds the instructions for the child process.
type task struct {
	Page string // name of the page
	Way  int    // index in Page.Ways
	Bin  string // folder of the kit's programs
	Venv string // Python virtual environment for blocks with the reason PyPI; "": they are not run
}

// PyPI is the Reason of blocks that need packages of PyPI. They run only if Run gets a virtual environment.
const PyPI = "pypi"

// Wheels is the folder in that virtual environment from which pip installs packages.
const Wheels = "wheels"

// Run runs each way of the page in namespaces of its own, so that ports are free and all processes end with it.
// It starts this same program again; the program's main, or TestMain, must call Inside first. Blocks with the
// reason PyPI run in the virtual environment venv, if it is not empty. If a program is not installed on this
// machine, the error wraps stack.ErrMissing.
func Run(ctx context.Context, kit *stack.Kit, page *Page, venv string) error {
	for _, program := range []string{"bash", "curl", "git"} {
		if err := need(program); err != nil {
			return err
		}
	}
	for way := range page.Ways() {
		if err := (&task{Page: page.Name, Way: way, Bin: kit.Dir(), Venv: venv}).runInChild(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runInChild starts the child process and waits for it.
func (o *task) runInChild(ctx context.Context) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd, err := stack.Alone(ctx, self)
	if err != nil {
		return err
	}
	cmd.Env = append(os.Environ(), inside+"="+string(data))
	output, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case cmd.ProcessState.ExitCode() == lacking:
		return fmt.Errorf("%s: %w", bytes.TrimSpace(output), stack.ErrMissing)
	}
	return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output))
}

// Inside runs the page that this process was started for, prints the failure to standard error, and returns the
// exit status. ok is false if this process was not started by Run.
func Inside() (status int, ok bool) {
	data, ok := os.LookupEnv(inside)
	if !ok {
		return 0, false
	}
	var o task
	err := json.Unmarshal([]byte(data), &o)
	if err == nil {
		err = o.run()
	}
	if err == nil {
		return 0, true
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, stack.ErrMissing) {
		return lacking, true
	}
	return 1, true
}

// run runs one way of the page in this process.
func (o *task) run() error {
	kit, err := stack.Built(o.Bin)
	if err != nil {
		return err
	}
	page, err := Read(kit.Root, filepath.Join(kit.Root, o.Page))
	if err != nil {
		return err
	}
	way := &page.Ways()[o.Way]
	ctx, cancel := context.WithTimeout(context.Background(), pageTimeout)
	defer cancel()
	s, err := set(ctx, kit, way)
	if err == nil && o.Venv != "" {
		s.python(way, o.Venv)
	}
	if err == nil {
		err = s.runBlocks(ctx, way)
	}
	if s != nil {
		err = errors.Join(err, s.close())
	}
	return err
}

// runBlocks runs the blocks one after the other and stops at the first that fails.
func (s *workspace) runBlocks(ctx context.Context, page *Page) error {
	sh, err := startShell(s.dir, s.env)
	if err != nil {
		return err
	}
	defer sh.close()
	for i := range page.Blocks {
		b := &page.Blocks[i]
		if err := sh.run(ctx, b); err != nil {
			return fmt.Errorf("%s:%d: %w", page.Name, b.Line, err)
		}
	}
	return nil
}

// Read parses the page at path. Its name is the path relative to root.
func Read(root, path string) (Page, error) {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return Page{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Page{}, err
	}
	return Parse(name, string(text))
}
