package layers

import (
	"fmt"
	"slices"
	"strings"
)

// Rule represents one rule of the codebase.
type Rule struct {
	Name   string
	Reason string
	// Breaks returns one line for each place that breaks the rule: where and how.
	Breaks func(Codebase) []string
}

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{
		{"layers", "imports run downwards only (apps, web/service/manifest/probe, config, " +
			"provider/store/queue/fair/seal/egress/mail, wire, core), so that a change cannot break the layers " +
			"below it", layers},
		{"components", "components of layers 2 to 4, and tools and e2e, do not import each other, so that each can " +
			"be read, tested and replaced alone", components},
		{"entry points", "only its own cmd, standalone, tools and e2e import an app, and only its root package, so " +
			"that each app can run alone", entryPoints},
		{"core is pure", "core has no I/O, context, log or clock: its rules are tested as plain functions, and time " +
			"comes in as `now`", pure},
		{"adapters only convert", "wire and provider only convert bytes: code that dials, waits, logs or reads " +
			"files cannot be tested by golden files alone", adapters},
		{"SQL lives in store",
			"SQL outside of store, or a column named there, would define a stored concept a second time", sql},
		{"tasks live in queue", "asynq only wakes work: the state is in the database, and no other package may rely " +
			"on a queue", only("libs/queue", "github.com/hibiken/asynq", "github.com/alicebob/miniredis")},
		{"programs hold what they use", "a relay has 45 % of the size without SQLite, an embedded Redis and gRPC, " +
			"and without code that finds methods by their names: where that exists, the linker cannot leave any " +
			"method out", heavy},
		{"environment lives in config", "one documented struct holds the configuration; the start validates it and " +
			"reports all faults at once; service only reads the environment of the process", environment},
		{"fixtures are for tests", "no program contains a package for tests, such as storetest", fixtures},
		{"no init", "importing a package has no effect", inits},
		{"one direction", "sibling folders, each with all packages below it, do not import each other in a circle, " +
			"so that one of them can be understood first", oneDirection},
		{"longest chain", fmt.Sprintf("a chain of imports has at most %d packages, so that a reader can follow any "+
			"call", MaxChain), longestChain},
		{"package files", fmt.Sprintf("a package has at most %d files that are not tests, because it holds one concept",
			MaxFiles), packageFiles},
		{"exported names", fmt.Sprintf("a package exports at most %d names, methods included, because it holds one "+
			"concept", MaxExported), exportedNames},
	}
}

// componentsOf lists the components of each layer, lowest layer first. Packages may import those of their own
// layer and of lower ones. Tools, e2e and the tests in deploy are on top: they may import all others, and no other
// may import them. The clients are for programs outside this repository and import no other component.
var componentsOf = [][]string{
	{"libs/core", "libs/periodic", "libs/polltest", "libs/porttest", "openapi/clients"},
	{"libs/wire", "libs/pricecatalog"},
	{"libs/provider", "libs/store", "libs/queue", "libs/fair", "libs/seal", "libs/egress", "libs/mail"},
	{"libs/config"},
	{"libs/web", "libs/service", "libs/manifest", "libs/probe", "libs/mailer"},
	{"apps"},
	{"tools", "e2e", "deploy"},
}

// independent lists the layers whose components must not import each other.
var independent = []int{2, 3, 4, 6}

// place returns the layer and the component of a folder. ok is false if no layer lists it.
func place(folder string) (layer int, component string, ok bool) {
	for layer, components := range componentsOf {
		for _, component := range components {
			if under(folder, component) {
				return layer, component, true
			}
		}
	}
	return 0, "", false
}

// eachImport calls do for every import of one package of the codebase by another.
func eachImport(c Codebase, do func(p Package, f File, target string)) {
	for _, p := range c {
		for _, f := range p.Files {
			for _, importPath := range f.Imports {
				if target, ok := own(importPath); ok {
					do(p, f, target)
				}
			}
		}
	}
}

// layers finds imports of a higher layer, and folders that no layer lists.
func layers(c Codebase) (breaks []string) {
	for _, p := range c {
		if _, _, ok := place(p.Path); !ok {
			breaks = append(breaks, p.Path+": no layer lists this folder")
		}
	}
	eachImport(c, func(p Package, f File, target string) {
		from, _, ok := place(p.Path)
		to, _, known := place(target)
		if ok && known && to > from {
			breaks = append(breaks, fmt.Sprintf("%s (layer %d) imports %s (layer %d)", f.Name, from, target, to))
		}
	})
	return breaks
}

// components finds imports between components of the independent layers.
func components(c Codebase) (breaks []string) {
	eachImport(c, func(p Package, f File, target string) {
		from, component, _ := place(p.Path)
		to, other, _ := place(target)
		if from == to && slices.Contains(independent, from) && component != other {
			breaks = append(breaks, f.Name+" imports "+target)
		}
	})
	return breaks
}

// entryPoints finds imports of apps that are not allowed.
func entryPoints(c Codebase) (breaks []string) {
	eachImport(c, func(p Package, f File, target string) {
		app, isApp := appOf(p.Path)
		other, toApp := appOf(target)
		switch {
		case !toApp:
		case isApp && app != other && app != "standalone":
			breaks = append(breaks, f.Name+" imports "+target)
		case app != other && target != "apps/"+other:
			breaks = append(breaks, fmt.Sprintf("%s imports %s instead of the root package apps/%s",
				f.Name, target, other))
		}
	})
	return breaks
}

// appOf returns the app that a folder belongs to, and whether it belongs to one.
func appOf(folder string) (app string, ok bool) {
	rest, ok := strings.CutPrefix(folder, "apps/")
	app, _, _ = strings.Cut(rest, "/")
	return app, ok
}

// impure lists the packages that core must not import, because they reach outside the program. The value is
// the only package of core that may import it, "" for none.
var impure = map[string]string{
	"net/http":       "libs/core/problem", // for the constants of HTTP statuses
	"crypto/rand":    "libs/core/token",   // to create secrets
	"context":        "",
	"database/sql":   "",
	"log":            "",
	"log/slog":       "",
	"math/rand":      "",
	"math/rand/v2":   "",
	"net":            "",
	"os":             "",
	"os/exec":        "",
	"os/signal":      "",
	"path/filepath":  "",
	"runtime":        "",
	"sync/atomic":    "",
	"syscall":        "",
	"testing":        "",
	"unsafe":         "",
	"embed":          "",
	"io/fs":          "",
	"time/tzdata":    "",
	"net/http/pprof": "",
}

// clocks lists the functions that read the clock or random numbers.
var clocks = []string{
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer",
	"time.NewTicker",
	"github.com/google/uuid.New", "github.com/google/uuid.NewString", "github.com/google/uuid.NewV7",
	"github.com/google/uuid.NewRandom", "github.com/google/uuid.NewUUID",
}

// pure finds imports and uses in core that are not pure.
func pure(c Codebase) (breaks []string) {
	eachFile(c, "libs/core", func(p Package, f File) {
		for _, importPath := range f.Imports {
			_, ours := own(importPath)
			exception, listed := impure[importPath]
			switch {
			case listed && exception != p.Path:
				breaks = append(breaks, f.Name+" imports "+importPath)
			case !ours && foreign(importPath) && importPath != "github.com/google/uuid":
				breaks = append(breaks, f.Name+" imports "+importPath+
					": the only foreign module that core imports is uuid")
			}
		}
		breaks = append(breaks, uses(f, clocks)...)
		breaks = append(breaks, usesBut(f, "net/http.", "net/http.Status")...)
	})
	return breaks
}

// foreign reports whether an import is of neither this codebase nor the standard library.
func foreign(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return strings.Contains(first, ".")
}

// adapters finds imports and uses in codecs and providers that do more than convert bytes.
func adapters(c Codebase) (breaks []string) {
	for _, component := range []string{"libs/wire", "libs/provider"} {
		eachFile(c, component, func(_ Package, f File) {
			for _, importPath := range f.Imports {
				if slices.Contains([]string{"log", "log/slog", "os", "os/exec", "net", "database/sql"}, importPath) {
					breaks = append(breaks, f.Name+" imports "+importPath)
				}
			}
			breaks = append(breaks, uses(f, []string{
				"time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker",
				"net/http.Client", "net/http.DefaultClient", "net/http.Transport", "net/http.DefaultTransport",
				"net/http.Get", "net/http.Post", "net/http.PostForm", "net/http.Head",
			})...)
		})
	}
	return breaks
}

// sql finds imports of what speaks to databases, and names of columns in tags, outside store.
func sql(c Codebase) []string {
	breaks := only("libs/store", "database/sql", "github.com/uptrace/bun", "github.com/jackc/pgx",
		"modernc.org/sqlite")(c)
	for _, part := range []string{"libs", "apps"} {
		eachFile(c, part, func(p Package, f File) {
			for _, tag := range f.Tags {
				if strings.Contains(tag.Name, `bun:"`) && !under(p.Path, "libs/store") {
					breaks = append(breaks, fmt.Sprintf("%s:%d has the tag %s", f.Name, tag.Line, tag.Name))
				}
			}
		})
	}
	return breaks
}

// only returns the function that finds imports of the modules in libs and apps outside the component. Tests
// may import them, for example to look into the database.
func only(component string, modules ...string) func(Codebase) []string {
	return func(c Codebase) (breaks []string) {
		for _, part := range []string{"libs", "apps"} {
			eachFile(c, part, func(p Package, f File) {
				for _, importPath := range f.Imports {
					for _, module := range modules {
						if under(importPath, module) && !under(p.Path, component) {
							breaks = append(breaks, f.Name+" imports "+importPath)
						}
					}
				}
			})
		}
		return breaks
	}
}

// optional lists the packages that only some apps need. No other app may import them, directly or through other
// packages.
var optional = map[string][]string{
	"libs/queue/embedded": {"standalone"},
	"libs/store/sqlite":   {"standalone", "console"},
}

// reflecting lists the libraries that no program may import, because they call methods by names that are not constants,
// or contain gRPC.
var reflecting = []string{
	"text/template", "html/template", "github.com/alecthomas/kong", "github.com/spf13/cobra", "net/rpc",
	"google.golang.org/grpc",
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc",
}

// heavy finds imports that make a program larger without need.
func heavy(c Codebase) (breaks []string) {
	imports := map[string][]string{} // by package, of files that are not tests
	for _, part := range []string{"libs", "apps"} {
		eachFile(c, part, func(p Package, f File) {
			for _, importPath := range f.Imports {
				if target, ok := own(importPath); ok {
					imports[p.Path] = append(imports[p.Path], target)
				} else if slices.ContainsFunc(reflecting, func(library string) bool {
					return under(importPath, library)
				}) {
					breaks = append(breaks, f.Name+" imports "+importPath)
				}
			}
		})
	}
	for _, p := range c {
		app, isApp := appOf(p.Path)
		if !isApp {
			continue
		}
		for _, target := range reachableFrom(imports, p.Path) {
			if apps, listed := optional[target]; listed && !slices.Contains(apps, app) {
				breaks = append(breaks, p.Path+" imports "+target+", directly or through other packages")
			}
		}
	}
	return breaks
}

// reachableFrom returns the packages that a package imports, directly or through others.
func reachableFrom(imports map[string][]string, from string) (found []string) {
	for waiting := imports[from]; len(waiting) > 0; waiting = waiting[1:] {
		if target := waiting[0]; !slices.Contains(found, target) {
			found = append(found, target)
			waiting = append(slices.Clone(waiting), imports[target]...)
		}
	}
	return found
}

// environment finds code outside config and service that reads or changes the environment.
func environment(c Codebase) (breaks []string) {
	for _, part := range []string{"libs", "apps"} {
		eachFile(c, part, func(p Package, f File) {
			if !under(p.Path, "libs/config") && !under(p.Path, "libs/service") {
				breaks = append(breaks, uses(f, []string{
					"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Setenv",
					"os.Unsetenv", "os.Clearenv",
					"syscall.Getenv", "syscall.Environ",
				})...)
			}
		})
	}
	return breaks
}

// fixtures finds imports of packages for tests in other code than tests.
func fixtures(c Codebase) (breaks []string) {
	for _, part := range []string{"libs", "apps"} {
		eachFile(c, part, func(_ Package, f File) {
			for _, importPath := range f.Imports {
				if target, ok := own(importPath); ok && forTests(target) {
					breaks = append(breaks, f.Name+" imports "+target)
				}
			}
		})
	}
	return breaks
}

// inits finds init functions.
func inits(c Codebase) (breaks []string) {
	for _, part := range []string{"libs", "apps"} {
		eachFile(c, part, func(_ Package, f File) {
			if f.Inits > 0 {
				breaks = append(breaks, f.Name+" has an init function")
			}
		})
	}
	return breaks
}

// eachFile calls do for the files below part that are not tests.
func eachFile(c Codebase, part string, do func(Package, File)) {
	for _, p := range c {
		for _, f := range p.Files {
			if under(p.Path, part) && !f.Test {
				do(p, f)
			}
		}
	}
}

// uses lists the uses of the names in a file.
func uses(f File, names []string) (breaks []string) {
	for _, use := range f.Uses {
		if slices.Contains(names, use.Name) {
			breaks = append(breaks, fmt.Sprintf("%s:%d uses %s", f.Name, use.Line, use.Name))
		}
	}
	return breaks
}

// usesBut lists the uses that begin with prefix but not with the exception.
func usesBut(f File, prefix, exception string) (breaks []string) {
	for _, use := range f.Uses {
		if strings.HasPrefix(use.Name, prefix) && !strings.HasPrefix(use.Name, exception) {
			breaks = append(breaks, fmt.Sprintf("%s:%d uses %s", f.Name, use.Line, use.Name))
		}
	}
	return breaks
}
