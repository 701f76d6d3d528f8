package service

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/config"
)

// outlet is a writer that keeps each write.
type outlet struct {
	mu     sync.Mutex
	writes []string
	err    error
}

func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	o.writes = append(o.writes, string(p))
	return len(p), nil
}

// words returns the messages of the written lines. Messages of one write are joined by "+", writes by blanks.
func (o *outlet) words() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var words []string
	for _, write := range o.writes {
		var messages []string
		for line := range strings.Lines(write) {
			_, rest, _ := strings.Cut(line, "msg=")
			message, _, _ := strings.Cut(rest, " ")
			messages = append(messages, message)
		}
		words = append(words, strings.Join(messages, "+"))
	}
	return strings.Join(words, " ")
}

func (o *outlet) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

func logsTo(o *outlet) Logs {
	return NewLogs(o, config.Config{Program: config.Relay, LogFormat: config.Text})
}

func TestRequestLog_WritesLinesTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out outlet
		logs := logsTo(&out)
		logs.RequestLog.Info("a")
		time.Sleep(bufferTime - time.Millisecond) //nolint:forbidigo // on the bubble's clock
		logs.RequestLog.Info("b")
		synctest.Wait()
		if got := out.words(); got != "" {
			t.Errorf("written before the time: %q", got)
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // on the bubble's clock
		synctest.Wait()
		if got := out.words(); got != "a+b" {
			t.Errorf("after %v: %q", bufferTime, got)
		}
		logs.RequestLog.Info("c")
		time.Sleep(bufferTime) //nolint:forbidigo // on the bubble's clock
		synctest.Wait()
		if got := out.words(); got != "a+b c" {
			t.Errorf("after the next line: %q", got)
		}
	})
}

func TestLogs_KeepTheOrderOfLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out outlet
		logs := logsTo(&out)
		logs.RequestLog.Info("a")
		logs.Log.Info("b")
		if got := out.words(); got != "a+b" {
			t.Errorf("after a line of Log: %q", got)
		}
		logs.RequestLog.Info("c")
		logs.Flush()
		logs.Flush()
		if got := out.words(); got != "a+b c" {
			t.Errorf("after Flush: %q", got)
		}
		time.Sleep(2 * bufferTime) //nolint:forbidigo // on the bubble's clock
		synctest.Wait()
		if got := out.words(); got != "a+b c" {
			t.Errorf("after the time without a line: %q", got)
		}
	})
}

func TestRequestLog_BoundsItsBuffer(t *testing.T) {
	t.Parallel()
	var out outlet
	logs := logsTo(&out)
	defer logs.Flush()
	const lines, size = 100, 10 << 10
	for i := range lines {
		logs.RequestLog.Info("a", "line", i, "text", strings.Repeat("x", size))
	}
	got := out.words()
	if n := strings.Count(got, "+") + strings.Count(got, " ") + 1; n < lines-bufferSize/size {
		t.Errorf("%d of %d lines are written", n, lines)
	}
	for _, write := range out.writes {
		if len(write) > bufferSize || !strings.HasSuffix(write, "\n") {
			t.Errorf("a write of %d bytes ends with %q", len(write), write[len(write)-1:])
		}
	}
	logs.RequestLog.Info("long", "text", strings.Repeat("x", 3*bufferSize))
	logs.Flush()
	if got := out.words(); !strings.HasSuffix(got, " long") ||
		strings.Count(got, "+")+strings.Count(got, " ") != lines {
		t.Errorf("not every line is written once: %q", got)
	}
}

// slowOutlet is an outlet whose first write waits.
type slowOutlet struct {
	outlet
	begun, proceed chan struct{}
	first          sync.Once
}

func (o *slowOutlet) Write(p []byte) (int, error) {
	o.first.Do(func() {
		close(o.begun)
		<-o.proceed
	})
	return o.outlet.Write(p)
}

func TestRequestLog_GathersLinesDuringAWrite(t *testing.T) {
	t.Parallel()
	out := &slowOutlet{begun: make(chan struct{}), proceed: make(chan struct{})}
	logs := NewLogs(out, config.Config{Program: config.Relay, LogFormat: config.Text})
	var writer sync.WaitGroup
	writer.Go(func() { logs.Log.Info("a") })
	<-out.begun
	logs.RequestLog.Info("b")
	logs.RequestLog.Info("c")
	close(out.proceed)
	writer.Wait()
	logs.Flush()
	if got := out.words(); got != "a b+c" {
		t.Errorf("got %q, want a, and then b and c together", got)
	}
}

func TestLogs_RecoverFromAFailedWrite(t *testing.T) {
	t.Parallel()
	var out outlet
	logs := logsTo(&out)
	out.fail(errors.New("no space left on device"))
	logs.RequestLog.Info("a")
	logs.Log.Info("b")
	out.fail(nil)
	logs.RequestLog.Info("c")
	logs.Log.Info("d")
	if got := out.words(); got != "c+d" {
		t.Errorf("%q", got)
	}
	logs.RequestLog.Info("e", "text", strings.Repeat("x", bufferSize))
	out.fail(errors.New("no space left on device"))
	logs.RequestLog.Info("f") // it fits into the buffer after e is lost
	out.fail(nil)
	logs.Flush()
	if got := out.words(); got != "c+d f" {
		t.Errorf("after a line that could not be written: %q", got)
	}
}

func TestLogs_AreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var out outlet
	logs := logsTo(&out)
	var all sync.WaitGroup
	const writers, lines = 8, 200
	for range writers {
		for _, log := range []*slog.Logger{logs.RequestLog, logs.Log} {
			all.Go(func() {
				for range lines {
					log.Info("a")
				}
			})
		}
	}
	all.Wait()
	logs.Flush()
	if n := strings.Count(out.words(), "a"); n != 2*writers*lines {
		t.Errorf("%d lines, want %d", n, 2*writers*lines)
	}
}
