package main

import (
	"flag"

	"github.com/tollgate/tollgate/apps/relay"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/web"
)

// openAPICommand returns the command openapi, which needs no configuration.
func openAPICommand() service.Command {
	var spec web.Spec
	return service.Command{
		Name: "openapi", Help: "Print the OpenAPI document of the API.",
		Flags: func(f *flag.FlagSet) {
			f.TextVar(&spec, "spec", web.Spec31, "`VERSION` of OpenAPI: 3.1 (the default) or 3.0.")
		},
		Run: func(p *service.Program, _ string) error {
			return p.Print(func() ([]byte, error) { return relay.OpenAPI(spec) })
		},
	}
}
