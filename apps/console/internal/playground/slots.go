package playground

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/fair"
)

const (
	bodyReadTimeout = 30 * time.Second
	retryAfter      = time.Second // in the response to a refused client
)

// Bounds are the numbers of calls in flight.
type Bounds struct {
	Name           string // of the metrics
	Total, PerUser int64
}

// Slots bound the calls in flight. They are safe for concurrent use.
type Slots struct {
	bounds Bounds
	queue  *fair.Queue[uuid.UUID]
}

// NewSlots returns Slots of which none is taken.
func NewSlots(b Bounds, metrics prometheus.Registerer) *Slots {
	return &Slots{bounds: b, queue: fair.New(fair.Options[uuid.UUID]{Total: b.Total, PerKey: b.PerUser,
		RetryAfter: retryAfter, Metrics: metrics, Name: b.Name})}
}

// Acquire takes a slot for a call of the user, which the caller must release. It returns a RateLimited problem if the
// user has no slot left, and an Overloaded problem if there are too many calls of all users together.
func (s *Slots) Acquire(user uuid.UUID) (fair.Lease[uuid.UUID], error) {
	slot, err := s.queue.TryAcquire(1, user)
	if errors.Is(err, fair.ErrShare) {
		err = problem.New(problem.RateLimited, "The playground allows %d calls at a time. Wait until one of them ends.",
			s.bounds.PerUser).After(retryAfter)
	}
	return slot, err
}

// ReadBody reads the complete body before the call: an upstream that responds before it has read everything
// would otherwise break the connection to the client. The API bounds the body. A GET has no body.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method == http.MethodGet {
		return nil, nil
	}
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), "application/json") {
		return nil, problem.Of(problem.UnsupportedMediaType)
	}
	// net/http resets it before the next request
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyReadTimeout))
	body, err := io.ReadAll(r.Body)
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return nil, problem.Wrap(problem.ReadTimeout, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return body, nil
}
