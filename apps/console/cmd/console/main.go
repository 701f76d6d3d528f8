// Command console serves the hosted console of Tollgate, and has the tools that operators run on its database:
// applying manifests, importing, re-encrypting, and verifying charges. `console --help` lists the commands.
package main

import (
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
)

func main() {
	service.Main(config.Console, "The hosted console of Tollgate: its pages, its API, and tools for operators.", &commands{})
}
