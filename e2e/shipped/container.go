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
	startTimeout = 3 * time.Minute // until a container is ready
	endTimeout   = 2 * time.Minute // until a container that was asked to stop has ended
	apiTimeout   = time.Minute     // for one call of the engine's API
)

// Container is a container that may be started again after it has ended. It keeps its files and its published
// ports. Its methods are not safe for concurrent use.
type Container struct {
	Name   string
	id     string
	docker *client.Client
	ready  func(context.Context) error
}

// Start starts the container and waits until it is ready.
func (c *Container) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if _, err := c.docker.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return c.await(ctx)
}

// await waits until the container is ready. It fails if the container ends first.
func (c *Container) await(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// ContainerWait blocks, so it runs in parallel to the polling and cancels it.
	go func() {
		if err := c.wait(ctx); ctx.Err() == nil {
			cancel(errors.Join(errEnded, err))
		}
	}()
	if err := wait.Until(ctx, c.ready); err != nil {
		return fmt.Errorf("%s did not become ready: %w\n%s", c.Name, err, c.Tail(30))
	}
	return nil
}

// errEnded is the cause with which await stops when the container ends.
var errEnded = errors.New("the container ended")

// state returns the engine's state of the container.
func (c *Container) state(ctx context.Context) (*container.State, error) {
	info, err := c.docker.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return info.Container.State, nil
}

// Running reports whether the container was started and has not ended.
func (c *Container) Running() bool {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	s, err := c.state(ctx)
	return err == nil && s.Running
}

// PID returns the process id of the container's program on this machine, 0 if it does not run.
func (c *Container) PID() int {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	s, err := c.state(ctx)
	if err != nil {
		return 0
	}
	return s.Pid
}

// Kill ends the container with SIGKILL and waits until it has ended.
func (c *Container) Kill() {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	// An error means that the container has already ended; the caller that starts it again finds other
	// problems.
	if _, err := c.docker.ContainerKill(ctx, c.id, client.ContainerKillOptions{Signal: "SIGKILL"}); err == nil {
		_ = c.wait(ctx)
	}
}

// Terminate sends the image's stop signal and waits until the container has ended. It returns an error if the
// exit status is not 0, or if the container does not end in time.
func (c *Container) Terminate() error {
	if err := c.askToEnd(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	return c.wait(ctx)
}

// askToEnd sends the signal that `docker stop` sends, and returns at once.
func (c *Container) askToEnd() error {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	info, err := c.docker.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	if !info.Container.State.Running {
		return nil
	}
	signal := info.Container.Config.StopSignal
	if signal == "" {
		signal = "SIGTERM"
	}
	_, err = c.docker.ContainerKill(ctx, c.id, client.ContainerKillOptions{Signal: signal})
	return err
}

// wait waits until the container has ended. It returns an error if the exit status is not 0.
func (c *Container) wait(ctx context.Context) error {
	status := c.docker.ContainerWait(ctx, c.id,
		client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case r := <-status.Result:
		if r.StatusCode != 0 {
			return fmt.Errorf("%s: exit status %d", c.Name, r.StatusCode)
		}
		return nil
	case err := <-status.Error:
		return fmt.Errorf("%s did not end: %w", c.Name, err)
	}
}

// Freeze suspends all processes of the container until Thaw.
func (c *Container) Freeze() error {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	_, err := c.docker.ContainerPause(ctx, c.id, client.ContainerPauseOptions{})
	return err
}

// Thaw resumes the container.
func (c *Container) Thaw() error {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	_, err := c.docker.ContainerUnpause(ctx, c.id, client.ContainerUnpauseOptions{})
	return err
}

// Tail returns the last lines of the container's output.
func (c *Container) Tail(lines int) string {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	text, err := c.output(ctx, fmt.Sprint(lines))
	if err != nil {
		return err.Error()
	}
	return text
}

// output returns the last lines of the container's output, or all of them for "all".
func (c *Container) output(ctx context.Context, lines string) (string, error) {
	logs, err := c.docker.ContainerLogs(ctx, c.id,
		client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: lines})
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Name, err)
	}
	defer logs.Close() //nolint:errcheck // read to its end below
	var text bytes.Buffer
	_, err = stdcopy.StdCopy(&text, &text, logs)
	return text.String(), err
}

// files calls visit for each file below a folder of the container, with its relative path. It works also while
// the container is stopped.
func (c *Container) files(ctx context.Context, folder string, visit func(name string, content io.Reader) error) error {
	result, err := c.docker.CopyFromContainer(ctx, c.id, client.CopyFromContainerOptions{SourcePath: folder})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	defer result.Content.Close() //nolint:errcheck // read to its end below
	archive := tar.NewReader(result.Content)
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
		if err := visit(name, archive); err != nil {
			return err
		}
	}
}

// readyAt returns a function that checks /readyz at a base URL.
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
		defer resp.Body.Close() //nolint:errcheck // only the status matters
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("readyz: %s", resp.Status)
		}
		return nil
	}
}
