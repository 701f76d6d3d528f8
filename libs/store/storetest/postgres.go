package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// Postgres returns the URL of a new database without tables. It is dropped when the test ends. The test is
// skipped with -short or if no server is available; in the latter case it fails if TEST_REQUIRE is "all".
func Postgres(t testing.TB) string {
	t.Helper()
	return database(t, "template1")
}

// migratedPostgres returns the URL of a new database with today's schema, as Postgres does.
func migratedPostgres(t testing.TB) string {
	t.Helper()
	require(t)
	template, err := templateDatabase()
	if err != nil {
		t.Fatalf("template database: %v", err)
	}
	return database(t, template)
}

// require starts the server if it does not run yet. It skips the test if that is impossible.
func require(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Postgres, which -short leaves out")
	}
	if _, err := private.url(); err != nil {
		absent(t, err.Error())
	}
}

// database creates a database from the template and drops it when the test ends.
func database(t testing.TB, template string) string {
	t.Helper()
	require(t)
	name := nextName()
	if err := execute(private.address, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatalf("create database: %v", err)
	}
	t.Cleanup(func() {
		if err := execute(private.address, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop database: %v", err)
		}
	})
	url, err := private.database(name)
	if err != nil {
		t.Fatal(err)
	}
	if template == "template1" {
		empty.Store(url, name)
	}
	return url
}

// nextName returns a name that no other test program on the same server uses.
func nextName() string {
	return fmt.Sprintf("test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
}

// templateDatabase returns the name of a database with today's schema, which it makes on the first call. A
// copy of it takes a tenth of the time that the migrations take.
var templateDatabase = sync.OnceValues(func() (string, error) {
	name := nextName()
	if err := execute(private.address, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	url, err := private.database(name)
	if err != nil {
		return "", err
	}
	return name, migrate(url)
})

// fillPostgres replaces a database that Postgres made and that still has no table by a copy of the template.
// It does nothing for other databases.
func fillPostgres(url string) error {
	name, ok := empty.LoadAndDelete(url)
	if !ok {
		return nil
	}
	if isNew, err := isEmpty(url); err != nil || !isNew {
		return err
	}
	template, err := templateDatabase()
	if err != nil {
		return err
	}
	return errors.Join(
		execute(private.address, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)),
		execute(private.address, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)))
}

// isEmpty reports whether the database has no table.
func isEmpty(url string) (empty bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return false, err
	}
	err = conn.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace)").
		Scan(&empty)
	return empty, errors.Join(err, conn.Close(ctx))
}

// ServerPID returns the process id of the private server's postmaster, or 0 if the server of
// TEST_POSTGRES_URL is used. Benchmarks use it to measure the CPU time of the server.
func ServerPID() int {
	if private.command == nil {
		return 0
	}
	return private.command.Process.Pid
}

// execute runs a statement on a connection of its own.
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

// startTimeout bounds the start of the server, its end, and each statement of execute.
const startTimeout = 60 * time.Second

// The server of this test program. Test programs are single processes, so tests share it.
var (
	private   server
	databases atomic.Int64 // number of databases that were created, for nextName
	empty     sync.Map     // from the URLs of the databases that Postgres made to their names
)

// server is the Postgres server of a test program: a private one, or that of TEST_POSTGRES_URL.
type server struct {
	once    sync.Once // of url
	address string    // URL
	err     error     // of the start
	folder  string    // of the private server, removed at the end; "" without one
	command *exec.Cmd // nil without a private server
	exited  chan struct{}
}

// database returns the URL of a database of the server.
func (s *server) database(name string) (string, error) {
	u, err := url.Parse(s.address)
	if err != nil {
		return "", fmt.Errorf("TEST_POSTGRES_URL: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// url returns the URL of the server. The first call starts the private server if TEST_POSTGRES_URL is not
// set.
func (s *server) url() (string, error) {
	s.once.Do(func() {
		if s.address = os.Getenv("TEST_POSTGRES_URL"); s.address == "" {
			s.err = s.start()
		}
	})
	return s.address, s.err
}

// start creates the private server and starts it. It listens on a Unix socket in its folder only, and trades
// durability for speed, because the data ends with the program.
func (s *server) start() error {
	binaries, err := newest("/usr/lib/postgresql/*/bin")
	if err != nil {
		return err
	}
	as, err := unprivileged()
	if err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp(memory(), "tollgate-postgres-"); err != nil {
		return err
	}
	if as != nil {
		if err := os.Chown(s.folder, int(as.Uid), int(as.Gid)); err != nil {
			return err
		}
	}
	data := filepath.Join(s.folder, "data")
	// The collation ignores punctuation at first, as that of most databases does, such as en_US.UTF-8.
	initdb := exec.Command(filepath.Join(binaries, "initdb"),
		"--pgdata="+data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
		"--locale-provider=icu", "--icu-locale=und-u-ka-shifted", "--no-sync")
	if out, err := s.as(initdb, as).CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	s.address = "postgres://postgres@/postgres?host=" + url.QueryEscape(s.folder)
	s.command = s.as(exec.Command(filepath.Join(binaries, "postgres"), "-D", data,
		"-c", "listen_addresses=", "-c", "unix_socket_directories="+s.folder, "-c", "max_connections=200",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "shared_buffers=128MB"),
		as)
	return s.launch()
}

// memory returns the folder that Linux keeps in memory, if that has at least 2 GiB free, and otherwise "",
// which means the usual folder for temporary files. Creating and dropping databases writes and removes many
// files, which is faster in memory.
func memory() string {
	const folder, needed = "/dev/shm", 2 << 30
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil || disk.Bavail*uint64(disk.Bsize) < needed {
		return ""
	}
	return folder
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
			return fmt.Errorf("the Postgres server exited: %s", log)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the Postgres server does not answer: %w", err)
		}
	}
}

// as makes the command run as the user (nil: the present one) in the server's folder. The system ends the
// command when the test program dies, so that no server is left behind.
func (s *server) as(command *exec.Cmd, as *syscall.Credential) *exec.Cmd {
	command.Dir = s.folder
	command.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGTERM}
	return command
}

// stop shuts the private server down without waiting for its clients, and removes its folder.
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

// newest returns the folder with the highest version among those that match the pattern
// /usr/lib/postgresql/VERSION/bin and contain initdb.
func newest(pattern string) (string, error) {
	folders, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	// Compare versions as numbers: as text "9" would be greater than "17".
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

// unprivileged returns the user that the server runs as if the test program runs as root, because Postgres
// refuses to run as root. It returns nil for all other users.
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
