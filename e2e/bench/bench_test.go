package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/bench/proc"
	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/wait"
)

// startFast starts the minimal upstream and returns its address. It ends with the test.
func startFast(t *testing.T) (*fakeupstream.Fast, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fast := fakeupstream.NewFast()
	go fast.Serve(l) //nolint:errcheck // ends with the listener
	t.Cleanup(func() { l.Close() })
	return fast, l.Addr().String()
}

func TestLoad_GetsAllAnswers(t *testing.T) {
	fast, addr := startFast(t)
	loads := map[string]load{
		"json":   {requestFor(fakeupstream.FastJSON, 10<<10, false), fakeupstream.FastBody(), 200, 8, nil},
		"stream": {requestFor(fakeupstream.FastStream, 1<<10, true), fakeupstream.FastFrames(), 20, 4, nil},
	}
	var want int64
	for name, l := range loads {
		if err := l.run(addr); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want += int64(l.requests)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := wait.Until(ctx, func(context.Context) error { // an answer is counted after its last byte
		if got := fast.Counters().Successes; got != want {
			return fmt.Errorf("got %d successes, want %d", got, want)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestLoad_FailsOnAWrongAnswer(t *testing.T) {
	_, addr := startFast(t)
	l := load{requestFor(fakeupstream.FastJSON, 1<<10, false), []byte("something else"), 4, 2, nil}
	if err := l.run(addr); err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("got %v, want a wrong answer", err)
	}
}

func TestLatencies_AreSortedAndComplete(t *testing.T) {
	_, addr := startFast(t)
	l := load{requestFor(fakeupstream.FastJSON, 1<<10, false), fakeupstream.FastBody(), 50, 4, nil}
	taken, err := l.latencies(addr, 1000)
	if err != nil || len(taken) != 50 || percentile(taken, 0) <= 0 || percentile(taken, 99) < percentile(taken, 50) {
		t.Errorf("got %v, %v", taken, err)
	}
}

func TestRequestFor_HasAboutTheSize(t *testing.T) {
	for _, size := range []int{1 << 10, 10 << 10, 200 << 10} {
		_, body, _ := strings.Cut(string(requestFor("m", size, false)), "\r\n\r\n")
		if len(body) < size*8/10 || len(body) > size*12/10 {
			t.Errorf("got %d bytes, want about %d", len(body), size)
		}
	}
}

func TestCPU_IncreasesWithWork(t *testing.T) {
	before, err := proc.CPU(os.Getpid())
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		after, err := proc.CPU(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if after > before {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the CPU time did not increase in ten seconds of work")
		}
	}
}
