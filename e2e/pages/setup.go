package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/stack"
)

// workspace holds the things that a page's commands use: an empty folder, the environment, and services. Commands get
// only those variables and programs of Tollgate that the page tells its readers to have: see setIfStated and programs.
type workspace struct {
	kit   *stack.Kit
	dir   string
	prose string // Prose of the page
	env   []string
	own   []string       // variables for the programs that a setup runs itself
	ends  []func() error // stop the services, in the order of starting
}

// setups maps the words of the comment "runs with" to the services that they start.
var setups = map[string]func(*workspace, context.Context) error{
	"checkout":     (*workspace).checkout,
	"standalone":   (*workspace).standalone,
	"upstream":     (*workspace).upstream,
	"postgres":     (*workspace).postgres,
	"new-postgres": (*workspace).newPostgres,
	"published":    (*workspace).published,
	"npm":          (*workspace).npm,
	"sqlite":       (*workspace).sqlite,
	"mariadb":      (*workspace).mariadb,
	"new-api":      (*workspace).newAPI,
}

// set creates the workspace of a page. If it is not nil, the caller must close it, also after an error.
func set(ctx context.Context, kit *stack.Kit, page *Page) (*workspace, error) {
	dir, err := os.MkdirTemp("", "tollgate-page-")
	if err != nil {
		return nil, err
	}
	s := &workspace{kit: kit, dir: dir, prose: page.Prose, env: environment()}
	s.ends = append(s.ends, func() error { return os.RemoveAll(dir) })
	for _, word := range page.Setup {
		begin, ok := setups[word]
		if !ok {
			return s, fmt.Errorf("%s: unknown setup %q in \"runs with\"", page.Name, word)
		}
		if err := begin(s, ctx); err != nil {
			return s, fmt.Errorf("%s: %w", word, err)
		}
	}
	s.programs()
	return s, nil
}

// close stops all services, in reverse order.
func (s *workspace) close() error {
	var err error
	for i := range s.ends {
		err = errors.Join(err, s.ends[len(s.ends)-1-i]())
	}
	return err
}

// set sets a variable of the shell.
func (s *workspace) set(name, value string) { s.env = append(s.env, name+"="+value) }

// setIfStated sets a variable that readers must set, if the page says so with the text statement. Without it the first
// command that uses the variable fails.
func (s *workspace) setIfStated(statement, name, value string) {
	s.own = append(s.own, name+"="+value)
	if strings.Contains(s.prose, statement) {
		s.set(name, value)
	}
}

// programs puts Tollgate's programs on the PATH, if the page links to the section that says how to get them.
func (s *workspace) programs() {
	if strings.Contains(s.prose, "](concepts.md#the-programs)") {
		s.path(s.kit.Dir())
	}
}

// path puts a folder before the others of the PATH.
func (s *workspace) path(dir string) { s.set("PATH", dir+":"+s.value("PATH")) }

// value returns the value of a variable of the shell.
func (s *workspace) value(name string) string {
	for _, entry := range slices.Backward(s.env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// environment returns the environment of the shell. The namespace has no network: the go command reads modules
// from its cache, and `make` does not build the pages of the console.
func environment() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TOLLGATE_") && !strings.HasPrefix(name, "PG") && name != inside {
			env = append(env, entry)
		}
	}
	return append(env, "GOFLAGS="+stack.BuildFlags, "MAKEFLAGS= -- UI=no-ui",
		"GOPROXY=file://"+moduleCache()+"/cache/download", "GONOSUMDB=*", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
}

// moduleCache returns the folder of the Go module cache.
func moduleCache() string {
	path, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "/nowhere"
	}
	return strings.TrimSpace(string(path))
}

// checkout copies the repository's files into the folder: tracked files, and new files that are not ignored.
func (s *workspace) checkout(ctx context.Context) error {
	script :=
		`git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --no-dereference --target-directory="$0"`
	return s.command(ctx, "bash", "-euo", "pipefail", "-c", `cd "$1"; `+script, s.dir, s.kit.Root)
}

// standalone starts the one-process Tollgate with its demo, at the default addresses, with its data below the
// folder. As after `make run`, bin has the programs. It sets TOKEN for pages that tell readers to set it as the quick
// start does.
func (s *workspace) standalone(ctx context.Context) error {
	data := filepath.Join(s.dir, "data")
	program, err := s.kit.Standalone(ctx, stack.Options{Env: map[string]string{
		"TOLLGATE_DATA_DIR": data, "TOLLGATE_RELAY_ADDR": "127.0.0.1:8080", "TOLLGATE_CONSOLE_ADDR": "127.0.0.1:8081",
		"TOLLGATE_OPS_ADDR": "127.0.0.1:8082",
	}})
	if err != nil {
		return err
	}
	s.ends = append(s.ends, program.Close)
	text, err := os.ReadFile(filepath.Join(data, "demo.json"))
	if err != nil {
		return err
	}
	var demo struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(text, &demo); err != nil {
		return err
	}
	s.setIfStated("](quick-start.md#the-first-call)", "TOKEN", demo.Token)
	bin := filepath.Join(s.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	return errors.Join(os.Symlink(s.kit.Bin("standalone"), filepath.Join(bin, "standalone")),
		os.Symlink(s.kit.Bin("console"), filepath.Join(bin, "console")))
}

// upstream starts a fake upstream as the provider. It sets PROVIDER_URL and PROVIDER_KEY.
func (s *workspace) upstream(context.Context) error {
	server := fakeupstream.New().Serve()
	server.Addr = "127.0.0.1:9090"
	failures := make(chan error, 1)
	go func() { failures <- server.ListenAndServe() }()
	s.setIfStated("`PROVIDER_URL`", "PROVIDER_URL", "http://"+server.Addr+"/v1")
	s.setIfStated("`PROVIDER_KEY`", "PROVIDER_KEY", "key-of-the-provider")
	s.ends = append(s.ends, func() error {
		err := server.Close()
		if serveErr := <-failures; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}
		return err
	})
	return nil
}

// postgres starts a Postgres with Tollgate's schema, and sets the URL of a second database for restores.
func (s *workspace) postgres(ctx context.Context) error {
	p, err := s.cluster(ctx)
	if err != nil {
		return err
	}
	s.setIfStated("`RESTORED_URL`", "RESTORED_URL", strings.Replace(p.URL, "/tollgate?", "/restored?", 1))
	return s.command(ctx, s.kit.Bin("console"), "migrate")
}

// newPostgres starts a Postgres with an empty database and without the role tollgate_tenant, which Tollgate's
// role may not create itself.
func (s *workspace) newPostgres(ctx context.Context) error {
	p, err := s.cluster(ctx)
	if err != nil {
		return err
	}
	return s.command(ctx, filepath.Join(p.Bin(), "dropuser"), "tollgate_tenant")
}

// cluster starts a Postgres server with an empty database and sets its variables.
func (s *workspace) cluster(ctx context.Context) (*stack.Postgres, error) {
	p, err := stack.StartPostgres(ctx)
	if err != nil {
		return nil, err
	}
	s.ends = append(s.ends, p.Remove)
	s.database(p)
	s.setIfStated("`TOLLGATE_SECRET_KEY`", "TOLLGATE_SECRET_KEY", stack.NewSecret())
	return p, nil
}

// command runs a program in the folder until it ends, with all variables, also those that the page does not state.
func (s *workspace) command(ctx context.Context, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.dir, slices.Concat(s.env, s.own)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", argv[0], err, output)
	}
	return nil
}

// npm makes npm install from its cache, because there is no network.
func (s *workspace) npm(context.Context) error {
	if err := errors.Join(need("node"), need("npm")); err != nil {
		return err
	}
	s.set("npm_config_offline", "true")
	s.set("npm_config_audit", "false")
	s.set("npm_config_fund", "false")
	return nil
}

// sqlite requires the command sqlite3.
func (s *workspace) sqlite(context.Context) error { return need("sqlite3") }

// mariadb starts a MariaDB server without a database. It sets MYSQL_HOME.
func (s *workspace) mariadb(ctx context.Context) error {
	m, err := stack.StartMariaDB(ctx)
	if err != nil {
		return err
	}
	s.ends = append(s.ends, m.Remove)
	s.set("MYSQL_HOME", m.Home())
	return nil
}

// newAPI loads the database of a new-api installation into a SQLite file and into the servers of postgres and
// mariadb, which must be set up before.
func (s *workspace) newAPI(ctx context.Context) error {
	dumps := filepath.Join(s.kit.Root, "apps", "console", "internal", "oneapi", "testdata", "new-api")
	return s.command(ctx, "bash", "-euo", "pipefail", "-c", `
		sqlite3 one-api.db < "$0/sqlite.sql"
		mariadb --execute='CREATE DATABASE oneapi'
		mariadb oneapi < "$0/mariadb.sql"
		createdb oneapi
		psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 oneapi < "$0/postgres.sql"`, dumps)
}

// need returns nil if the program is installed, else an error that wraps stack.ErrMissing.
func need(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s: %w", program, stack.ErrMissing)
	}
	return nil
}

// database sets the variable with which Tollgate's programs find the database, and those of Postgres' programs.
func (s *workspace) database(p *stack.Postgres) {
	s.setIfStated("`TOLLGATE_DATABASE_URL`", "TOLLGATE_DATABASE_URL", p.URL)
	s.set("PGHOST", "127.0.0.1")
	s.set("PGPORT", p.Port())
	s.set("PGUSER", "root")
	s.path(p.Bin())
}

// python makes the blocks with the reason PyPI run, with pip in a virtual environment and without network.
func (s *workspace) python(page *Page, venv string) {
	s.path(filepath.Join(venv, "bin"))
	s.set("PIP_NO_INDEX", "1")
	s.set("PIP_FIND_LINKS", filepath.Join(venv, Wheels))
	for i := range page.Blocks {
		if b := &page.Blocks[i]; b.Reason == PyPI {
			b.Kind = Command
		}
	}
}
