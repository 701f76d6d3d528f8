package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Kit holds the built programs. Close removes them.
type Kit struct {
	Root string // of the repository
	dir  string
}

// Programs are the names of Tollgate's programs.
func Programs() []string { return []string{"relay", "console", "worker", "standalone"} }

// Build builds Tollgate's programs, and the packages named besides, from the
// working tree that the current directory is in.
func Build(ctx context.Context, besides ...string) (*Kit, error) {
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tollgate-bin-")
	if err != nil {
		return nil, err
	}
	k := &Kit{Root: root, dir: dir}
	argv := []string{"go", "build", "-C", root, "-o", dir + string(filepath.Separator)}
	for _, name := range Programs() {
		argv = append(argv, fmt.Sprintf("./apps/%s/cmd/%s", name, name))
	}
	if _, err := run(ctx, nil, append(argv, besides...)...); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// Bin returns the path of a built program.
func (k *Kit) Bin(name string) string { return filepath.Join(k.dir, name) }

// Close removes the built programs.
func (k *Kit) Close() error { return os.RemoveAll(k.dir) }

func findRoot() (string, error) {
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
