// Command console serves the hosted console of Tollgate, and has the tools that operators run on its database:
// applying manifests, importing, re-encrypting, verifying charges, and erasing personal data. `console --help` lists
// the commands.
package main

import (
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
	_ "github.com/tollgate/tollgate/libs/store/sqlite" // the commands also work on the SQLite file of standalone
)

func main() {
	service.Main(config.Console, "The hosted console of Tollgate: its pages, its API, and tools for operators.",
		service.Command{Name: "serve", Help: "Serve the console (the default).", Run: serve},
		service.Command{Name: "migrate", Help: "Update the database schema to this version.", Run: migrate},
		service.Command{Name: "roles", Help: "Print the SQL file that makes a Postgres role for each program.",
			Run: roles},
		service.Command{Name: "apply", Arg: "FILE", Help: "Apply a manifest (a YAML file).", Run: apply},
		importCommand(),
		service.Command{Name: "reseal",
			Help: "Re-encrypt everything that the old secret key encrypts with the new one.", Run: resealAll},
		verifyCommand(),
		eraseUserCommand(),
		eraseTenantCommand(),
		stopExportCommand(),
		openAPICommand())
}
