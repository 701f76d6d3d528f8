package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// insideVariable is set in the processes that RunApart starts.
const insideVariable = "HOSTILE_FLOOD"

// reportEvery is the time between two reports of the process of RunApart.
const reportEvery = 100 * time.Millisecond

// RunApart does the same as Run, in a process of its own with a low priority: the process of a test measures others,
// and its measurements must not wait for the flood. The program of the test must call Inside.
func (f *Flood) RunApart(ctx context.Context, o *Outcome) error {
	if os.Getenv(insideVariable) != "" {
		return errors.New("the program of the test does not call hostile.Inside")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	description, err := json.Marshal(f)
	if err != nil {
		return err
	}
	cmd := exec.Command("nice", "-n", "10", program)
	cmd.Env, cmd.Stderr = append(os.Environ(), insideVariable+"="+string(description)), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the flood: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = in.Close() })() // the process ends when it reads the end of its input
	for reports := json.NewDecoder(out); ; {
		var counts tally
		if err := reports.Decode(&counts); err != nil {
			if !errors.Is(err, io.EOF) {
				return errors.Join(fmt.Errorf("read the flood's report: %w", err), cmd.Wait())
			}
			return cmd.Wait()
		}
		o.set(counts)
	}
}

// Inside runs a flood if RunApart has started this process. ok is false in other processes. The caller must exit
// with code otherwise.
func Inside() (code int, ok bool) {
	description := os.Getenv(insideVariable)
	if description == "" {
		return 0, false
	}
	var f Flood
	if err := json.Unmarshal([]byte(description), &f); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		return 1, true
	}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is the signal
		leave()
	}()
	var outcome Outcome
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx, &outcome)
	}()
	reports := json.NewEncoder(os.Stdout)
	ticks := time.NewTicker(reportEvery)
	defer ticks.Stop()
	for running := true; running; {
		select {
		case <-ticks.C:
		case <-done:
			running = false
		}
		if err := reports.Encode(outcome.get()); err != nil {
			return 1, true // the process that wants the report has ended
		}
	}
	return 0, true
}
