package stack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/porttest"
)

// PgBouncer is a connection pooler in front of a Postgres server. It gives each user of a database three connections of
// the server, so that programs share them all the time.
type PgBouncer struct {
	Process
	URL string // of the same database and user as that of the server
}

// pgbouncerSettings has the address of the server, the folder of the file of users, and its own port and pool mode. A
// client that waits for a connection gets an error after 20 seconds.
const pgbouncerSettings = `[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = trust
auth_file = %s
pool_mode = %s
max_client_conn = 500
default_pool_size = 3
query_wait_timeout = 20
`

// pgbouncerUsers are the users that a stack's database has. Nobody has a password.
const pgbouncerUsers = `"tollgate" ""
"tollgate_relay" ""
"tollgate_console" ""
"tollgate_worker" ""
`

// newPgBouncer starts a pooler with its files in dir, in front of the server of the database URL. If PgBouncer is not
// installed, the error wraps ErrMissing.
func newPgBouncer(ctx context.Context, dir, database, mode string) (*PgBouncer, error) {
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil { // a folder that is often not on PATH
			return nil, fmt.Errorf("pgbouncer (Debian: apt-get install pgbouncer): %w", ErrMissing)
		}
	}
	target, err := url.Parse(database)
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	home, err := serverHome(dir, "pgbouncer", as)
	if err != nil {
		return nil, err
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, err
	}
	users, settings := filepath.Join(home, "users.txt"), filepath.Join(home, "pgbouncer.ini")
	text := fmt.Sprintf(pgbouncerSettings, target.Hostname(), target.Port(), port.Number, users, mode)
	if err := errors.Join(os.WriteFile(users, []byte(pgbouncerUsers), 0o644),
		os.WriteFile(settings, []byte(text), 0o644)); err != nil {
		return nil, errors.Join(err, port.Release())
	}
	target.Host = port.Addr()
	p := &PgBouncer{URL: target.String(), Process: Process{
		Name: "pgbouncer", ports: Ports{port}, dir: home, log: filepath.Join(dir, "pgbouncer.log"), as: as,
		argv: []string{bin, settings},
	}}
	return p, p.Start(ctx)
}

// Start starts the pooler and waits until it passes a statement on.
func (p *PgBouncer) Start(ctx context.Context) error {
	if err := p.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return p.Await(ctx, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, p.URL)
		if err != nil {
			return err
		}
		return errors.Join(conn.Ping(ctx), conn.Close(ctx))
	})
}

// StartPgBouncer starts a pooler in front of the server of the database URL without the rest of a stack, in a temporary
// directory that Remove deletes.
func StartPgBouncer(ctx context.Context, database, mode string) (*PgBouncer, error) {
	dir, err := workDir()
	if err != nil {
		return nil, err
	}
	p, err := newPgBouncer(ctx, dir, database, mode)
	switch {
	case err == nil:
		return p, nil
	case p != nil:
		return nil, errors.Join(err, p.Remove())
	}
	return nil, errors.Join(err, os.RemoveAll(dir))
}

// Remove kills a pooler of StartPgBouncer and deletes its files.
func (p *PgBouncer) Remove() error {
	p.Kill()
	return errors.Join(p.ports.Release(), os.RemoveAll(filepath.Dir(p.dir)))
}
