package floors

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is one law of the house.
type Rule struct {
	Name   string
	Reason string
	// Breaks says where and how the house breaks the rule.
	Breaks func(House) []string
}

// MaxChain is the greatest number of imports that lead on from one another.
const MaxChain = 12

// Rules returns all of them.
func Rules() []Rule {
	return []Rule{
		{"floors", "imports run downwards only (apps, web and boot, provider/store/queue/seal/egress/mail, wire, core), so that a change upstairs cannot break what lies below", floors},
		{"rooms", "rooms of floors 2 and 3 do not know each other, so that each can be read, tested and replaced alone", rooms},
		{"doors", "an app is used through its root package by its own cmd or by standalone, never by another app, so that each can run alone", doors},
		{"core is pure", "core has no I/O, context, log or clock: its rules are tested as plain functions, and time comes in as `now`", pure},
		{"adapters only convert", "wire and provider turn bytes into bytes: who dials, waits, logs or reads files cannot be tested by golden files alone", adapters},
		{"SQL lives in store", "whoever else knew SQL would be a second home of every concept in it", only("libs/store", "database/sql", "github.com/uptrace/bun", "github.com/jackc/pgx", "modernc.org/sqlite")},
		{"tasks live in queue", "asynq only wakes work: the state is in the database, and nobody else may come to rely on a queue", only("libs/queue", "github.com/hibiken/asynq", "github.com/alicebob/miniredis")},
		{"environment lives in boot", "one documented struct holds the configuration, validated at start, all faults at once", environment},
		{"no init", "what a package does, its importer asks for: nothing happens by importing", inits},
		{"walking distance", fmt.Sprintf("from any program to the last package under it a reader walks at most %d imports", MaxChain), walk},
	}
}

// floorsOf lists the rooms from the ground up. Tools and e2e stand on the roof:
// they see all, and nothing below may see them. The clients are for others to
// import, and stand on nothing.
var floorsOf = [][]string{
	{"libs/core", "openapi/clients"},
	{"libs/wire"},
	{"libs/provider", "libs/store", "libs/queue", "libs/seal", "libs/egress", "libs/mail"},
	{"libs/web", "libs/boot", "libs/probe"},
	{"apps"},
	{"tools", "e2e"},
}

const (
	secondFloor = 2
	thirdFloor  = 3
)

// place returns the floor and the room of a folder; false where the map has none.
func place(folder string) (floor int, room string, ok bool) {
	for floor, rooms := range floorsOf {
		for _, room := range rooms {
			if under(folder, room) {
				return floor, room, true
			}
		}
	}
	return 0, "", false
}

// eachImport calls do for every import of a package of the house by another.
func eachImport(h House, do func(p Package, f File, target string)) {
	for _, p := range h {
		for _, f := range p.Files {
			for _, importPath := range f.Imports {
				if target, ok := own(importPath); ok {
					do(p, f, target)
				}
			}
		}
	}
}

func floors(h House) (breaks []string) {
	for _, p := range h {
		if _, _, ok := place(p.Path); !ok {
			breaks = append(breaks, p.Path+" is on no floor: the map knows no such room")
		}
	}
	eachImport(h, func(p Package, f File, target string) {
		from, _, ok := place(p.Path)
		to, _, known := place(target)
		if ok && known && to > from {
			breaks = append(breaks, fmt.Sprintf("%s (floor %d) imports %s (floor %d)", f.Name, from, target, to))
		}
	})
	return breaks
}

func rooms(h House) (breaks []string) {
	eachImport(h, func(p Package, f File, target string) {
		from, room, _ := place(p.Path)
		to, other, _ := place(target)
		if from == to && (from == secondFloor || from == thirdFloor) && room != other {
			breaks = append(breaks, f.Name+" imports "+target)
		}
	})
	return breaks
}

func doors(h House) (breaks []string) {
	eachImport(h, func(p Package, f File, target string) {
		app, isApp := appOf(p.Path)
		other, toApp := appOf(target)
		switch {
		case !toApp:
		case isApp && app != other && app != "standalone":
			breaks = append(breaks, f.Name+" imports "+target)
		case app != other && target != "apps/"+other:
			breaks = append(breaks, fmt.Sprintf("%s imports %s, not through the door apps/%s", f.Name, target, other))
		}
	})
	return breaks
}

func appOf(folder string) (app string, ok bool) {
	rest, ok := strings.CutPrefix(folder, "apps/")
	app, _, _ = strings.Cut(rest, "/")
	return app, ok
}

// impure are the packages that reach outside the program, and the few that may
// have one of them.
var impure = map[string]string{
	"net/http":       "libs/core/problem", // names of the statuses
	"crypto/rand":    "libs/core/token",   // secrets
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

// clocks are the names that ask for the time, or for chance.
var clocks = []string{
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer", "time.NewTicker",
	"github.com/google/uuid.New", "github.com/google/uuid.NewString", "github.com/google/uuid.NewV7", "github.com/google/uuid.NewRandom", "github.com/google/uuid.NewUUID",
}

func pure(h House) (breaks []string) {
	eachFile(h, "libs/core", func(p Package, f File) {
		for _, importPath := range f.Imports {
			_, ours := own(importPath)
			exception, listed := impure[importPath]
			switch {
			case listed && exception != p.Path:
				breaks = append(breaks, f.Name+" imports "+importPath)
			case !ours && foreign(importPath) && importPath != "github.com/google/uuid":
				breaks = append(breaks, f.Name+" imports "+importPath+": of other people's packages core has uuid alone")
			}
		}
		breaks = append(breaks, uses(f, clocks)...)
		breaks = append(breaks, usesBut(f, "net/http.", "net/http.Status")...)
	})
	return breaks
}

// foreign reports whether an import is neither the house's nor the standard library's.
func foreign(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return strings.Contains(first, ".")
}

func adapters(h House) (breaks []string) {
	for _, room := range []string{"libs/wire", "libs/provider"} {
		eachFile(h, room, func(_ Package, f File) {
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

// only returns the rule that no package of libs and apps outside the room
// imports the modules. Tests may look behind the store's back.
func only(room string, modules ...string) func(House) []string {
	return func(h House) (breaks []string) {
		for _, part := range []string{"libs", "apps"} {
			eachFile(h, part, func(p Package, f File) {
				for _, importPath := range f.Imports {
					for _, module := range modules {
						if under(importPath, module) && !under(p.Path, room) {
							breaks = append(breaks, f.Name+" imports "+importPath)
						}
					}
				}
			})
		}
		return breaks
	}
}

func environment(h House) (breaks []string) {
	for _, part := range []string{"libs", "apps"} {
		eachFile(h, part, func(p Package, f File) {
			if !under(p.Path, "libs/boot") {
				breaks = append(breaks, uses(f, []string{
					"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Setenv", "os.Unsetenv", "os.Clearenv",
					"syscall.Getenv", "syscall.Environ",
				})...)
			}
		})
	}
	return breaks
}

func inits(h House) (breaks []string) {
	for _, part := range []string{"libs", "apps"} {
		eachFile(h, part, func(_ Package, f File) {
			if f.Inits > 0 {
				breaks = append(breaks, f.Name+" has an init function")
			}
		})
	}
	return breaks
}

// eachFile calls do for the files of the product, not of its tests, below part.
func eachFile(h House, part string, do func(Package, File)) {
	for _, p := range h {
		for _, f := range p.Files {
			if under(p.Path, part) && !f.Test {
				do(p, f)
			}
		}
	}
}

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

func walk(h House) []string {
	if chain := LongestChain(h); len(chain)-1 > MaxChain {
		return []string{fmt.Sprintf("%d imports: %s", len(chain)-1, strings.Join(chain, " -> "))}
	}
	return nil
}

// LongestChain returns the longest path of imports between packages of the
// house, tests left out, from its upper end.
func LongestChain(h House) []string {
	imports := map[string][]string{}
	eachImport(h, func(p Package, f File, target string) {
		if !f.Test && !slices.Contains(imports[p.Path], target) {
			imports[p.Path] = append(imports[p.Path], target)
		}
	})
	known := map[string][]string{}
	open := map[string]bool{} // on the way: a cycle, which does not compile
	var from func(folder string) []string
	from = func(folder string) []string {
		if chain, ok := known[folder]; ok || open[folder] {
			return chain
		}
		open[folder] = true
		var longest []string
		for _, target := range imports[folder] {
			if chain := from(target); len(chain) > len(longest) {
				longest = chain
			}
		}
		known[folder] = append([]string{folder}, longest...)
		return known[folder]
	}
	var longest []string
	for _, p := range h {
		if chain := from(p.Path); len(chain) > len(longest) {
			longest = chain
		}
	}
	return longest
}
