package fakeupstream

import (
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Fault is a way for an answer to go wrong.
type Fault string

// The faults. Those that strike in mid-answer do so after Script.At content
// frames (of a stream) or half the body (of a JSON answer).
const (
	CutBeforeHeaders   Fault = "cut_before_headers"   // the connection is reset unanswered
	StallBeforeHeaders Fault = "stall_before_headers" // nothing comes until the client leaves
	Cut                Fault = "cut"                  // the connection is reset in mid-answer
	Stall              Fault = "stall"                // silence in mid-answer until the client leaves
	ErrorFirst         Fault = "error_first"          // status 200, the first frame is an error
	ErrorAfter         Fault = "error_after"          // an error frame after the first content frames
	ErrorBody          Fault = "error_body"           // status 200 with a JSON error object, streams too
	Empty              Fault = "empty"                // status 200 and nothing else
	OnlyDone           Fault = "only_done"            // status 200 and a lone [DONE]
	NoDone             Fault = "no_done"              // a whole stream without [DONE]
	Garbage            Fault = "garbage"              // status 200 with an HTML page

	// Of responses alone. NoDone leaves the terminal event out there.
	FailedFirst Fault = "failed_first" // response.failed follows response.created; JSON: status failed
	FailedAfter Fault = "failed_after" // a whole stream that ends in response.failed, with usage
	Incomplete  Fault = "incomplete"   // an answer that ends in status incomplete, with usage
)

// Usage says where the token counts stand in the answer.
type Usage string

// The ways of reporting usage. The default is OpenAI's: in every JSON answer,
// and in a last chunk of its own for streams that ask for it.
const (
	UsageAsked  Usage = ""
	UsageAlways Usage = "always" // as OpenAI's, asked or not
	UsageNull   Usage = "null"   // "usage": null everywhere
	UsageAbsent Usage = "absent" // no such field anywhere
	UsageEvery  Usage = "every"  // in every chunk, growing
	UsageEarly  Usage = "early"  // in the first content chunk only
	UsageFinish Usage = "finish" // in the chunk with the finish reason
)

// Framing is how SSE frames are spelled.
type Framing string

// The framings.
const (
	FramesPlain        Framing = ""             // data: ...\n\n
	FramesCRLF         Framing = "crlf"         // \r\n for \n
	FramesComments     Framing = "comments"     // comments before and between
	FramesBig          Framing = "big"          // the first content frame is 1 MB long
	FramesSplit        Framing = "split"        // every byte is a write of its own
	FramesUnterminated Framing = "unterminated" // no blank line after the last frame
	FramesNoSpace      Framing = "nospace"      // data:...
	FramesEvents       Framing = "events"       // event, id and retry lines beside data
)

// Script tells the upstream how to answer. The zero Script answers well.
type Script struct {
	Status     int           // an error answer with this HTTP status; 0: none
	RetryAfter string        // its Retry-After header
	Code       string        // its error code
	Type       string        // its error type
	Message    string        // its error message
	Delay      time.Duration // before anything is answered
	Pace       time.Duration // before each content frame after the first
	Chunks     int           // content frames of a stream; 0: 5
	Size       int           // bytes of content; 0: a short sentence
	Fault      Fault
	At         int // content frames before a fault in mid-stream; 0: 2
	Times      int // how many requests Status and Fault concern; 0: all
	Usage      Usage
	Frames     Framing
}

// ParseScript reads a script in the form of a URL query, such as
// "status=429&retry_after=1&times=2" or "chunks=300&pace=10ms". The keys are
// the fields of Script in snake case; unknown keys are errors.
func ParseScript(query string) (s Script, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return s, fmt.Errorf("script %q: %w", query, err)
	}
	for key := range values {
		if err := s.set(key, values.Get(key)); err != nil {
			return s, fmt.Errorf("script %q: %s: %w", query, key, err)
		}
	}
	return s, nil
}

func (s *Script) set(key, value string) (err error) {
	switch key {
	case "status":
		s.Status, err = strconv.Atoi(value)
	case "retry_after":
		s.RetryAfter = value
	case "code":
		s.Code = value
	case "type":
		s.Type = value
	case "message":
		s.Message = value
	case "delay":
		s.Delay, err = time.ParseDuration(value)
	case "pace":
		s.Pace, err = time.ParseDuration(value)
	case "chunks":
		s.Chunks, err = strconv.Atoi(value)
	case "size":
		s.Size, err = strconv.Atoi(value)
	case "fault":
		s.Fault = Fault(value)
	case "at":
		s.At, err = strconv.Atoi(value)
	case "times":
		s.Times, err = strconv.Atoi(value)
	case "usage":
		s.Usage = Usage(value)
	case "frames":
		s.Frames = Framing(value)
	default:
		err = fmt.Errorf("unknown key")
	}
	return err
}

// harmless returns the script without what Times limits.
func (s Script) harmless() Script {
	s.Status, s.Fault = 0, ""
	return s
}

func (s *Script) at() int {
	if s.At > 0 {
		return s.At
	}
	return 2
}

func (s *Script) chunks() int {
	if s.Chunks > 0 {
		return s.Chunks
	}
	return 5
}
