// Package shipped tests Tollgate as it ships: its images run as containers, with those of Postgres, Redis and a
// scriptable upstream, in a Docker network of their own. Each test file tests one subject. A Kit holds the
// images; Kit.Start starts a Stack of containers; Kit.Stage is the stage on which package chaos injects faults
// into containers.
//
// Ports are published on 127.0.0.1 only. Everything created has a label with the id of this process. Each run
// first removes the leftovers of processes that have ended.
//
// Tests with the build tags builder and cluster need a builder for several architectures, and a Kubernetes
// cluster.
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

// label is the key of the label on everything that this package creates; its value is the process id.
const label = "dev.tollgate.shipped"

// composeProject is the key of the label that docker compose sets on what it creates.
const composeProject = "com.docker.compose.project"

// builtTag is the variable with the tag of images that tools/test has built before the tests, and removes after them.
const builtTag = "TEST_TAG"

// Kit holds the images. Close removes the images that Build built.
type Kit struct {
	Root string // root folder of the repository
	Tag  string // tag of Tollgate's images

	built    bool // whether Build built the images
	docker   *client.Client
	postgres string
	redis    string
}

// Build builds the images from the working tree that contains the current directory, unless the variable TEST_TAG names
// the tag of images that were built from it already. If no Docker engine responds, or a required image cannot be
// pulled, the error wraps stack.ErrMissing.
func Build(ctx context.Context) (*Kit, error) {
	// testcontainers must not assume that this process runs in a container of the engine, and must not start
	// its own cleanup container, because sweep removes leftovers.
	for name, value := range map[string]string{"TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1",
		"TESTCONTAINERS_RYUK_DISABLED": "true"} {
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
		Root: root, docker: docker, Tag: os.Getenv(builtTag),
		postgres: configured("TOLLGATE_TEST_POSTGRES_IMAGE", "postgres:15"),
		redis:    configured("TOLLGATE_TEST_REDIS_IMAGE", "redis:7.0"),
	}
	if err := errors.Join(k.have(ctx, k.postgres), k.have(ctx, k.redis)); err != nil {
		return nil, err
	}
	if err := k.sweep(ctx); err != nil {
		return nil, err
	}
	if k.Tag != "" {
		return k, nil
	}
	k.Tag, k.built = fmt.Sprintf("test-%d", os.Getpid()), true
	if err := command(ctx, root, []string{"TAG=" + k.Tag}, "e2e/shipped/images"); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// configured returns the value of a variable, or the default.
func configured(name, standard string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return standard
}

// engine returns a client for the Docker engine, or an error that wraps stack.ErrMissing.
func engine(ctx context.Context) (*client.Client, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, fmt.Errorf("docker (tools/offline/engine provides it): %w", stack.ErrMissing)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, fmt.Errorf("no Docker engine responds (tools/offline/engine provides it): %w", stack.ErrMissing)
	}
	return docker.Client, nil
}

// have checks that an image is present, and pulls it otherwise.
func (k *Kit) have(ctx context.Context, image string) error {
	if _, err := k.docker.ImageInspect(ctx, image); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := command(ctx, k.Root, nil, "docker", "pull", "-q", image); err != nil {
		return fmt.Errorf("the image %s is missing (tools/offline/standins makes one): %w", image, stack.ErrMissing)
	}
	return nil
}

// image returns the name of an image that was built.
func (k *Kit) image(program string) string { return "tollgate/" + program + ":" + k.Tag }

// Close removes the images that Build built.
func (k *Kit) Close() error {
	if !k.built {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var names []string
	for _, program := range append(stack.Programs(), "fakeupstream") {
		names = append(names, k.image(program))
	}
	return command(ctx, k.Root, nil, append([]string{"docker", "image", "rm", "-f"}, names...)...)
}

// project is the prefix of the compose projects of tests. The process id and a number follow.
const project = "tollgate-test-"

// sweep removes the containers, networks and volumes of processes that have ended.
func (k *Kit) sweep(ctx context.Context) error {
	var errs []error
	for _, filters := range []client.Filters{client.Filters{}.Add("label", label),
		client.Filters{}.Add("label", composeProject)} {
		errs = append(errs, k.sweepContainers(ctx, filters), k.sweepNetworks(ctx, filters),
			k.sweepVolumes(ctx, filters))
	}
	return errors.Join(errs...)
}

func (k *Kit) sweepContainers(ctx context.Context, filters client.Filters) error {
	list, err := k.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	for _, c := range list.Items {
		if abandoned(c.Labels) {
			_, removeErr := k.docker.ContainerRemove(ctx, c.ID,
				client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

func (k *Kit) sweepNetworks(ctx context.Context, filters client.Filters) error {
	list, err := k.docker.NetworkList(ctx, client.NetworkListOptions{Filters: filters})
	for _, n := range list.Items {
		if abandoned(n.Labels) {
			_, removeErr := k.docker.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

func (k *Kit) sweepVolumes(ctx context.Context, filters client.Filters) error {
	list, err := k.docker.VolumeList(ctx, client.VolumeListOptions{Filters: filters})
	for _, v := range list.Items {
		if abandoned(v.Labels) {
			_, removeErr := k.docker.VolumeRemove(ctx, v.Name, client.VolumeRemoveOptions{})
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

// abandoned reports whether the labels belong to a process of this package that has ended.
func abandoned(labels map[string]string) bool {
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

// command runs a program in dir with the additional variables env. A name that begins with tools/ or e2e/ is relative
// to dir.
func command(ctx context.Context, dir string, env []string, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	// exec.Command looks up a name with a slash relative to the current directory, not to cmd.Dir.
	if strings.HasPrefix(argv[0], "tools/") || strings.HasPrefix(argv[0], "e2e/") {
		cmd.Path = filepath.Join(dir, argv[0])
		cmd.Err = nil
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv[:min(3, len(argv))], " "), err, output)
	}
	return nil
}
