package shipped

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tcnetwork "github.com/testcontainers/testcontainers-go/network"

	"github.com/tollgate/tollgate/e2e/stack"
)

// Options describes a stack. The zero value of every field is a valid default.
type Options struct {
	Manifest string            // text of the manifest to apply; "": no manifest
	Env      map[string]string // for all Tollgate programs
	Relays   int               // number of relays; 0 means 2
	Workers  int               // number of workers; 0 means 2
	Memory   map[string]int64  // limits in bytes by program, such as "relay"; programs without an entry have no limit
}

// Program is a container of one of Tollgate's images.
type Program struct {
	*Container
	URL string // base URL of its API, without a path; "" for the worker
	Ops string // base URL of its operations endpoints
}

// Stack is a running Tollgate in containers. DatabaseURL is the address as seen from this machine.
type Stack struct {
	Postgres *Container
	Redis    *Container
	Upstream *Container
	Relays   []*Program
	Workers  []*Program
	Console  *Program

	DatabaseURL string
	kit         *Kit
	network     string
	env         map[string]string
	containers  []*Container
	ports       stack.Ports // that are published
	closed      bool
}

// private lists the private networks that containers may be in. Relays may call upstreams there.
const private = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"

// Start starts all parts and returns when all of them are ready.
func (k *Kit) Start(ctx context.Context, o Options) (*Stack, error) {
	s, err := k.Open(ctx, o.Env)
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// fill creates the schema, applies the manifest and starts the programs.
func (s *Stack) fill(ctx context.Context, o Options) error {
	if _, err := s.Command(ctx, "console", "migrate"); err != nil {
		return err
	}
	if o.Manifest != "" {
		if _, err := s.Apply(ctx, o.Manifest); err != nil {
			return err
		}
	}
	return s.StartPrograms(ctx, o)
}

// Open starts only Postgres, Redis and the upstream, with an empty database and no schema.
func (k *Kit) Open(ctx context.Context, env map[string]string) (*Stack, error) {
	s := &Stack{kit: k, env: map[string]string{
		"TOLLGATE_DATABASE_URL": "postgres://tollgate:tollgate-password@postgres:5432/tollgate?sslmode=disable",
		"TOLLGATE_REDIS_URL":    "redis://redis:6379/0",
		"TOLLGATE_SECRET_KEY":   stack.NewSecret(),
		"TOLLGATE_EGRESS_ALLOW": private,
		"UPSTREAM_URL":          "http://upstream:9090/v1",
		// The tests use plain HTTP.
		"TOLLGATE_CONSOLE_SECURE_COOKIES": "false",
	}}
	maps.Copy(s.env, env)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open creates the network and starts Postgres, Redis and the upstream in it.
func (s *Stack) open(ctx context.Context) error {
	nw, err := tcnetwork.New(ctx, tcnetwork.WithLabels(map[string]string{label: strconv.Itoa(os.Getpid())}))
	if err != nil {
		return err
	}
	s.network = nw.Name
	postgres, ports, err := s.add(ctx, part{name: "postgres", image: s.kit.postgres, ports: []int{5432},
		cmd: []string{"postgres", "-c", "max_connections=200"},
		env: map[string]string{"POSTGRES_USER": "tollgate", "POSTGRES_PASSWORD": "tollgate-password",
			"POSTGRES_DB": "tollgate"}})
	if err != nil {
		return err
	}
	s.Postgres = postgres
	s.DatabaseURL = fmt.Sprintf("postgres://tollgate:tollgate-password@127.0.0.1:%d/tollgate?sslmode=disable", ports[0])
	postgres.ready = s.pingPostgres
	if s.Redis, _, err = s.add(ctx, part{name: "redis", image: s.kit.redis}); err != nil {
		return err
	}
	s.Redis.ready = s.pingRedis
	if s.Upstream, _, err = s.add(ctx, part{name: "upstream", image: s.kit.image("fakeupstream")}); err != nil {
		return err
	}
	s.Upstream.ready = func(context.Context) error { return nil }
	return start(ctx, s.Postgres, s.Redis, s.Upstream)
}

// pingPostgres reports whether Postgres accepts connections from this machine.
func (s *Stack) pingPostgres(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.DatabaseURL)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// pingRedis runs redis-cli in the container, because Redis has no published port.
func (s *Stack) pingRedis(ctx context.Context) error {
	return command(ctx, s.kit.Root, nil, "docker", "exec", s.Redis.id, "redis-cli", "ping")
}

// StartPrograms creates and starts the relays, the workers and the console.
func (s *Stack) StartPrograms(ctx context.Context, o Options) error {
	for range or(o.Relays, 2) {
		p, err := s.program(ctx, "relay", len(s.Relays)+1, o.Memory)
		if err != nil {
			return err
		}
		s.Relays = append(s.Relays, p)
	}
	for range or(o.Workers, 2) {
		p, err := s.program(ctx, "worker", len(s.Workers)+1, o.Memory)
		if err != nil {
			return err
		}
		s.Workers = append(s.Workers, p)
	}
	var err error
	if s.Console, err = s.program(ctx, "console", 1, o.Memory); err != nil {
		return err
	}
	return start(ctx, s.programs()...)
}

// or returns n, or the default if n is 0.
func or(n, standard int) int {
	if n == 0 {
		return standard
	}
	return n
}

// programs returns the containers of Tollgate's programs.
func (s *Stack) programs() []*Container {
	var list []*Container
	for _, p := range slices.Concat(s.Relays, s.Workers) {
		list = append(list, p.Container)
	}
	return append(list, s.Console.Container)
}

// start starts the containers at the same time and waits until all are ready.
func start(ctx context.Context, containers ...*Container) error {
	failures := make(chan error, len(containers))
	for _, c := range containers {
		go func() { failures <- c.Start(ctx) }()
	}
	var err error
	for range containers {
		err = errors.Join(err, <-failures)
	}
	return err
}

// published lists the published ports of each program. The last one serves the operations endpoints.
var portsOf = map[string][]int{"relay": {8080, 8082}, "console": {8081, 8083}, "worker": {8084}}

// program creates the nth container of a Tollgate image, with the same restrictions as in deploy/compose.yaml.
func (s *Stack) program(ctx context.Context, kind string, n int, memory map[string]int64) (*Program, error) {
	c, ports, err := s.add(ctx, part{
		name: fmt.Sprintf("%s-%d", kind, n), image: s.kit.image(kind), ports: portsOf[kind], env: s.env,
		confined: true, memory: memory[kind],
	})
	if err != nil {
		return nil, err
	}
	at := func(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
	p := &Program{Container: c, Ops: at(ports[len(ports)-1])}
	if len(ports) > 1 {
		p.URL = at(ports[0])
	}
	c.ready = readyAt(p.Ops)
	return p, nil
}

// part describes a container to create.
type part struct {
	name, image string
	ports       []int // ports in the container; each is published on a free port of 127.0.0.1
	cmd         []string
	env         map[string]string
	files       []testcontainers.ContainerFile
	confined    bool  // with a read-only root file system and without capabilities
	memory      int64 // limit in bytes; 0: none
}

// add creates a container that exists as long as the stack. See create.
func (s *Stack) add(ctx context.Context, p part) (*Container, []int, error) {
	c, ports, err := s.create(ctx, p)
	if err == nil {
		s.containers = append(s.containers, c)
	}
	return c, ports, err
}

// create creates a container whose host name in the stack's network is the part's name. It returns the
// published ports in the order of the part's ports.
func (s *Stack) create(ctx context.Context, p part) (*Container, []int, error) {
	bindings, names, ports := network.PortMap{}, []string{}, []int{}
	for _, port := range p.ports {
		free, err := s.ports.Reserve()
		if err != nil {
			return nil, nil, err
		}
		name := fmt.Sprintf("%d/tcp", port)
		names, ports = append(names, name), append(ports, free.Number)
		bindings[network.MustParsePort(name)] = []network.PortBinding{{HostIP: netip.MustParseAddr("127.0.0.1"),
			HostPort: strconv.Itoa(free.Number)}}
	}
	ctr, err := testcontainers.GenericContainer(ctx,
		testcontainers.GenericContainerRequest{ContainerRequest: testcontainers.ContainerRequest{
			Image: p.image, ExposedPorts: names, Cmd: p.cmd, Env: p.env, Files: p.files,
			Labels:   map[string]string{label: strconv.Itoa(os.Getpid())},
			Networks: []string{s.network}, NetworkAliases: map[string][]string{s.network: {p.name}},
			HostConfigModifier: func(c *container.HostConfig) {
				c.PortBindings = bindings
				c.Memory, c.MemorySwap = p.memory, p.memory // both together, without swap
				if p.confined {
					c.ReadonlyRootfs, c.CapDrop, c.SecurityOpt = true, []string{"ALL"},
						[]string{"no-new-privileges:true"}
				}
			},
		}, Logger: quiet{}})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return &Container{Name: p.name, id: ctr.GetContainerID(), docker: s.kit.docker}, ports, nil
}

// quiet is a logger that discards testcontainers' progress messages.
type quiet struct{}

// Printf discards the message.
func (quiet) Printf(string, ...any) {}

// Command runs a program in a new container with the stack's environment until it ends, and returns its output.
// It is safe for concurrent use.
func (s *Stack) Command(ctx context.Context, program string, args ...string) (string, error) {
	return s.run(ctx, part{name: "command", image: s.kit.image(program), cmd: args, env: s.env})
}

// Apply applies the text of a manifest with `console apply` and returns the command's output.
func (s *Stack) Apply(ctx context.Context, manifest string) (string, error) {
	return s.run(ctx, part{
		name: "command", image: s.kit.image("console"), cmd: []string{"apply", "/manifest.yaml"}, env: s.env,
		files: []testcontainers.ContainerFile{{Reader: strings.NewReader(manifest), ContainerFilePath: "/manifest.yaml",
			FileMode: 0o644}},
	})
}

// run runs a container until it ends, removes it, and returns its output.
func (s *Stack) run(ctx context.Context, p part) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	c, _, err := s.create(ctx, p)
	if err != nil {
		return "", err
	}
	defer s.remove(c) //nolint:errcheck // otherwise the next sweep removes it
	if _, err := s.kit.docker.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		return "", err
	}
	waitErr := c.wait(ctx)
	output, err := c.output(ctx, "all")
	if waitErr != nil {
		return output, fmt.Errorf("%s: %w\n%s", strings.Join(p.cmd, " "), waitErr, output)
	}
	return output, err
}

// remove deletes a container and its volumes.
func (s *Stack) remove(c *Container) error {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	_, err := s.kit.docker.ContainerRemove(ctx, c.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	return err
}

// Close removes all containers with their volumes, and the network. It may be called twice.
func (s *Stack) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, c := range s.containers {
		errs = append(errs, s.remove(c))
	}
	if s.network != "" {
		ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
		defer cancel()
		_, err := s.kit.docker.NetworkRemove(ctx, s.network, client.NetworkRemoveOptions{})
		errs = append(errs, err)
	}
	return errors.Join(append(errs, s.ports.Release())...)
}

// Logs returns the last lines of the output of every part, for the report of a failed test.
func (s *Stack) Logs(lines int) string {
	var report strings.Builder
	for _, c := range s.containers {
		fmt.Fprintf(&report, "--- %s\n%s\n", c.Name, c.Tail(lines))
	}
	return report.String()
}

// identity returns the relay id from the relay's spool.
func (p *Program) identity() (id string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	err = p.files(ctx, "/data/spool", func(name string, content io.Reader) error {
		if name != "relay-id" {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(content, 1024))
		id = strings.TrimSpace(string(text))
		return err
	})
	return id, err
}
