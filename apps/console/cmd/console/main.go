// Command console is the hosted console of Tollgate.
package main

import (
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/service"
)

func main() {
	service.Main(config.Console, "The hosted console of Tollgate: its API, and the tools of its operators.", &commands{})
}
