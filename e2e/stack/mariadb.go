package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// MariaDB is a database server that listens on a Unix socket only.
type MariaDB struct{ Process }

// StartMariaDB starts a server in a temporary directory, which Remove deletes. If MariaDB is not installed, the
// error wraps ErrMissing.
func StartMariaDB(ctx context.Context) (*MariaDB, error) {
	for _, program := range []string{"mariadb-install-db", "mariadbd", "mariadb", "mysqldump"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%s (Debian: apt-get install mariadb-server-core mariadb-client): %w",
				program, ErrMissing)
		}
	}
	dir, err := workDir()
	if err != nil {
		return nil, err
	}
	m := &MariaDB{Process{Name: "mariadb", log: filepath.Join(dir, "mariadb.log")}}
	if m.as, err = unprivileged(); err == nil {
		m.dir, err = serverHome(dir, "mariadb", m.as)
	}
	if err == nil {
		err = m.begin(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, m.Remove())
	}
	return m, nil
}

// begin creates the system tables and starts the server.
func (m *MariaDB) begin(ctx context.Context) error {
	data, socket := filepath.Join(m.dir, "data"), filepath.Join(m.dir, "socket")
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data,
		"--auth-root-authentication-method=normal", "--skip-test-db",
		"--force") // also where the machine's host name does not resolve
	install.Dir, install.SysProcAttr = m.dir, attributes(m.as, 0)
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("mariadb-install-db: %w\n%s", err, output)
	}
	client := fmt.Sprintf("[client]\nuser = root\nsocket = %s\n", socket)
	if err := os.WriteFile(filepath.Join(m.Home(), "my.cnf"), []byte(client), 0o600); err != nil {
		return err
	}
	m.argv = []string{"mariadbd", "--no-defaults", "--datadir=" + data, "--socket=" + socket, "--skip-networking"}
	if err := m.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return m.Await(ctx, func(ctx context.Context) error {
		_, err := run(ctx, append(os.Environ(), "MYSQL_HOME="+m.Home()), "mariadb", "--execute=SELECT 1")
		return err
	})
}

// Home returns the value of MYSQL_HOME with which MariaDB's client programs connect to the server as its root
// user.
func (m *MariaDB) Home() string { return filepath.Dir(m.log) }

// Remove kills the server and deletes its files.
func (m *MariaDB) Remove() error {
	m.Kill()
	return os.RemoveAll(m.Home())
}
