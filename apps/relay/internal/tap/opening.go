package tap

import (
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Opening is a stream to the client that has no frame yet, because no upstream has answered. If that takes longer than
// KeepAlive, the client gets the status 200, the headers and then comments, so that no proxy ends the connection. The
// nil Opening sends nothing. It is not safe for concurrent use.
type Opening struct {
	pacer   *pacer
	dialect catalog.Dialect
	buffers *Buffers
}

// Open begins to wait for an upstream. Until Hold returns, only the Opening may use w. The caller must Hold or Deliver.
func Open(w http.ResponseWriter, dialect catalog.Dialect, t Timeouts, buffers *Buffers) *Opening {
	return &Opening{newPacer(w, t), dialect, buffers}
}

// Hold ends the comments: from here on the caller may use the writer.
func (o *Opening) Hold() {
	if o != nil {
		o.pacer.close()
	}
}

// Begin sends the status and the headers, unless the client has them. The Opening must be held.
func (o *Opening) Begin() { o.pacer.head() }

// Fail ends a stream that no upstream answered with an error event, if the client has its headers. It returns err if
// the client has nothing yet, so that the caller can still write an error response. The Opening must be held.
func (o *Opening) Fail(err error) error {
	if err == nil || o == nil || !o.pacer.headed {
		return err
	}
	d := newDelivery(o.pacer, Options{Dialect: o.dialect, Buffers: o.buffers})
	_ = d.Fail(problem.From(err)) // an error means that the client has disconnected
	return nil
}
