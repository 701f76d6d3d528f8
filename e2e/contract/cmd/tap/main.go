// Command tap is a contract.Tap as a process, for tests that are not written in Go. It prints the address to dial,
// reads one line with the address of the relay, and forwards connections until its input ends. It then prints the
// differences between the traffic and openapi/relay.yaml, and exits with 1 if there are any.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/tollgate/tollgate/e2e/contract"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tap:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	document, err := contract.Open()
	if err != nil {
		return err
	}
	checker, err := document.Checker()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, listener.Addr()); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	if !lines.Scan() { // the relay did not start, which the caller reports
		return errors.Join(lines.Err(), listener.Close())
	}
	tap := checker.TapOn(listener, strings.TrimSpace(lines.Text()))
	for lines.Scan() { // until the caller closes its end
	}
	tap.Close()
	if err := lines.Err(); err != nil {
		return err
	}
	return checker.Close()
}
