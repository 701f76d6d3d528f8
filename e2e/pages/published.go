package pages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/tollgate/tollgate/openapi/clients/go/relay"
)

// published serves the Go clients of the working tree as the release that they
// name, together with the modules that the machine has of others.
func (s *scene) published(ctx context.Context) error {
	const name = "github.com/tollgate/tollgate/openapi/clients/go"
	proxy, err := os.MkdirTemp("", "tollgate-modules-")
	if err != nil {
		return err
	}
	s.ends = append(s.ends, func() error { return os.RemoveAll(proxy) })
	source := filepath.Join(s.kit.Root, "openapi", "clients", "go")
	if err := release(proxy, source, module.Version{Path: name, Version: "v" + relay.Version}); err != nil {
		return err
	}
	cache := moduleCache()
	s.set("GOPROXY", "file://"+proxy+",file://"+cache+"/cache/download")
	// What is fetched of it goes to memory that ends with the page's processes,
	// which have mounts of their own: the next page may get it otherwise.
	for _, dir := range []string{cache + "/github.com/tollgate", cache + "/cache/download/github.com/tollgate"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := s.command(ctx, "mount", "-t", "tmpfs", "tmpfs", dir); err != nil {
			return err
		}
	}
	return nil
}

// release puts the module in the folder source into a folder that the go command
// takes for a module proxy.
func release(proxy, source string, m module.Version) error {
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	declared, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"list":              m.Version + "\n",
		m.Version + ".info": fmt.Sprintf(`{"Version": %q}`, m.Version),
		m.Version + ".mod":  string(declared),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	packed, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(packed, m, source), packed.Close())
}
