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
	"strings"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/stack"
)

// scene is what a page's commands find: a folder, an environment, and what runs
// beside the shell.
type scene struct {
	kit  *stack.Kit
	dir  string
	env  []string
	ends []func() error // in the order of starting
}

// setups are the words by which a page says what it runs with.
var setups = map[string]func(*scene, context.Context) error{
	"checkout":     (*scene).checkout,
	"standalone":   (*scene).standalone,
	"upstream":     (*scene).upstream,
	"postgres":     (*scene).postgres,
	"new-postgres": (*scene).newPostgres,
	"published":    (*scene).published,
	"npm":          (*scene).npm,
	"sqlite":       (*scene).sqlite,
	"mariadb":      (*scene).mariadb,
	"new-api":      (*scene).newAPI,
}

// set prepares the scene in an empty folder.
func set(ctx context.Context, kit *stack.Kit, page *Page) (*scene, error) {
	dir, err := os.MkdirTemp("", "tollgate-page-")
	if err != nil {
		return nil, err
	}
	s := &scene{kit: kit, dir: dir, env: environment(kit)}
	s.ends = append(s.ends, func() error { return os.RemoveAll(dir) })
	for _, word := range page.Setup {
		begin, ok := setups[word]
		if !ok {
			return s, fmt.Errorf("%s runs with %q, which nobody knows", page.Name, word)
		}
		if err := begin(s, ctx); err != nil {
			return s, fmt.Errorf("%s: %w", word, err)
		}
	}
	return s, nil
}

// close ends all that runs.
func (s *scene) close() error {
	var err error
	for i := range s.ends {
		err = errors.Join(err, s.ends[len(s.ends)-1-i]())
	}
	return err
}

func (s *scene) set(name, value string) { s.env = append(s.env, name+"="+value) }

// environment is that of the shell. There is no network: Go has its modules from
// its cache, and the pages of the console are not built.
func environment(kit *stack.Kit) []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TOLLGATE_") && !strings.HasPrefix(name, "PG") && name != inside {
			env = append(env, entry)
		}
	}
	return append(env, "PATH="+kit.Dir()+":"+os.Getenv("PATH"), "GOFLAGS="+stack.BuildFlags, "MAKEFLAGS= -- UI=no-ui",
		"GOPROXY=file://"+moduleCache()+"/cache/download", "GONOSUMDB=*", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
}

func moduleCache() string {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "/nowhere"
	}
	return strings.TrimSpace(string(out))
}

// checkout fills the folder with the files of the repository.
func (s *scene) checkout(ctx context.Context) error {
	script := `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --no-dereference --target-directory="$0"`
	return s.command(ctx, "bash", "-euo", "pipefail", "-c", `cd "$1"; `+script, s.dir, s.kit.Root)
}

// standalone runs with the demo, at its usual addresses, in the folder's data.
func (s *scene) standalone(ctx context.Context) error {
	data := filepath.Join(s.dir, "data")
	one, err := s.kit.Standalone(ctx, stack.Options{Env: map[string]string{
		"TOLLGATE_DATA_DIR": data, "TOLLGATE_RELAY_ADDR": "127.0.0.1:8080", "TOLLGATE_CONSOLE_ADDR": "127.0.0.1:8081", "TOLLGATE_OPS_ADDR": "127.0.0.1:8082",
	}})
	if err != nil {
		return err
	}
	s.ends = append(s.ends, one.Close)
	text, err := os.ReadFile(filepath.Join(data, "demo.json"))
	if err != nil {
		return err
	}
	var demo struct {
		OwnerPassword    string `json:"owner_password"`
		OperatorPassword string `json:"operator_password"`
		Token            string `json:"token"`
	}
	if err := json.Unmarshal(text, &demo); err != nil {
		return err
	}
	s.set("TOKEN", demo.Token)
	s.set("OWNER_PASSWORD", demo.OwnerPassword)
	s.set("OPERATOR_PASSWORD", demo.OperatorPassword)
	return nil
}

// upstream stands for a provider.
func (s *scene) upstream(context.Context) error {
	server := fakeupstream.New().Serve()
	server.Addr = "127.0.0.1:9090"
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	s.set("PROVIDER_URL", "http://"+server.Addr+"/v1")
	s.set("PROVIDER_KEY", "key-of-the-provider")
	s.ends = append(s.ends, func() error {
		err := server.Close()
		if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	})
	return nil
}

// postgres is a database with the schema, and room in its cluster for another.
func (s *scene) postgres(ctx context.Context) error {
	p, err := s.cluster(ctx)
	if err != nil {
		return err
	}
	s.set("RESTORED_URL", strings.Replace(p.URL, "/tollgate?", "/restored?", 1))
	return s.command(ctx, s.kit.Bin("console"), "migrate")
}

// newPostgres is a cluster that has nothing of Tollgate's but its user, who may
// make no roles, and his empty database.
func (s *scene) newPostgres(ctx context.Context) error {
	p, err := s.cluster(ctx)
	if err != nil {
		return err
	}
	return s.command(ctx, filepath.Join(p.Bin(), "dropuser"), "tollgate_tenant")
}

// cluster is a server of Postgres with an empty database.
func (s *scene) cluster(ctx context.Context) (*stack.Postgres, error) {
	p, err := stack.StartPostgres(ctx)
	if err != nil {
		return nil, err
	}
	s.ends = append(s.ends, p.Remove)
	s.database(p)
	s.set("TOLLGATE_SECRET_KEY", stack.NewSecret())
	return p, nil
}

// command runs a program in the folder to its end.
func (s *scene) command(ctx context.Context, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", argv[0], err, out)
	}
	return nil
}

// npm installs from its cache.
func (s *scene) npm(context.Context) error {
	if err := errors.Join(need("node"), need("npm")); err != nil {
		return err
	}
	s.set("npm_config_offline", "true")
	s.set("npm_config_audit", "false")
	s.set("npm_config_fund", "false")
	return nil
}

// sqlite is the shell of SQLite.
func (s *scene) sqlite(context.Context) error { return need("sqlite3") }

// mariadb is a server without a database.
func (s *scene) mariadb(ctx context.Context) error {
	m, err := stack.StartMariaDB(ctx)
	if err != nil {
		return err
	}
	s.ends = append(s.ends, m.Remove)
	s.set("MYSQL_HOME", m.Home())
	return nil
}

// newAPI is the database of a new-api, on each of the servers that there are and
// in a file.
func (s *scene) newAPI(ctx context.Context) error {
	dumps := filepath.Join(s.kit.Root, "apps", "console", "internal", "oneapi", "testdata", "new-api")
	return s.command(ctx, "bash", "-euo", "pipefail", "-c", `
		sqlite3 one-api.db < "$0/sqlite.sql"
		mariadb --execute='CREATE DATABASE oneapi'
		mariadb oneapi < "$0/mariadb.sql"
		createdb oneapi
		psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 oneapi < "$0/postgres.sql"`, dumps)
}

// need returns nil where this machine has the program.
func need(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s: %w", program, stack.ErrMissing)
	}
	return nil
}

// database tells programs, and those of Postgres, where the database is.
func (s *scene) database(p *stack.Postgres) {
	s.set("TOLLGATE_DATABASE_URL", p.URL)
	s.set("PGHOST", "127.0.0.1")
	s.set("PGPORT", p.Port())
	s.set("PGUSER", "root")
	s.set("PATH", s.kit.Dir()+":"+p.Bin()+":"+os.Getenv("PATH"))
}

// python has the blocks run that take pip, in a virtual environment.
func (s *scene) python(page *Page, venv string) {
	s.set("PATH", filepath.Join(venv, "bin")+":"+s.kit.Dir()+":"+os.Getenv("PATH"))
	s.set("PIP_NO_INDEX", "1")
	s.set("PIP_FIND_LINKS", filepath.Join(venv, Wheels))
	for i := range page.Blocks {
		if b := &page.Blocks[i]; b.Reason == PyPI {
			b.Kind = Command
		}
	}
}
