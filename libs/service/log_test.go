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

// outlet keeps what it is given, write by write.
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

// words are the messages of what was written, a word for each write.
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

func TestLinesOfRequestsAreWrittenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out outlet
		logs := logsTo(&out)
		logs.RequestLog.Info("a")
		time.Sleep(gatherTime - time.Millisecond) //nolint:forbidigo // on the bubble's clock
		logs.RequestLog.Info("b")
		synctest.Wait()
		if got := out.words(); got != "" {
			t.Errorf("too early: %q", got)
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // on the bubble's clock
		synctest.Wait()
		if got := out.words(); got != "a+b" {
			t.Errorf("after %v: %q", gatherTime, got)
		}
		logs.RequestLog.Info("c")
		time.Sleep(gatherTime) //nolint:forbidigo // on the bubble's clock
		synctest.Wait()
		if got := out.words(); got != "a+b c" {
			t.Errorf("the next: %q", got)
		}
	})
}

func TestLinesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out outlet
		logs := logsTo(&out)
		logs.RequestLog.Info("a")
		logs.Log.Info("b")
		if got := out.words(); got != "a+b" {
			t.Errorf("at once: %q", got)
		}
		logs.RequestLog.Info("c")
		logs.Flush()
		logs.Flush()
		if got := out.words(); got != "a+b c" {
			t.Errorf("flushed: %q", got)
		}
		time.Sleep(2 * gatherTime) //nolint:forbidigo // on the bubble's clock
		synctest.Wait()
		if got := out.words(); got != "a+b c" {
			t.Errorf("there was nothing left: %q", got)
		}
	})
}

func TestLinesThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	var out outlet
	logs := logsTo(&out)
	defer logs.Flush()
	const lines, size = 100, 10 << 10
	for i := range lines {
		logs.RequestLog.Info("a", "line", i, "text", strings.Repeat("x", size))
	}
	got := out.words()
	if n := strings.Count(got, "+") + strings.Count(got, " ") + 1; n < lines-gatherRoom/size {
		t.Errorf("%d of %d are out", n, lines)
	}
	for _, write := range out.writes {
		if len(write) > gatherRoom || !strings.HasSuffix(write, "\n") {
			t.Errorf("a write of %d bytes, that ends with %q", len(write), write[len(write)-1:])
		}
	}
	logs.RequestLog.Info("long", "text", strings.Repeat("x", 3*gatherRoom))
	logs.Flush()
	if got := out.words(); !strings.HasSuffix(got, " long") || strings.Count(got, "+")+strings.Count(got, " ") != lines {
		t.Errorf("not each line is out once: %q", got)
	}
}

func TestALogThatFailedIsTriedAgain(t *testing.T) {
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
	logs.RequestLog.Info("e", "text", strings.Repeat("x", gatherRoom))
	out.fail(errors.New("no space left on device"))
	logs.RequestLog.Info("f") // for which there is room when e is gone
	out.fail(nil)
	logs.Flush()
	if got := out.words(); got != "c+d f" {
		t.Errorf("behind a line that could not be written: %q", got)
	}
}

func TestLogsAreSafeForConcurrentUse(t *testing.T) {
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
		t.Errorf("%d lines, not %d", n, 2*writers*lines)
	}
}
