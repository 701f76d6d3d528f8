package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Kit holds the built programs. Close removes them.
type Kit struct {
	Root string // of the repository
	dir  string
}

// Programs are the names of Tollgate's programs.
func Programs() []string { return []string{"relay", "console", "worker", "standalone"} }

// BuildFlags are those of the go command that programs are built with: those of
// tools/images that compiling depends on, so that it is done once for both. They are
// the same wherever the working tree is, and so are found in the build cache.
const BuildFlags = "-trimpath -tags=timetzdata"

// Build builds Tollgate's programs, and the packages named besides, from the
// working tree that the current directory is in, without C as they are shipped.
func Build(ctx context.Context, besides ...string) (*Kit, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "tollgate-bin-") // a folder from which programs may be started
	if err != nil {
		return nil, err
	}
	k := &Kit{Root: root, dir: dir}
	argv := append([]string{"go", "build", "-C", root, "-o", dir + string(filepath.Separator)}, strings.Fields(BuildFlags)...)
	for _, name := range Programs() {
		argv = append(argv, fmt.Sprintf("./apps/%s/cmd/%s", name, name))
	}
	if _, err := run(ctx, append(os.Environ(), "CGO_ENABLED=0"), append(argv, besides...)...); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// Built returns the kit that another process has built into dir, for as long as
// that one does not close it.
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

// Root returns the repository that the current directory is in.
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
