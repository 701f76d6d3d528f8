// Package shipped runs Tollgate as it ships: its images, with those of Postgres,
// Redis and a scriptable upstream, in a network of their own. Its tests are
// stories about that, one file each.
//
// Ports are published on 127.0.0.1 alone. All that is made carries a label with
// the id of this process; what a process that has ended left behind is removed
// by the next one.
package shipped

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/tollgate/tollgate/e2e/stack"
)

// label marks all that is made here; its value is the id of the process.
const label = "dev.tollgate.shipped"

// composeProject is the label by which compose marks what it makes.
const composeProject = "com.docker.compose.project"

// Kit holds the images. Close removes those that were built.
type Kit struct {
	Root string // of the repository
	Tag  string // of Tollgate's own images

	docker   *client.Client
	postgres string
	redis    string
}

// Build builds the images from the working tree that the current directory is
// in. Its error has stack.ErrMissing in its chain where no Docker engine answers,
// or an image that is needed cannot be had.
func Build(ctx context.Context) (*Kit, error) {
	// This machine is no container of the engine's, though it may look like one,
	// and what is made is swept by ourselves.
	for name, value := range map[string]string{"TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1", "TESTCONTAINERS_RYUK_DISABLED": "true"} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	docker, err := engine(ctx)
	if err != nil {
		return nil, err
	}
	root, err := stack.Root()
	if err != nil {
		return nil, err
	}
	k := &Kit{
		Root: root, docker: docker, Tag: fmt.Sprintf("test-%d", os.Getpid()),
		postgres: configured("TOLLGATE_TEST_POSTGRES_IMAGE", "postgres:15"), redis: configured("TOLLGATE_TEST_REDIS_IMAGE", "redis:7.0"),
	}
	if err := errors.Join(k.have(ctx, k.postgres), k.have(ctx, k.redis)); err != nil {
		return nil, err
	}
	if err := k.sweep(ctx); err != nil {
		return nil, err
	}
	if err := k.build(ctx); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

func configured(name, standard string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return standard
}

func engine(ctx context.Context) (*client.Client, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, fmt.Errorf("docker (tools/offline/engine provides it): %w", stack.ErrMissing)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, fmt.Errorf("a Docker engine that answers (tools/offline/engine provides it): %w", stack.ErrMissing)
	}
	return docker.Client, nil
}

// have makes sure that an image is here.
func (k *Kit) have(ctx context.Context, image string) error {
	if _, err := k.docker.ImageInspect(ctx, image); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := command(ctx, k.Root, nil, "docker", "pull", "-q", image); err != nil {
		return fmt.Errorf("the image %s (tools/offline/standins makes one): %w", image, stack.ErrMissing)
	}
	return nil
}

func (k *Kit) build(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "tollgate-images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover harms nobody
	if err := command(ctx, k.Root, []string{"TAG=" + k.Tag, "CONTEXT=" + dir, "ARCHS="}, "tools/images"); err != nil {
		return err
	}
	upstream := filepath.Join(dir, "upstream")
	err = command(ctx, k.Root, []string{"CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=" + stack.BuildFlags}, "go", "build", "-o", filepath.Join(upstream, "fakeupstream"), "./e2e/fakeupstream/cmd/fakeupstream")
	if err != nil {
		return err
	}
	return command(ctx, k.Root, []string{"DOCKER_BUILDKIT=0"}, "docker", "build", "-q", "-f", "e2e/shipped/Dockerfile", "-t", k.image("fakeupstream"), upstream)
}

// image names one of those that were built.
func (k *Kit) image(program string) string { return "tollgate/" + program + ":" + k.Tag }

// Close removes the images that were built.
func (k *Kit) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var names []string
	for _, program := range append(stack.Programs(), "fakeupstream") {
		names = append(names, k.image(program))
	}
	return command(ctx, k.Root, nil, append([]string{"docker", "image", "rm", "-f"}, names...)...)
}

// project is what compose calls a stack of a story; the id of the process and a
// number follow.
const project = "tollgate-test-"

// sweep removes what processes that have ended left behind.
func (k *Kit) sweep(ctx context.Context) error {
	var errs []error
	for _, of := range []client.Filters{client.Filters{}.Add("label", label), client.Filters{}.Add("label", composeProject)} {
		errs = append(errs, k.sweepContainers(ctx, of), k.sweepNetworks(ctx, of), k.sweepVolumes(ctx, of))
	}
	return errors.Join(errs...)
}

func (k *Kit) sweepContainers(ctx context.Context, of client.Filters) error {
	found, err := k.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: of})
	for _, c := range found.Items {
		if left(c.Labels) {
			_, removed := k.docker.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			err = errors.Join(err, removed)
		}
	}
	return err
}

func (k *Kit) sweepNetworks(ctx context.Context, of client.Filters) error {
	found, err := k.docker.NetworkList(ctx, client.NetworkListOptions{Filters: of})
	for _, n := range found.Items {
		if left(n.Labels) {
			_, removed := k.docker.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
			err = errors.Join(err, removed)
		}
	}
	return err
}

func (k *Kit) sweepVolumes(ctx context.Context, of client.Filters) error {
	found, err := k.docker.VolumeList(ctx, client.VolumeListOptions{Filters: of})
	for _, v := range found.Items {
		if left(v.Labels) {
			_, removed := k.docker.VolumeRemove(ctx, v.Name, client.VolumeRemoveOptions{})
			err = errors.Join(err, removed)
		}
	}
	return err
}

// left reports whether what has the labels is of a process that has ended.
func left(labels map[string]string) bool {
	process, ours := labels[label]
	if !ours {
		process, ours = strings.CutPrefix(labels[composeProject], project)
		process, _, _ = strings.Cut(process, "-")
	}
	pid, err := strconv.Atoi(process)
	if !ours {
		return false
	}
	return err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// command runs a program in dir, with env besides that of this process.
func command(ctx context.Context, dir string, env []string, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if strings.HasPrefix(argv[0], "tools/") {
		cmd.Path = filepath.Join(dir, argv[0])
		cmd.Err = nil
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv[:min(3, len(argv))], " "), err, out)
	}
	return nil
}
