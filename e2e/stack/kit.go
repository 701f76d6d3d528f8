package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Kit holds Tollgate's programs, built from the working tree. Close removes them.
type Kit struct {
	Root string // root folder of the repository
	dir  string
}

// Programs returns the names of Tollgate's programs.
func Programs() []string { return []string{"relay", "console", "worker", "standalone"} }

// BuildFlags are the flags of `go build` for the programs. They equal the flags of tools/images that affect
// compilation, so that both share the build cache. They don't depend on the working tree's path.
const BuildFlags = "-trimpath -tags=timetzdata"

// Build builds Tollgate's programs and the additional packages from the working tree that contains the current
// directory. Like the shipped programs they are built without cgo. GOTMPDIR may name the folder for the result.
func Build(ctx context.Context, packages ...string) (*Kit, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	// A folder that allows execution: /tmp may be mounted noexec.
	dir, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "tollgate-bin-")
	if err != nil {
		return nil, err
	}
	k := &Kit{Root: root, dir: dir}
	argv := append([]string{"go", "build", "-C", root, "-o", dir + string(filepath.Separator)},
		strings.Fields(BuildFlags)...)
	for _, name := range Programs() {
		argv = append(argv, fmt.Sprintf("./apps/%s/cmd/%s", name, name))
	}
	if _, err := run(ctx, append(os.Environ(), "CGO_ENABLED=0"), append(argv, packages...)...); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// Built returns a kit for programs that another process has built into dir. The programs are valid until that
// process closes its kit; don't close this one.
func Built(dir string) (*Kit, error) {
	root, err := Root()
	return &Kit{Root: root, dir: dir}, err
}

// Dir returns the folder of the built programs.
func (k *Kit) Dir() string { return k.dir }

// Bin returns the path of a built program.
func (k *Kit) Bin(name string) string { return filepath.Join(k.dir, name) }

// Close removes the built programs.
func (k *Kit) Close() error { return os.RemoveAll(k.dir) }

// Root returns the repository's root: the nearest folder with a go.work file at or above the current directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.work above the current directory: run this inside the repository")
		}
		dir = parent
	}
}
