package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
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
		"json": {request: requestFor(fakeupstream.FastJSON, 10<<10, false), want: fakeupstream.FastBody(),
			requests: 200, concurrency: 8},
		"message": messageLoad(100, 8),
		"stream": {request: requestFor(fakeupstream.FastStream, 1<<10, true), want: fakeupstream.FastFrames(),
			requests: 20, concurrency: 4},
	}
	var want int64
	for name, l := range loads {
		if err := l.run(addr); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want += int64(l.requests)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
	l := load{request: requestFor(fakeupstream.FastJSON, 1<<10, false), want: []byte("something else"),
		requests: 4, concurrency: 2}
	if err := l.run(addr); err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("got %v, want a wrong answer", err)
	}
}

func TestLatencies_AreSortedAndComplete(t *testing.T) {
	_, addr := startFast(t)
	l := load{request: requestFor(fakeupstream.FastJSON, 1<<10, false), want: fakeupstream.FastBody(),
		requests: 50, concurrency: 4}
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
	for deadline := time.Now().Add(time.Minute); ; {
		after, err := proc.CPU(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if after > before {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the CPU time did not increase in a minute of work")
		}
	}
}

func TestReport_SaysWhetherAGoalIsMet(t *testing.T) {
	r := Report{Figures: []Figure{
		{Name: "chat 1 KB, 64 connections", Unit: "us", Nginx: 25, Bare: 100, Relay: 80, Ratio: 0.8},
		{Name: "chunk, coalesced", Unit: "us", Bare: 2, Relay: 2.2, Ratio: 1.1},
		{Name: "Postgres per event, 20 tokens", Unit: "us", Relay: 9.5},
		{Name: "p99 added, 200 requests/s", Unit: "us", Bare: 100, Relay: 50, Ratio: 0.5},
	}}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(out.String()) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"nginx bare relay ratio goal",
		"chat 1 KB, 64 connections 25.0 us 100.0 us 80.0 us 0.80 x <= 0.85 x met",
		"chunk, coalesced 2.0 us 2.2 us 1.10 x <= 0.8 x NOT MET",
		"Postgres per event, 20 tokens 9.5 us <= 10 us met",
		"p99 added, 200 requests/s 100.0 us 50.0 us 0.50 x",
	}
	if len(rows) < len(want) || !slices.Equal(rows[:len(want)], want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}

func TestLoad_SendsItsRequestsInTurn(t *testing.T) {
	l := load{request: []byte("a"), others: [][]byte{[]byte("b"), []byte("c")}}
	var got []byte
	for i := range int64(4) {
		got = append(got, l.at(i)...)
	}
	if string(got) != "abca" {
		t.Errorf("got %q, want abca", got)
	}
}
