package egress

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Unzip makes the body of a compressed response readable. Requests do not ask for compression, but some proxies
// compress anyway. Other encodings are left as they are. It reads nothing.
func Unzip(response *http.Response) {
	if strings.EqualFold(response.Header.Get("Content-Encoding"), "gzip") {
		response.Body, response.ContentLength = &unzipped{ReadCloser: response.Body}, -1
	}
}

// unzipped reads a compressed body. It reads nothing before the first Read, whose time is limited.
type unzipped struct {
	io.ReadCloser
	plain *gzip.Reader
}

// Read reads from the uncompressed body.
func (u *unzipped) Read(p []byte) (n int, err error) {
	if u.plain == nil {
		if u.plain, err = gzip.NewReader(u.ReadCloser); err != nil {
			return 0, fmt.Errorf("decompress the answer: %w", err)
		}
	}
	return u.plain.Read(p) //nolint:wrapcheck // passes the end of the body on
}
