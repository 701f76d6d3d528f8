package pipeline

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/wire/openai"
)

// ignoredHeader is the response header with the paths of what the relay ignored of the request.
const ignoredHeader = "X-Tollgate-Ignored-Fields"

// maxIgnored is the length in bytes of the longest list of paths. Paths that do not fit are counted.
const maxIgnored = 1 << 10

// ignore records what the request is without and the fields that the attempt left out, and sets the header that states them.
// fields are paths into the request of the attempt; the client gets its own. It leaves out those of earlier turns, which are not
// in the client's request.
func (x *exchange) ignore(header http.Header, request *openai.Request, fields []string) {
	paths := request.Ignored()
	for _, field := range fields {
		if path := request.ClientPath(field); path != "previous_response_id" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		x.log.IgnoredFields = joinIgnored(paths)
		header[ignoredHeader] = []string{x.log.IgnoredFields}
	}
}

// joinIgnored joins paths by commas, at most maxIgnored bytes. It ends with a plus sign and the number of the paths that do not
// fit.
func joinIgnored(paths []string) string {
	const room = len(",+") + 19 // the digits of the largest int
	var list strings.Builder
	for i, path := range paths {
		last := i == len(paths)-1
		if size := list.Len() + len(",") + len(path); size > maxIgnored || !last && size > maxIgnored-room {
			list.WriteString(",+" + strconv.Itoa(len(paths)-i))
			break
		}
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(path)
	}
	return strings.TrimPrefix(list.String(), ",")
}
