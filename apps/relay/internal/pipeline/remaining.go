package pipeline

import "net/http"

// remainingHeader is the response header with the quota in USD that is left.
const remainingHeader = "X-Tollgate-Quota-Remaining"

// showRemaining sets the header to what is left for the call's token: after the charge once the hold is settled, and
// including the hold of a stream that begins. It asks nobody.
func (x *exchange) showRemaining(header http.Header) {
	header[remainingHeader] = []string{x.hold.Remaining().String()}
}
