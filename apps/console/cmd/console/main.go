// Command console is the hosted console of Tollgate.
package main

import "github.com/tollgate/tollgate/libs/boot"

func main() {
	boot.Main(boot.Console, "The hosted console of Tollgate: its API, and the tools of its operators.", &commands{})
}
