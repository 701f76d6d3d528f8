package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// load is what one measurement sends.
type load struct {
	request, want []byte
	requests      int
	concurrency   int
}

// run sends the requests over keep-alive connections and returns when every
// answer was found right, or with the first error.
func (l *load) run(addr string) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	failed := make(chan error, l.concurrency)
	for range l.concurrency {
		workers.Go(func() {
			c, err := dial(addr)
			if err != nil {
				failed <- err
				return
			}
			defer c.close()
			for next.Add(1) <= int64(l.requests) {
				if err := c.do(l.request, l.want); err != nil {
					failed <- err
					next.Store(int64(l.requests))
					return
				}
			}
		})
	}
	workers.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// latencies sends requests at a fixed rate and returns how long each took,
// sorted.
func (l *load) latencies(addr string, rate int) ([]time.Duration, error) {
	idle := make(chan *client, l.concurrency)
	for range l.concurrency {
		c, err := dial(addr)
		if err != nil {
			return nil, err
		}
		defer c.close()
		idle <- c
	}
	taken, failed := make([]time.Duration, l.requests), make([]error, l.requests)
	var sent sync.WaitGroup
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for i := range l.requests {
		<-ticker.C
		c := <-idle
		sent.Go(func() {
			start := time.Now()
			failed[i] = c.do(l.request, l.want)
			taken[i] = time.Since(start)
			idle <- c
		})
	}
	sent.Wait()
	slices.Sort(taken)
	return taken, errors.Join(failed...)
}

// openStreams opens n streams that stay open until the returned function is
// called.
func openStreams(addr string, request []byte, n int) (closeAll func(), err error) {
	clients := make([]*client, 0, n)
	closeAll = func() {
		for _, c := range clients {
			c.close()
		}
	}
	for i := range n {
		c, err := dial(addr)
		if err == nil {
			clients = append(clients, c)
			err = c.open(request)
		}
		if err != nil {
			closeAll()
			return nil, fmt.Errorf("stream %d: %w", i, err)
		}
	}
	return closeAll, nil
}

func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
