// Command passwords writes the list of common passwords that libs/seal/weakpassword embeds. It reads passwords.json of
// the npm package @zxcvbn-ts/language-common, a list of passwords from breaches, from the standard input:
//
//	npm pack @zxcvbn-ts/language-common@4.1.3
//	tar xzOf zxcvbn-ts-language-common-4.1.3.tgz package/src/passwords.json | go run ./tools/passwords >libs/seal/weakpassword/passwords.bin
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/tollgate/tollgate/libs/seal/weakpassword"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "passwords:", err)
		os.Exit(1)
	}
}

// run reads the JSON list and writes the hashes.
func run(in io.Reader, out io.Writer) error {
	var words []string
	if err := json.NewDecoder(bufio.NewReader(in)).Decode(&words); err != nil {
		return fmt.Errorf("read the list of passwords: %w", err)
	}
	_, err := out.Write(weakpassword.Encode(words))
	return err
}
