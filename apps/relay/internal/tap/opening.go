package tap

import (
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Opening is a stream to the client that has no frame yet, because no upstream has answered. If that takes longer than
// KeepAlive, the client gets the status 200, the headers and then comments, so that no proxy ends the connection. The
// nil Opening sends nothing. It is not safe for concurrent use.
type Opening struct {
	pacer   *pacer
	dialect catalog.Dialect
	buffers *Buffers

	// Of a response that the client knows, see Resume.
	skeleton output.ResponseTemplate
	next     int64
}

// Open begins to wait for an upstream. Until EndComments returns, only the Opening may use w. The caller must call it,
// or Deliver.
func Open(w http.ResponseWriter, dialect catalog.Dialect, t Timeouts, buffers *Buffers) *Opening {
	return &Opening{pacer: newPacer(w, t), dialect: dialect, buffers: buffers}
}

// Resume declares that the client knows the response with the id already, and has its events up to the sequence number
// after, -1 for none. So a stream that an upstream has begun fails with response.failed even if none of its events has
// the response. Call it before Deliver and Fail, only for a responses stream.
func (o *Opening) Resume(id string, after int64) {
	object := rawjson.AppendMember([]byte{'{'}, "id", rawjson.Quote(id))
	o.skeleton, o.next = output.ResponseTemplate{Object: append(object, '}')}, after+1
}

// EndComments ends the comments: from here on the caller may use the writer.
func (o *Opening) EndComments() {
	if o != nil {
		o.pacer.close()
	}
}

// Begin sends the status and the headers, unless the client has them. EndComments must have been called.
func (o *Opening) Begin() { o.pacer.head() }

// Fail ends a stream that no upstream answered with an error event, if the client has its headers. It returns err if
// the client has nothing yet, so that the caller can still write an error response. EndComments must have been
// called.
func (o *Opening) Fail(err error) error {
	if err == nil || o == nil || !o.pacer.headed {
		return err
	}
	d := o.newDelivery(Options{Dialect: o.dialect, Buffers: o.buffers})
	_ = d.Fail(problem.From(err)) // an error means that the client has disconnected
	return nil
}
