package fakeupstream

import (
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Fault is a way in which an answer fails.
type Fault string

// The faults. A fault in the middle of an answer happens after Script.At content frames of a stream, or after
// half of a JSON body.
const (
	CutBeforeHeaders   Fault = "cut_before_headers"   // the connection is reset before the answer begins
	StallBeforeHeaders Fault = "stall_before_headers" // nothing comes until the client leaves
	Cut                Fault = "cut"                  // the connection is reset in the middle of the answer
	// Nothing more comes after the middle of the answer until the client leaves.
	Stall      Fault = "stall"
	ErrorFirst Fault = "error_first" // status 200, the first frame is an error
	ErrorAfter Fault = "error_after" // an error frame after the first content frames
	ErrorBody  Fault = "error_body"  // status 200 with a JSON error object, also for streams
	Empty      Fault = "empty"       // status 200 and an empty body
	OnlyDone   Fault = "only_done"   // status 200 and only [DONE]
	NoDone     Fault = "no_done"     // a complete stream without [DONE]; of responses, without the terminal event
	Garbage    Fault = "garbage"     // status 200 with an HTML page

	// Only for responses.
	FailedFirst Fault = "failed_first" // response.failed follows response.created; JSON: status failed
	FailedAfter Fault = "failed_after" // a whole stream that ends in response.failed, with usage
	Incomplete  Fault = "incomplete"   // an answer that ends in status incomplete, with usage
)

// Usage selects where the answer reports the token counts.
type Usage string

// The ways of reporting usage. The default is OpenAI's way: in every JSON answer, and in a separate last chunk
// of streams that request it.
const (
	UsageAsked  Usage = ""
	UsageAlways Usage = "always" // as UsageAsked, whether requested or not
	UsageNull   Usage = "null"   // "usage": null everywhere
	UsageAbsent Usage = "absent" // no usage field
	UsageEvery  Usage = "every"  // in every chunk, with increasing counts
	UsageEarly  Usage = "early"  // in the first content chunk only
	UsageFinish Usage = "finish" // in the chunk with the finish reason
)

// Framing selects how SSE frames are written.
type Framing string

// The framings.
const (
	FramesPlain        Framing = ""             // data: ...\n\n
	FramesCRLF         Framing = "crlf"         // CRLF line ends
	FramesComments     Framing = "comments"     // comments before and between the frames
	FramesBig          Framing = "big"          // the first content frame is 1 MB long
	FramesSplit        Framing = "split"        // every byte is written separately
	FramesUnterminated Framing = "unterminated" // no blank line after the last frame
	FramesNoSpace      Framing = "nospace"      // data:...
	FramesEvents       Framing = "events"       // event, id and retry lines in addition to data
)

// Script describes how the upstream answers. The zero Script produces a good answer.
type Script struct {
	Status     int           // answer with an error of this HTTP status; 0: no error
	RetryAfter string        // its Retry-After header
	Code       string        // its error code
	Type       string        // its error type
	Message    string        // its error message
	Delay      time.Duration // wait before anything is written
	Pace       time.Duration // wait before each content frame after the first
	// Of streams of chat completions: each frame after the first content frame waits until it may pass the barrier of
	// this name.
	Barrier string
	Chunks  int // content frames of a stream; 0: 5
	Size    int // bytes of content; 0: a short sentence
	Fault   Fault
	At      int // number of content frames before a fault in the middle of a stream; 0: 2
	Times   int // number of requests to which Status and Fault apply; 0: all
	Usage   Usage
	Frames  Framing

	// Lenient says that the server takes requests that break the rules of the provider.
	Lenient bool

	Tier     string // service tier that the answer names; "": default
	Hour     int    // tokens of the prompt that are written to a cache that lives for one hour
	Searches int    // searches of the web by the provider; responses only
	Sessions int    // containers in which the provider runs code; responses only
}

// ParseScript parses a script in the form of a URL query, such as "status=429&retry_after=1&times=2" or
// "chunks=300&pace=10ms". The keys are the fields of Script in snake case. An unknown key is an error; unknown
// values of fault, usage and frames are not.
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

// set sets a field by its key in a query.
func (s *Script) set(key, value string) (err error) {
	switch key {
	case "lenient":
		s.Lenient, err = strconv.ParseBool(value)
	case "tier":
		s.Tier = value
	case "hour":
		s.Hour, err = strconv.Atoi(value)
	case "searches":
		s.Searches, err = strconv.Atoi(value)
	case "sessions":
		s.Sessions, err = strconv.Atoi(value)
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
	case "barrier":
		s.Barrier = value
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

// withoutFault returns the script without the fields to which Times applies.
func (s Script) withoutFault() Script {
	s.Status, s.Fault = 0, ""
	return s
}

// at returns the number of content frames before a fault.
func (s *Script) at() int {
	if s.At > 0 {
		return s.At
	}
	return 2
}

// chunks returns the number of content frames of a stream.
func (s *Script) chunks() int {
	if s.Chunks > 0 {
		return s.Chunks
	}
	return 5
}
