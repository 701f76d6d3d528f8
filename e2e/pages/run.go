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

// inside is the variable by which a process knows that it is to run a page, in
// the network that was made for it.
const inside = "TOLLGATE_E2E_PAGE"

// lacking is the status with which a process inside says that this machine
// lacks a program.
const lacking = 77

// order is what a process inside is told.
type order struct {
	Page string // its name
	Way  int    // which of its ways
	Bin  string // of the kit
	Venv string // of Python, for blocks of the reason PyPI; "": they are left out
}

// PyPI is the reason for which a block is left out where PyPI does not answer.
const PyPI = "pypi"

// Wheels is the folder of a virtual environment that pip is to install from.
const Wheels = "wheels"

// Run runs the page, each of its ways in a network, and among processes, of its
// own: by this same program, whose main must call Inside first. Its error has
// stack.ErrMissing in its chain where this machine lacks what that takes. Blocks
// of the reason PyPI are run in the virtual environment venv, if there is one.
func Run(ctx context.Context, kit *stack.Kit, page *Page, venv string) error {
	for _, program := range []string{"bash", "curl", "git"} {
		if err := need(program); err != nil {
			return err
		}
	}
	for way := range page.Ways() {
		if err := (&order{Page: page.Name, Way: way, Bin: kit.Dir(), Venv: venv}).give(ctx); err != nil {
			return err
		}
	}
	return nil
}

// give has the order carried out by another process.
func (o *order) give(ctx context.Context) error {
	told, err := json.Marshal(o)
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
	cmd.Env = append(os.Environ(), inside+"="+string(told))
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case cmd.ProcessState.ExitCode() == lacking:
		return fmt.Errorf("%s: %w", bytes.TrimSpace(out), stack.ErrMissing)
	}
	return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
}

// Inside runs the page that this process was started for, prints what failed,
// and returns the status to end with; false where it was started for something
// else.
func Inside() (status int, ok bool) {
	told, ok := os.LookupEnv(inside)
	if !ok {
		return 0, false
	}
	var o order
	err := json.Unmarshal([]byte(told), &o)
	if err == nil {
		err = o.carryOut()
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

// carryOut runs a way of the page here.
func (o *order) carryOut() error {
	kit, err := stack.Built(o.Bin)
	if err != nil {
		return err
	}
	page, err := Read(kit.Root, filepath.Join(kit.Root, o.Page))
	if err != nil {
		return err
	}
	way := &page.Ways()[o.Way]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := set(ctx, kit, way)
	if err == nil && o.Venv != "" {
		s.python(way, o.Venv)
	}
	if err == nil {
		err = s.tell(ctx, way)
	}
	if s != nil {
		err = errors.Join(err, s.close())
	}
	return err
}

// tell runs the blocks, one after the other, up to the first that fails.
func (s *scene) tell(ctx context.Context, page *Page) error {
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

// Read reads the page of that path, whose name is its path below root.
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
