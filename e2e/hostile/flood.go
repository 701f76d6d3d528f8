package hostile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Flood opens many connections that send the same request, whole or in part, and keeps them open. Every
// connection sends Head, then Filler bytes, and then Tail.
type Flood struct {
	Addr  string // host:port of the server
	From  string // local IP address of the connections; "": the kernel chooses
	Conns int    // number of connections
	Rate  int    // connections opened in a second; 0: all at once
	// Again is the pause after which a connection that the server has closed is replaced; 0: it is not.
	Again time.Duration

	Head    string // everything before the filler
	Filler  int64
	Tail    string        // "": the request has no end
	Piece   int           // bytes of filler written at once, at most 256 KiB; 0: 32 KiB
	Pause   time.Duration // wait after each piece
	Chunked bool          // the body is chunked, and each piece is a chunk
}

// Outcome counts what the connections of a flood saw. It is safe for concurrent use.
type Outcome struct {
	mu     sync.Mutex
	counts tally
}

// tally holds the counts of an Outcome.
type tally struct {
	Refused  int         // connections that could not be opened
	Dropped  int         // connections that the server closed without an answer
	Statuses map[int]int // answers by status
}

// Answers returns the number of answers with the status.
func (o *Outcome) Answers(status int) int { return o.get().Statuses[status] }

// Known returns the number of connections that got an answer or got none.
func (o *Outcome) Known() int {
	counts := o.get()
	return o.Answered() + counts.Dropped + counts.Refused
}

// Answered returns the number of connections that got an answer.
func (o *Outcome) Answered() (n int) {
	for _, count := range o.get().Statuses {
		n += count
	}
	return n
}

// String lists the counts, such as "12 answered 503, 3 dropped".
func (o *Outcome) String() string {
	counts := o.get()
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d answered %d", counts.Statuses[status], status))
	}
	if counts.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d dropped", counts.Dropped))
	}
	if counts.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d not connected", counts.Refused))
	}
	if len(parts) == 0 {
		return "no answer"
	}
	return strings.Join(parts, ", ")
}

// add changes the counts.
func (o *Outcome) add(change func(*tally)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.counts)
}

// get returns a copy of the counts.
func (o *Outcome) get() tally {
	o.mu.Lock()
	defer o.mu.Unlock()
	counts := o.counts
	counts.Statuses = maps.Clone(counts.Statuses)
	return counts
}

// set replaces the counts.
func (o *Outcome) set(counts tally) { o.add(func(t *tally) { *t = counts }) }

// answered counts an answer.
func (t *tally) answered(status int) {
	if t.Statuses == nil {
		t.Statuses = map[int]int{}
	}
	t.Statuses[status]++
}

// PostHead returns the beginning of a POST request with a JSON body of size bytes, which begins with body. A
// negative size means a chunked body. header holds complete lines, each with its line end.
func PostHead(path, header string, size int64, body string) string {
	length := "Transfer-Encoding: chunked"
	if size >= 0 {
		length = fmt.Sprintf("Content-Length: %d", size)
	} else {
		body = chunk(body)
	}
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: tollgate\r\nContent-Type: application/json\r\n%s%s\r\n\r\n%s", path,
		header, length, body)
}

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

// Run opens the connections and keeps them open until ctx ends or the server closes them; o counts what they saw
// and may be read meanwhile. When ctx ends, all connections are closed at once. Run returns when the last one is
// closed.
func (f *Flood) Run(ctx context.Context, o *Outcome) {
	var conns sync.WaitGroup
	defer conns.Wait()
	began := time.Now()
	for n := range f.Conns {
		if f.Rate > 0 {
			due := time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(f.Rate)))
			if !sleep(ctx, due) {
				return
			}
		}
		conns.Go(func() {
			f.connect(ctx, o)
			for f.Again > 0 && sleep(ctx, f.Again) {
				f.connect(ctx, o)
			}
		})
	}
}

// sleep waits for d. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connect opens one connection, sends the request, and reads answers until the connection ends.
func (f *Flood) connect(ctx context.Context, o *Outcome) {
	dialer := net.Dialer{Timeout: time.Minute}
	if f.From != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(f.From)}
	}
	conn, err := dialer.DialContext(ctx, "tcp", f.Addr)
	if err != nil {
		if ctx.Err() == nil {
			o.add(func(t *tally) { t.Refused++ })
		}
		return
	}
	defer conn.Close()                                                               //nolint:errcheck // it may be closed already
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })() // ends all reads and writes
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.send(ctx, conn) // an error shows when the answer is read
	}()
	f.receive(ctx, conn, o)
	_ = conn.Close() // ends send
	<-done
}

// maxPiece is the largest value of Flood.Piece.
const maxPiece = 256 << 10

// filler is the content of all fillers. It is valid in a header line and in a JSON string.
var filler = strings.Repeat("lorem ipsum ", maxPiece/12+1)

// send sends the request.
func (f *Flood) send(ctx context.Context, conn net.Conn) {
	if _, err := io.WriteString(conn, f.Head); err != nil {
		return
	}
	piece := int64(f.Piece)
	if piece == 0 {
		piece = 32 << 10
	}
	for remaining := f.Filler; remaining > 0; remaining -= piece {
		text := filler[:min(piece, remaining)]
		if f.Chunked {
			text = chunk(text)
		}
		if _, err := io.WriteString(conn, text); err != nil || !sleep(ctx, f.Pause) {
			return
		}
	}
	if f.Tail == "" {
		return
	}
	tail := f.Tail
	if f.Chunked {
		tail = chunk(tail) + chunk("")
	}
	_, _ = io.WriteString(conn, tail) // an error shows when the answer is read
}

// receive reads one answer and counts it. It reads the answer until its end or until ctx ends.
func (f *Flood) receive(ctx context.Context, conn net.Conn, o *Outcome) {
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
	switch {
	case err == nil:
		o.add(func(t *tally) { t.answered(resp.StatusCode) })
		_, _ = io.Copy(io.Discard, resp.Body) // the connection may end at any time
		_ = resp.Body.Close()
	case ctx.Err() == nil:
		o.add(func(t *tally) { t.Dropped++ })
	}
}
