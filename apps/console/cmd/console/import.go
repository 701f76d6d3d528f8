package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/oneapi"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/service"
)

// importing holds the flags of the command import.
type importing struct {
	to     string // file of the manifest; "": the manifest is applied
	domain string
}

// importCommand returns the command import.
func importCommand() service.Command {
	i := &importing{}
	return service.Command{
		Name: "import", Arg: "FILE",
		Help: "Import the database of one-api or new-api from an SQL dump of SQLite, MySQL or PostgreSQL; - for " +
			"standard input.",
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&i.to, "to", "", "Write the manifest (a YAML file) to this `FILE` instead of applying it. "+
				"The file will contain secrets and must not exist yet.")
			f.StringVar(&i.domain, "domain", "import.invalid", "`DOMAIN` of the e-mail addresses that users without "+
				"an address get (default import.invalid).")
		},
		Run: i.run,
	}
}

// run converts the dump to a manifest and applies it to a migrated database, or writes it to a file, which
// needs no database. It prints a note for everything that is not imported or is changed by the import.
func (i *importing) run(p *service.Program, dump string) error {
	in, err := open(dump)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // closing a file that is only read loses nothing
	imp, err := oneapi.Read(in, oneapi.Options{Domain: i.domain, Password: rand.Text, Now: time.Now()})
	if err != nil {
		return fmt.Errorf("%s: %w", dump, err)
	}
	if i.to != "" {
		return i.write(p, imp)
	}
	return applyImport(p, imp)
}

// open opens the dump; the file name - stands for standard input.
func open(dump string) (io.ReadCloser, error) {
	if dump == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(dump)
}

// write writes the manifest to a new file that only its owner may read. It fails if the file exists: each
// import generates new passwords, and overwriting the file would lose those that were already applied.
func (i *importing) write(p *service.Program, imp *oneapi.Import) error {
	text, err := imp.Manifest.YAML()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(i.to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("import: %s exists and may have passwords that are in use: remove it, or name another file",
			i.to)
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		_ = file.Close() // the error of the write is the one to report
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return report(p.Stdout, imp, "written to "+i.to+" for `console apply`")
}

// applyImport applies the manifest in the same way as `console apply`, and prints the passwords of the
// operators that it created. It encodes the manifest first, so that it passes the same checks as a file.
func applyImport(p *service.Program, imp *oneapi.Import) error {
	text, err := imp.Manifest.YAML()
	if err != nil {
		return err
	}
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	outcome, err := manifest.ApplyText(context.Background(), "the import's manifest", text, manifest.Target{
		Store: rt.Store, Sealer: rt.Config.Sealer(), Lookup: p.Lookup,
	})
	if err != nil {
		return err
	}
	if err := report(p.Stdout, imp, "applied"); err != nil {
		return err
	}
	if err := show(p.Stdout, &outcome); err != nil {
		return err
	}
	for _, change := range outcome.Changes {
		for _, o := range imp.Manifest.Operators {
			if change.Thing == "operator" && change.Name == o.Email {
				if _, err := fmt.Fprintf(p.Stdout, "operator %s: password %s\n", o.Email, o.Password); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// report prints the counts of the manifest, and a line for each note. deed tells what happened to the manifest.
func report(w io.Writer, imp *oneapi.Import, deed string) error {
	c := imp.Manifest
	users, tokens := 0, 0
	for i := range c.Tenants {
		users += len(c.Tenants[i].Users)
		for j := range c.Tenants[i].Users {
			tokens += len(c.Tenants[i].Users[j].Tokens)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "a dump of %s, %s: %s\n", imp.Program, deed, strings.Join([]string{
		counted(len(c.Groups), "group"), counted(len(c.Models), "model"), counted(len(c.Channels), "channel"),
		counted(len(c.Tenants), "tenant"), counted(users, "user"), counted(tokens, "token"),
		counted(len(c.Operators), "operator"),
	}, ", "))
	for _, n := range imp.Notes {
		fmt.Fprintf(&text, "%s %s: %s\n", n.Thing, n.Name, n.Text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
