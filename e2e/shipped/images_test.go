package shipped

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// mostBytes is the upper bound of an image's size.
const mostBytes = 100 << 20

// TestImages_HoldOnlyTheProgram checks the size, the user and the settings of the images.
func TestImages_HoldOnlyTheProgram(t *testing.T) {
	kit := suite.images(t)
	for _, program := range stack.Programs() {
		t.Run(program, func(t *testing.T) {
			found, err := kit.docker.ImageInspect(story.Context(t), kit.image(program))
			if err != nil {
				t.Fatal(err)
			}
			if found.Size > mostBytes {
				t.Errorf("the image has %d bytes", found.Size)
			}
			c := found.Config
			if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/" + program}) ||
				len(c.ExposedPorts) == 0 {
				t.Errorf("got user %q, entrypoint %v, ports %v", c.User, c.Entrypoint, c.ExposedPorts)
			}
			if c.Healthcheck == nil || !slices.Equal(c.Healthcheck.Test, []string{"CMD", "/" + program, "health"}) {
				t.Errorf("got the health check %+v", c.Healthcheck)
			}
			if c.Labels["org.opencontainers.image.version"] == "" {
				t.Errorf("got the labels %v", c.Labels)
			}
			s := &Stack{kit: kit}
			output, err := s.Command(story.Context(t), program, "--version")
			if err != nil || strings.TrimSpace(output) != program+" "+c.Labels["org.opencontainers.image.version"] {
				t.Errorf("got version %q, %v; the label is %q", output, err,
					c.Labels["org.opencontainers.image.version"])
			}
			if output, err := s.Command(story.Context(t), program, "health"); err == nil {
				t.Errorf("health succeeded without a running program: %q", output)
			}
		})
	}
}

// TestImages_AreHealthyAndReadOnly checks that the engine's health check agrees with /readyz, and that the root
// file systems are read-only.
func TestImages_AreHealthyAndReadOnly(t *testing.T) {
	s := sharedStack(t)
	for _, c := range s.programs() {
		story.Eventually(t, startTimeout, c.Name+" is healthy", func() bool {
			state, err := c.state(t.Context())
			return err == nil && state.Health != nil && state.Health.Status == "healthy"
		})
		_, err := s.kit.docker.CopyToContainer(t.Context(), c.id,
			client.CopyToContainerOptions{DestinationPath: "/", Content: bytes.NewReader(nil)})
		if err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: the root file system is writable: %v", c.Name, err)
		}
	}
}

// TestPrograms_AreReproducible checks that the same sources give the same program in any folder.
func TestPrograms_AreReproducible(t *testing.T) {
	kit := suite.images(t)
	ctx := story.Context(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Mkdir(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libs", "apps/go.mod", "apps/go.sum", "apps/worker", "go.work.sum"} {
		if err := command(ctx, kit.Root, nil, "cp", "-r", "--parents", name, elsewhere); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "go.work"), []byte("go 1.26.0\n\nuse (\n\t./apps\n\t./libs\n)\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	build := func(root string) []byte {
		t.Helper()
		out := filepath.Join(t.TempDir(), "worker")
		if err := command(context.WithoutCancel(ctx), root, buildEnv,
			append(append([]string{"go", "build", "-o", out}, buildFlags(t, kit.Root)...),
				"./apps/worker/cmd/worker")...); err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return program
	}
	if !bytes.Equal(build(kit.Root), build(elsewhere)) {
		t.Error("two builds of the same sources differ")
	}
}

var buildEnv = []string{"CGO_ENABLED=0", "GOOS=linux"}

// buildFlags returns the flags with which tools/build compiles the programs.
func buildFlags(t *testing.T, root string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "tools", "build"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`go build (-trimpath .*?) \\\n\s*-ldflags "(.*)"`).FindSubmatch(text)
	if found == nil {
		t.Fatal("tools/build has no go build with the flags -trimpath and -ldflags")
	}
	flags := strings.Fields(string(found[1]))
	return append(flags, "-ldflags", strings.ReplaceAll(string(found[2]), "$version", "v1"))
}

// TestBakeFile_HasEveryProgram checks that the file for docker buildx bake has every program, with the
// Dockerfile's targets, for both architectures.
func TestBakeFile_HasEveryProgram(t *testing.T) {
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, "deploy", "images", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	bake, dockerfile := read("docker-bake.hcl"), read("Dockerfile")
	for _, program := range stack.Programs() {
		if !strings.Contains(dockerfile, "FROM base AS "+program+"\n") ||
			!strings.Contains(bake, "target   = \""+program+"\"") {
			t.Errorf("%s has no target", program)
		}
	}
	if !strings.Contains(bake, `platforms  = ["linux/amd64", "linux/arm64"]`) {
		t.Error("the platforms are not linux/amd64 and linux/arm64")
	}
}
