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

// published serves the working tree's Go clients as the release of their version, through a folder that serves
// as module proxy, together with the modules in the machine's module cache.
func (s *workspace) published(ctx context.Context) error {
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
	// The go command keeps an index of the files of each release in its build cache, where it would find that of an
	// earlier run with other files.
	s.set("GODEBUG", "goindex=0")
	// The go command caches what it downloads. These folders of the cache are mounted as temporary memory in
	// the page's mount namespace, so that the next page does not see this release.
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

// release writes the module in the folder source into the folder proxy, in the layout of a Go module proxy.
func release(proxy, source string, m module.Version) error {
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"list":              m.Version + "\n",
		m.Version + ".info": fmt.Sprintf(`{"Version": %q}`, m.Version),
		m.Version + ".mod":  string(mod),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	archive, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(archive, m, source), archive.Close())
}
