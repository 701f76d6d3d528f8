//go:build builder

package shipped

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/tollgate/tollgate/e2e/pages"
	"github.com/tollgate/tollgate/e2e/stack"
)

// machines are what programs of each architecture are for.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// The command of docs/deployment.md that builds for several architectures pushes an
// image of each program, with the right program in it for each architecture.
func TestTheCommandsOfTheBakeFile(t *testing.T) {
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	page, err := pages.Read(root, filepath.Join(root, "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, b := range page.Blocks {
		if b.Reason == "builder" {
			script += strings.ReplaceAll(b.Text, "registry.example.com", host)
		}
	}
	if !strings.Contains(script, host) {
		t.Fatalf("the page pushes nothing:\n%s", script)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // all is compiled, the first time
	defer cancel()
	if err := command(ctx, root, nil, "bash", "-euo", "pipefail", "-c", script); err != nil {
		t.Fatal(err)
	}
	for _, program := range stack.Programs() {
		t.Run(program, func(t *testing.T) { pushed(t, host, program) })
	}
}

// pushed checks what the registry has of the program.
func pushed(t *testing.T, host, program string) {
	ref, err := name.ParseReference(host+"/tollgate/"+program+":devel", name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range manifest.Manifests {
		machine, ok := machines[m.Platform.Architecture]
		if !ok { // what tells where an image came from is a manifest beside it, of no architecture
			continue
		}
		found[m.Platform.Architecture] = true
		image, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Architecture != m.Platform.Architecture || config.Config.User != "65532:65532" || !slices.Equal(config.Config.Entrypoint, []string{"/" + program}) {
			t.Errorf("%s: %s, user %q, entrypoint %v", m.Platform.Architecture, config.Architecture, config.Config.User, config.Config.Entrypoint)
		}
		if is, err := machineOf(image, program); err != nil || is != machine {
			t.Errorf("%s: the program is for %v, %v", m.Platform.Architecture, is, err)
		}
	}
	if len(found) != len(machines) {
		t.Errorf("there are images for %v alone", found)
	}
}

// machineOf returns what the program in an image is for.
func machineOf(image v1.Image, program string) (elf.Machine, error) {
	files := mutate.Extract(image)
	defer files.Close() //nolint:errcheck // it was only read
	for all := tar.NewReader(files); ; {
		file, err := all.Next()
		if errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("there is no /%s", program)
		}
		if err != nil {
			return 0, err
		}
		if strings.TrimPrefix(file.Name, "/") != program {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(all, mostBytes))
		if err != nil {
			return 0, err
		}
		parsed, err := elf.NewFile(bytes.NewReader(text))
		if err != nil {
			return 0, err
		}
		return parsed.Machine, nil
	}
}
