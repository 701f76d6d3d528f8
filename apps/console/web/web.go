// Package web holds the console's pages: a React application whose build is
// embedded. `make ui` builds it; the package compiles without, and is empty.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Assets returns the built files, index.html among them.
func Assets() fs.FS {
	assets, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is a valid name, which is all that Sub asks
	}
	return assets
}
