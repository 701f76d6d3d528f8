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

// machines maps architectures to the ELF machine of their programs.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// TestBakeFile_CommandsOfDeploymentPage runs the command of docs/deployment.md that builds for several
// architectures. It must push an image of each program, with the right program for each architecture.
func TestBakeFile_CommandsOfDeploymentPage(t *testing.T) {
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
		t.Fatalf("the page has no command that pushes to the registry:\n%s", script)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // the first run compiles everything
	defer cancel()
	if err := command(ctx, root, nil, "bash", "-euo", "pipefail", "-c", script); err != nil {
		t.Fatal(err)
	}
	for _, program := range stack.Programs() {
		t.Run(program, func(t *testing.T) { checkPushed(t, host, program) })
	}
}

// checkPushed checks the images of a program in the registry.
func checkPushed(t *testing.T, host, program string) {
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
		if !ok { // provenance attestations are manifests too, without an architecture
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
		if config.Architecture != m.Platform.Architecture || config.Config.User != "65532:65532" ||
			!slices.Equal(config.Config.Entrypoint, []string{"/" + program}) {
			t.Errorf("%s: got architecture %s, user %q, entrypoint %v", m.Platform.Architecture, config.Architecture,
				config.Config.User, config.Config.Entrypoint)
		}
		if is, err := machineOf(image, program); err != nil || is != machine {
			t.Errorf("%s: got a program for %v, %v", m.Platform.Architecture, is, err)
		}
	}
	if len(found) != len(machines) {
		t.Errorf("got images only for %v", found)
	}
}

// machineOf returns the ELF machine of the program in an image.
func machineOf(image v1.Image, program string) (elf.Machine, error) {
	files := mutate.Extract(image)
	defer files.Close() //nolint:errcheck // only read from
	for all := tar.NewReader(files); ; {
		file, err := all.Next()
		if errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("the image has no /%s", program)
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
