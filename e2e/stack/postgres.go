package stack

import (
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
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/wait"
	"github.com/tollgate/tollgate/libs/porttest"
)

// ErrMissing means that a program which the stack needs is not installed on this machine. Other errors of this
// package wrap it.
var ErrMissing = errors.New("not installed")

// Postgres is a database server with fsync enabled, as in production.
type Postgres struct {
	Process
	URL string // of an empty database, as a role that is not a superuser
	bin string // folder of Postgres' programs
}

// postgresBin returns the folder of initdb and postgres: next to the initdb on PATH, or the newest of Debian's
// versions.
func postgresBin() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real), nil
		}
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(paths) == 0 {
		return "", fmt.Errorf("postgres (Debian: apt-get install postgresql): %w", ErrMissing)
	}
	return filepath.Dir(slices.Max(paths)), nil
}

// newPostgres creates a database cluster in dir and starts its server with the additional arguments. Other
// users must be able to traverse dir, because the server doesn't run as root. If the result is not nil, the
// caller must stop the server even after an error.
func newPostgres(ctx context.Context, dir string, args ...string) (*Postgres, error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	home, err := serverHome(dir, "postgres", as)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(home, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "root", "-A", "trust", "-E",
		"UTF8", "--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = home, attributes(as, 0)
	if output, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, output)
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, err
	}
	p := &Postgres{bin: bin, URL: fmt.Sprintf("postgres://tollgate@%s/tollgate?sslmode=disable", port.Addr())}
	p.Process = Process{
		Name: "postgres", ports: Ports{port}, dir: home, log: filepath.Join(dir, "postgres.log"), as: as,
		stop: syscall.SIGQUIT,
		argv: []string{filepath.Join(bin, "postgres"), "-D", data, "-k", home, "-h", "127.0.0.1", "-p",
			strconv.Itoa(port.Number), "-c", "max_connections=200"},
	}
	// Later -c options override earlier ones.
	p.argv = append(p.argv, args...)
	if err := p.Start(ctx); err != nil {
		return p, err
	}
	return p, p.createDatabase(ctx)
}

// Standby starts a server that replicates p, in the folder of p. It only reads until Promote. The caller must stop it.
func (p *Postgres) Standby(ctx context.Context) (*Postgres, error) {
	home, err := serverHome(filepath.Dir(p.dir), "standby", p.as)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(home, "data")
	copying := exec.CommandContext(ctx, filepath.Join(p.bin, "pg_basebackup"), "-h", "127.0.0.1", "-p", p.Port(), "-U",
		"root", "-D", data,
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	copying.Dir, copying.SysProcAttr = home, attributes(p.as, 0)
	if output, err := copying.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pg_basebackup: %w\n%s", err, output)
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, err
	}
	s := &Postgres{bin: p.bin, URL: strings.Replace(p.URL, ":"+p.Port()+"/", fmt.Sprintf(":%d/", port.Number), 1)}
	s.Process = Process{
		Name: "standby", ports: Ports{port}, dir: home, log: filepath.Join(filepath.Dir(p.dir), "standby.log"),
		as: p.as, stop: syscall.SIGQUIT,
		argv: []string{filepath.Join(p.bin, "postgres"), "-D", data, "-k", home, "-h", "127.0.0.1", "-p",
			strconv.Itoa(port.Number), "-c", "max_connections=200"},
	}
	return s, s.Start(ctx)
}

// Demote makes the server read-only without breaking its connections, and returns when the standby has everything.
func (p *Postgres) Demote(ctx context.Context, standby *Postgres) error {
	for _, statement := range []string{"ALTER SYSTEM SET default_transaction_read_only = on",
		"SELECT pg_reload_conf()"} {
		if err := p.administer(ctx, "postgres", statement); err != nil {
			return err
		}
	}
	return wait.Until(ctx, func(ctx context.Context) error {
		target, err := p.position(ctx, "pg_current_wal_lsn()")
		if err != nil {
			return err
		}
		if replay, err := standby.position(ctx, "pg_last_wal_replay_lsn()"); err != nil || replay < target {
			return errors.Join(errors.New("the standby is behind"), err)
		}
		return nil
	})
}

// position returns a position in the write-ahead log.
func (p *Postgres) position(ctx context.Context, function string) (bytes int64, err error) {
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://root@127.0.0.1:%s/postgres?sslmode=disable", p.Port()))
	if err != nil {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT pg_wal_lsn_diff("+function+", '0/0')::bigint").Scan(&bytes)
	return bytes, errors.Join(err, conn.Close(ctx))
}

// Promote makes a standby a primary.
func (p *Postgres) Promote(ctx context.Context) error {
	return p.administer(ctx, "postgres", "SELECT pg_promote()")
}

// serverHome makes a folder in dir that belongs to the user as, or to the current user if as is nil.
func serverHome(dir, name string, as *syscall.Credential) (string, error) {
	home := filepath.Join(dir, name)
	if err := os.Mkdir(home, 0o700); err != nil || as == nil {
		return home, err
	}
	return home, os.Chown(home, int(as.Uid), int(as.Gid))
}

// unprivileged returns the user to run a database server as: Postgres and MariaDB refuse to run as root. It
// returns nil if the current user is not root.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
			gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
		}
	}
	return nil, fmt.Errorf("a user to run a database server as: %w", ErrMissing)
}

// createDatabase creates the database and the two roles that Tollgate needs.
func (p *Postgres) createDatabase(ctx context.Context) error {
	for _, statement := range []string{
		"CREATE ROLE tollgate LOGIN", "CREATE DATABASE tollgate OWNER tollgate",
		// Tollgate's role may not create roles: docs/security.md
		"CREATE ROLE tollgate_tenant NOLOGIN", "GRANT tollgate_tenant TO tollgate",
	} {
		if err := p.administer(ctx, "postgres", statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// administer runs statements in a database as the superuser.
func (p *Postgres) administer(ctx context.Context, database, statements string) error {
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://root@127.0.0.1:%s/%s?sslmode=disable", p.Port(), database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statements)
	return errors.Join(err, conn.Close(ctx))
}

// Bin returns the folder of Postgres' programs.
func (p *Postgres) Bin() string { return p.bin }

// Port returns the port on which the server listens.
func (p *Postgres) Port() string {
	address, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return address.Port()
}

// Start starts the server and waits until it accepts connections.
func (p *Postgres) Start(ctx context.Context) error {
	if err := p.Launch(); err != nil {
		return err
	}
	isReady := filepath.Join(p.bin, "pg_isready")
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return p.Await(ctx, func(ctx context.Context) error {
		return exec.CommandContext(ctx, isReady, "-q", "-d", p.URL).Run()
	})
}

// Stop shuts the server down without waiting for its clients (SIGINT, "fast" shutdown). It breaks all
// connections, as a failover does.
func (p *Postgres) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.End(ctx, syscall.SIGINT)
}

// StartPostgres starts a database server without the rest of a stack, in a temporary directory that Remove
// deletes. The arguments are added to the server's command line.
func StartPostgres(ctx context.Context, args ...string) (*Postgres, error) {
	dir, err := workDir()
	if err != nil {
		return nil, err
	}
	p, err := newPostgres(ctx, dir, args...)
	switch {
	case err == nil:
		return p, nil
	case p != nil:
		return nil, errors.Join(err, p.Remove())
	}
	return nil, errors.Join(err, os.RemoveAll(dir))
}

// Remove stops a server of StartPostgres and deletes its files.
func (p *Postgres) Remove() error {
	return errors.Join(p.Stop(), p.ports.Release(), os.RemoveAll(filepath.Dir(p.dir)))
}

// Backup writes the database to a file with the command in docs/backup.md.
func (p *Postgres) Backup(ctx context.Context, path string) error {
	_, err := run(ctx, nil, filepath.Join(p.bin, "pg_dump"), "--format=custom", "--file="+path, p.URL)
	return err
}

// Restore restores the file into a new database of the same cluster, with the commands in docs/backup.md, and
// returns the URL of that database.
func (p *Postgres) Restore(ctx context.Context, path, name string) (string, error) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	target := u.String()
	if _, err := run(ctx, nil, filepath.Join(p.bin, "createdb"), "-h", u.Hostname(), "-p", u.Port(), "-U", "root",
		"--owner=tollgate", name); err != nil {
		return "", err
	}
	_, err = run(ctx, nil, filepath.Join(p.bin, "pg_restore"), "--exit-on-error", "--no-owner",
		"--dbname="+target, path)
	return target, err
}
