package fakeupstream

import (
	"bytes"
	"net/http"
	"time"
)

// stream writes one SSE answer. Its methods return false when the client has disconnected.
type stream struct {
	w       http.ResponseWriter
	r       *http.Request
	script  *Script
	out     *http.ResponseController
	barrier *barrier // of the script; nil: none

	failure []byte // data of the frame that reports an error
	events  bool   // write an event line with the type of each frame's data, as responses streams have
}

// run writes the frames. It reports whether the client got a good and complete answer.
func (s *stream) run(a *answer) bool {
	s.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
	s.flush()
	s.events = a.response != nil
	switch s.script.Fault {
	case Empty:
		return false
	case OnlyDone:
		s.events = false
		s.frame([]byte("[DONE]"))
		return false
	case ErrorFirst:
		s.frame(a.streamFailure())
		return false
	case FailedFirst:
		for _, frame := range a.failedFirst() {
			s.frame(frame)
		}
		return false
	}
	s.failure = a.streamFailure()
	frames, head := a.chunks()
	if a.response != nil {
		return s.runEvents(frames, head)
	}
	for i, frame := range frames {
		content := i - head
		// Each content step has a frame for every choice.
		if content == s.script.at()*a.request.N && !s.injectFault() {
			return false
		}
		if content > 0 && (!s.pause(s.script.Pace) || !s.pass()) {
			return false
		}
		if !s.frame(frame) {
			return false
		}
	}
	return s.script.Fault == NoDone || s.last([]byte("[DONE]"))
}

// runEvents writes the events of a responses stream, of which the last one is the terminal event.
func (s *stream) runEvents(frames [][]byte, head int) bool {
	end := len(frames) - 1
	for i, frame := range frames[:end] {
		if i == head+s.script.at() && !s.injectFault() {
			return false
		}
		if i > head && !s.pause(s.script.Pace) || !s.frame(frame) {
			return false
		}
	}
	switch s.script.Fault {
	case NoDone:
		return false
	case FailedAfter:
		s.last(frames[end])
		return false
	}
	return s.last(frames[end])
}

// injectFault causes a fault in the middle of an answer. It reports whether the stream continues.
func (s *stream) injectFault() bool {
	switch s.script.Fault {
	case Cut:
		panic(http.ErrAbortHandler)
	case Stall:
		<-s.r.Context().Done()
		return false
	case ErrorAfter:
		s.frame(s.failure)
		return false
	}
	return true
}

// pass waits at the barrier of the script. It returns false if the client disconnects first.
func (s *stream) pass() bool { return s.barrier == nil || s.barrier.wait(s.r.Context()) }

// pause waits for d. It reports whether the client is still connected.
func (s *stream) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.r.Context().Done():
		return false
	}
}

func (s *stream) frame(data []byte) bool { return s.write(s.format(data)) }

// last writes the last frame, which FramesUnterminated leaves without its blank line.
func (s *stream) last(data []byte) bool {
	text := s.format(data)
	if s.script.Frames == FramesUnterminated {
		text = bytes.TrimRight(text, "\n")
	}
	return s.write(text)
}

// format formats one frame in the script's framing.
func (s *stream) format(data []byte) []byte {
	if s.events {
		return s.name(data)
	}
	switch s.script.Frames {
	case FramesCRLF:
		return join("data: ", data, "\r\n\r\n")
	case FramesComments:
		return join(": still here\n\n:\ndata: ", data, "\n\n")
	case FramesNoSpace:
		return join("data:", data, "\n\n")
	case FramesEvents:
		return join("event: message\nid: 7\nretry: 1000\ndata: ", data, "\n\n")
	}
	return join("data: ", data, "\n\n")
}

// name formats one frame with an event line.
func (s *stream) name(data []byte) []byte {
	_, tail, _ := bytes.Cut(data, []byte(`"type":"`))
	name, _, _ := bytes.Cut(tail, []byte{'"'})
	event := "event: " + string(name)
	switch s.script.Frames {
	case FramesCRLF:
		return join(event+"\r\ndata: ", data, "\r\n\r\n")
	case FramesComments:
		return join(": still here\n\n:\n"+event+"\ndata: ", data, "\n\n")
	case FramesNoSpace:
		return join("event:"+string(name)+"\ndata:", data, "\n\n")
	}
	return join(event+"\ndata: ", data, "\n\n")
}

func join(before string, data []byte, after string) []byte {
	return append(append([]byte(before), data...), after...)
}

// write writes and flushes a frame, in steps of one byte for FramesSplit.
func (s *stream) write(frame []byte) bool {
	step := len(frame)
	if s.script.Frames == FramesSplit {
		step = 1
	}
	for part := range chunked(frame, step) {
		if _, err := s.w.Write(part); err != nil || !s.flush() {
			return false
		}
	}
	return true
}

// chunked yields data in parts of step bytes.
func chunked(data []byte, step int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for ; len(data) > 0; data = data[min(step, len(data)):] {
			if !yield(data[:min(step, len(data))]) {
				return
			}
		}
	}
}

func (s *stream) flush() bool { return s.out.Flush() == nil }
