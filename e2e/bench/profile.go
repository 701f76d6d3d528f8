package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

// profileTime is the length of the CPU profile.
const profileTime = 40 * time.Second

// mix returns the loads of the measurements, nil for all, that are profiled in turn.
func mix(measurements map[string]bool) []load {
	var loads []load
	for _, part := range []struct {
		measurement string
		load        load
	}{
		{"1kb", chat(fakeupstream.FastJSON, 1<<10, 4_000, 64)},
		{"10kb", chat(fakeupstream.FastJSON, 10<<10, 2_000, 64)},
		{"200kb", chat(fakeupstream.FastJSON, 200<<10, 200, 64)},
		{"tls", chat(fakeupstream.FastTLS, 1<<10, 1_000, 64)},
		{"responses", responseLoad(2_000, 64)},
		{"messages", messageLoad(1_000, 64)},
		{"chunks", load{request: requestFor(fakeupstream.FastStream, 1<<10, true), want: fakeupstream.FastFrames(),
			requests: 200, concurrency: 16}},
		{"chunks", load{request: requestFor(fakeupstream.FastPaced, 1<<10, true), want: fakeupstream.FastFrames(),
			requests: 64, concurrency: 64}},
	} {
		if measurements == nil || measurements[part.measurement] {
			loads = append(loads, part.load)
		}
	}
	return loads
}

// profile writes a CPU profile of the relay, taken while it serves the loads in turn, to a file.
func (r *rig) profile(ctx context.Context, file string, mix []load) error {
	got := make(chan error, 1)
	go func() {
		got <- r.download(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", int(profileTime.Seconds())), file)
	}()
	for i := 0; ; i++ {
		select {
		case err := <-got:
			return err
		default:
			if err := r.send(&r.relay, mix[i%len(mix)]); err != nil {
				return err
			}
		}
	}
}

// download writes the answer of the relay's operations address to a file.
func (r *rig) download(ctx context.Context, path, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.stack.Relay.Ops+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %.200q", path, answer.Status, body)
	}
	return os.WriteFile(file, body, 0o644)
}
