package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Postgres returns the URL of a fresh, empty database, which is dropped when
// the test ends. Without a server the test is skipped, or fails where
// TEST_REQUIRE is "all".
func Postgres(t testing.TB) string {
	t.Helper()
	server, err := private.url()
	if err != nil {
		absent(t, err.Error())
	}
	name := fmt.Sprintf("test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
	run := func(statement string) {
		if err := execute(server, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("CREATE DATABASE " + name)
	t.Cleanup(func() { run("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })
	database, err := url.Parse(server)
	if err != nil {
		t.Fatalf("TEST_POSTGRES_URL: %v", err)
	}
	database.Path = "/" + name
	return database.String()
}

// ServerPID returns the process id of the private server's postmaster; 0
// where the server is not our own.
func ServerPID() int {
	if private.command == nil {
		return 0
	}
	return private.command.Process.Pid
}

func execute(server, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

const startTimeout = 60 * time.Second

// The one server of this test program.
var (
	private   server
	databases atomic.Int64
)

type server struct {
	once    sync.Once
	address string
	err     error
	folder  string
	command *exec.Cmd
	exited  chan struct{}
}

// url returns the server's URL, and starts it the first time.
func (s *server) url() (string, error) {
	s.once.Do(func() {
		if s.address = os.Getenv("TEST_POSTGRES_URL"); s.address == "" {
			s.err = s.start()
		}
	})
	return s.address, s.err
}

func (s *server) start() error {
	binaries, err := newest("/usr/lib/postgresql/*/bin")
	if err != nil {
		return err
	}
	as, err := unprivileged()
	if err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "tollgate-postgres-"); err != nil {
		return err
	}
	if as != nil {
		if err := os.Chown(s.folder, int(as.Uid), int(as.Gid)); err != nil {
			return err
		}
	}
	data := filepath.Join(s.folder, "data")
	initdb := exec.Command(filepath.Join(binaries, "initdb"),
		"--pgdata="+data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := s.as(initdb, as).CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.address = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	s.command = s.as(exec.Command(filepath.Join(binaries, "postgres"), "-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "shared_buffers=128MB"), as)
	return s.launch()
}

// launch starts the server and waits until it answers.
func (s *server) launch() error {
	log := &bytes.Buffer{}
	s.command.Stdout, s.command.Stderr = log, log
	if err := s.command.Start(); err != nil {
		return err
	}
	s.exited = make(chan struct{})
	go func() {
		_ = s.command.Wait()
		close(s.exited)
	}()
	for deadline := time.Now().Add(startTimeout); ; {
		err := execute(s.address, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("the Postgres server ended: %s", log)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the Postgres server does not answer: %w", err)
		}
	}
}

func (s *server) as(command *exec.Cmd, as *syscall.Credential) *exec.Cmd {
	command.Dir = s.folder
	command.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGTERM}
	return command
}

// stop ends the server at once and removes what it kept.
func (s *server) stop() {
	if s.exited != nil {
		_ = s.command.Process.Signal(syscall.SIGINT)
		select {
		case <-s.exited:
		case <-time.After(startTimeout):
			_ = s.command.Process.Kill()
			<-s.exited
		}
	}
	if s.folder != "" {
		_ = os.RemoveAll(s.folder)
	}
}

// newest returns the last folder by version that matches and has a server.
func newest(pattern string) (string, error) {
	folders, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	version := func(folder string) int {
		number, _ := strconv.Atoi(strings.Split(folder, "/")[4])
		return number
	}
	folders = slices.DeleteFunc(folders, func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "initdb"))
		return err != nil
	})
	if len(folders) == 0 {
		return "", fmt.Errorf("TEST_POSTGRES_URL is not set and there is no server in %s", pattern)
	}
	return slices.MaxFunc(folders, func(a, b string) int { return version(a) - version(b) }), nil
}

// unprivileged returns whom root runs the server as: Postgres refuses root.
// It is nil for everybody else.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
	}
	return nil, errors.New("root needs a user postgres or nobody to run the server as")
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close() //nolint:errcheck // only its number is wanted
	address, err := netip.ParseAddrPort(listener.Addr().String())
	return int(address.Port()), err
}
