package once

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// The headers of a replayed answer.
const (
	replayedHeader = "Idempotent-Replayed"
	firstHeader    = "X-Tollgate-Original-Request-Id"
)

// answer is a complete answer with the status 200.
type answer struct {
	head head
	body []byte
}

// head is the part of an answer before its body.
type head struct {
	Header http.Header `json:"header"`
}

// footer is the length in bytes of the number at the end of an encoded answer: the length of its head.
const footer = 4

// bytes returns the encoded answer: the body, the head, and the length of the head.
func (a *answer) bytes() []byte {
	head, _ := json.Marshal(a.head) // strings always marshal
	return binary.LittleEndian.AppendUint32(append(a.body, head...), uint32(len(head)))
}

var errAnswer = errors.New("the stored answer is malformed")

// parseAnswer decodes an answer.
func parseAnswer(data []byte) (*answer, error) {
	end := len(data) - footer
	if end < 0 {
		return nil, errAnswer
	}
	size := int(binary.LittleEndian.Uint32(data[end:]))
	if size > end {
		return nil, errAnswer
	}
	a := &answer{body: data[:end-size]}
	if err := json.Unmarshal(data[end-size:end], &a.head); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return a, nil
}

// replayable returns the headers of an answer that are sent again. The others belong to one request: its id, its rate
// limits, and what is left of the quota.
func replayable(source http.Header) http.Header {
	header := http.Header{}
	for name, values := range source {
		switch {
		case name == "X-Tollgate-Quota-Remaining":
		case name == "Content-Type", name == "Cache-Control", name == "X-Accel-Buffering",
			strings.HasPrefix(name, "X-Tollgate-"), strings.HasPrefix(name, "Openai-"):
			header[name] = values
		}
	}
	return header
}

// send sends the answer of the first call again.
func (a *answer) send(w http.ResponseWriter, original uuid.UUID) {
	header := w.Header()
	for name, values := range a.head.Header {
		header[name] = values
	}
	header[replayedHeader], header[firstHeader] = []string{"true"}, []string{original.String()}
	header["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	_, _ = w.Write(a.body) // the client may have disconnected
}
