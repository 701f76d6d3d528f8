package shipped

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tollgate/tollgate/e2e/wait"
)

const (
	startPatience = 60 * time.Second // until a container is ready
	endPatience   = 45 * time.Second // until one that was asked to end has ended
	apiPatience   = 20 * time.Second // for one call of the engine
)

// Container is a container that may be started again after it ended, with its
// files and at the same ports of 127.0.0.1. Its methods are not safe for
// concurrent use.
type Container struct {
	Name   string
	id     string
	docker *client.Client
	ready  func(context.Context) error
}

// Start starts the container and waits until it is ready.
func (c *Container) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if _, err := c.docker.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return c.await(ctx)
}

// await waits until the container is ready, and fails where it ends instead.
func (c *Container) await(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := c.wait(ctx); ctx.Err() == nil {
			cancel(errors.Join(errEnded, err))
		}
	}()
	if err := wait.Until(ctx, c.ready); err != nil {
		return fmt.Errorf("%s did not get ready: %w\n%s", c.Name, err, c.Tail(30))
	}
	return nil
}

var errEnded = errors.New("the container ended")

func (c *Container) state(ctx context.Context) (*container.State, error) {
	found, err := c.docker.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return found.Container.State, nil
}

// Running reports whether the container was started and has not ended.
func (c *Container) Running() bool {
	ctx, cancel := context.WithTimeout(context.Background(), apiPatience)
	defer cancel()
	s, err := c.state(ctx)
	return err == nil && s.Running
}

// Kill ends the container at once.
func (c *Container) Kill() {
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	// It may have ended by itself, and is looked after by who starts it again.
	if _, err := c.docker.ContainerKill(ctx, c.id, client.ContainerKillOptions{Signal: "SIGKILL"}); err == nil {
		_ = c.wait(ctx)
	}
}

// Terminate asks the container to end, as its image wants to be asked, and
// reports where it did not, or with a bad exit status.
func (c *Container) Terminate() error {
	if err := c.askToEnd(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	return c.wait(ctx)
}

// askToEnd sends the signal that `docker stop` would, and does not wait.
func (c *Container) askToEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), apiPatience)
	defer cancel()
	found, err := c.docker.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	if !found.Container.State.Running {
		return nil
	}
	signal := found.Container.Config.StopSignal
	if signal == "" {
		signal = "SIGTERM"
	}
	_, err = c.docker.ContainerKill(ctx, c.id, client.ContainerKillOptions{Signal: signal})
	return err
}

// wait waits for the end.
func (c *Container) wait(ctx context.Context) error {
	ended := c.docker.ContainerWait(ctx, c.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case r := <-ended.Result:
		if r.StatusCode != 0 {
			return fmt.Errorf("%s ended with %d", c.Name, r.StatusCode)
		}
		return nil
	case err := <-ended.Error:
		return fmt.Errorf("%s did not end: %w", c.Name, err)
	}
}

// Freeze stops all of the container where it stands, until Thaw.
func (c *Container) Freeze() error {
	ctx, cancel := context.WithTimeout(context.Background(), apiPatience)
	defer cancel()
	_, err := c.docker.ContainerPause(ctx, c.id, client.ContainerPauseOptions{})
	return err
}

// Thaw lets it go on.
func (c *Container) Thaw() error {
	ctx, cancel := context.WithTimeout(context.Background(), apiPatience)
	defer cancel()
	_, err := c.docker.ContainerUnpause(ctx, c.id, client.ContainerUnpauseOptions{})
	return err
}

// Tail returns the last lines that the container wrote.
func (c *Container) Tail(lines int) string {
	ctx, cancel := context.WithTimeout(context.Background(), apiPatience)
	defer cancel()
	text, err := c.output(ctx, fmt.Sprint(lines))
	if err != nil {
		return err.Error()
	}
	return text
}

// output returns the last lines, or "all", that the container wrote.
func (c *Container) output(ctx context.Context, lines string) (string, error) {
	logs, err := c.docker.ContainerLogs(ctx, c.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: lines})
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Name, err)
	}
	defer logs.Close() //nolint:errcheck // read to its end below
	var text bytes.Buffer
	_, err = stdcopy.StdCopy(&text, &text, logs)
	return text.String(), err
}

// files lists the files below a folder of the container, running or not, by
// their paths in it. read is called with each.
func (c *Container) files(ctx context.Context, folder string, read func(name string, content io.Reader) error) error {
	copied, err := c.docker.CopyFromContainer(ctx, c.id, client.CopyFromContainerOptions{SourcePath: folder})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	defer copied.Content.Close() //nolint:errcheck // read to its end below
	archive := tar.NewReader(copied.Content)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		name := strings.TrimPrefix(header.Name, path.Base(folder)+"/")
		if err := read(name, archive); err != nil {
			return err
		}
	}
}

// readyAt returns what asks /readyz at an address.
func readyAt(base string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close() //nolint:errcheck // a probe
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("readyz: %s", resp.Status)
		}
		return nil
	}
}
