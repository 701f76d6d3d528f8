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

// maxPaths is the number of paths that are looked at. A client can send as many fields as a body holds, and each path
// is compared with the others and looked up in the body.
const maxPaths = 64

// ignore records the ignored parts of the request, and sets the header that lists them: what the request itself lacks,
// and the fields that the attempt could not send. fields are paths into the request of the attempt; the header has the
// paths in the client's own request, without those of earlier turns, which it does not contain.
func (x *exchange) ignore(header http.Header, request *openai.Request, fields []string) {
	paths := slices.Clip(request.Ignored())
	surplus := 0
	for i, field := range fields {
		if len(paths) >= maxPaths {
			surplus = len(fields) - i
			break
		}
		if path := request.ClientPath(field); path != "previous_response_id" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		x.log.IgnoredFields = joinIgnored(paths, surplus)
		header[ignoredHeader] = []string{x.log.IgnoredFields}
	}
}

// joinIgnored joins paths by commas, at most maxIgnored bytes. It ends with a plus sign and the number of the paths
// that do not fit and of surplus.
func joinIgnored(paths []string, surplus int) string {
	const room = len(",+") + 19 // the digits of the largest int
	var list strings.Builder
	for i, path := range paths {
		isLast := i == len(paths)-1 && surplus == 0
		if size := list.Len() + len(",") + len(path); size > maxIgnored || !isLast && size > maxIgnored-room {
			surplus += len(paths) - i
			break
		}
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(path)
	}
	if surplus > 0 {
		list.WriteString(",+" + strconv.Itoa(surplus))
	}
	return strings.TrimPrefix(list.String(), ",")
}
