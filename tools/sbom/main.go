// Command sbom writes the software bill of materials of a Go program, in the
// CycloneDX format (JSON, version 1.6), to the standard output.
//
//	sbom -version 0.1.0 PROGRAM
//
// It reads the list of modules that the Go linker puts into every program, so it
// names exactly what the program contains, and the same program gives the same
// bill. It has no time and no serial number for that reason; both are optional.
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	version := flag.String("version", "", "version of the program")
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), *version); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, name, version string) error {
	if name == "" || version == "" {
		return errors.New("usage: sbom -version VERSION PROGRAM")
	}
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the modules of %s: %w", name, err)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(billOf(info, filepath.Base(name), version))
}

// own begins the module paths of this repository: their version is that of the
// release.
const own = "github.com/tollgate/tollgate/"

// bill is the part of a CycloneDX document that is written.
type bill struct {
	Format       string       `json:"bomFormat"`
	Specified    string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"` // package URL
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// billOf lists the modules of a program and the standard library. The linker does
// not record which module needs which, so all are dependencies of the program.
func billOf(info *debug.BuildInfo, program, version string) bill {
	b := bill{Format: "CycloneDX", Specified: "1.6", Version: 1}
	b.Metadata.Component = componentOf("application", info.Path, version)
	b.Metadata.Component.Name = program
	b.Components = append(b.Components, componentOf("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, module := range info.Deps {
		if module.Replace != nil && module.Replace.Version != "" {
			module = module.Replace
		}
		number := module.Version
		if strings.HasPrefix(module.Path, own) {
			number = version
		}
		b.Components = append(b.Components, componentOf("library", module.Path, number))
	}
	slices.SortFunc(b.Components, func(x, y component) int { return cmp.Compare(x.Ref, y.Ref) })
	all := dependency{Ref: b.Metadata.Component.Ref}
	for _, c := range b.Components {
		all.On = append(all.On, c.Ref)
	}
	b.Dependencies = []dependency{all}
	return b
}

// componentOf returns a component whose reference is its package URL.
func componentOf(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + url.PathEscape(version)
	return component{Type: kind, Ref: purl, Name: path, Version: version, URL: purl}
}
