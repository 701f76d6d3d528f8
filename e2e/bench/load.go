package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// load describes the requests of one measurement.
type load struct {
	request     []byte
	others      [][]byte // sent in turn with request
	want        []byte   // the body that every answer must have
	part        bool     // the answers need only contain want
	requests    int
	concurrency int
	// Counts broken connections, whose requests are repeated; nil: a broken connection is an error.
	broken *atomic.Int64
}

// at returns the i-th request.
func (l *load) at(i int64) []byte {
	if i %= int64(len(l.others)) + 1; i > 0 {
		return l.others[i-1]
	}
	return l.request
}

// run sends the requests over keep-alive connections. It returns when all answers have arrived and are right,
// or the first error.
func (l *load) run(addr string) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	failures := make(chan error, l.concurrency)
	for range l.concurrency {
		workers.Go(func() {
			if err := l.work(addr, &next); err != nil {
				failures <- err
				next.Store(int64(l.requests))
			}
		})
	}
	workers.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

// work sends requests over one connection until next reaches the number of requests.
func (l *load) work(addr string, next *atomic.Int64) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer func() { c.close() }()
	c.part = l.part
	for i := next.Add(1); i <= int64(l.requests); i = next.Add(1) {
		for err := c.do(l.at(i), l.want); err != nil; err = c.do(l.at(i), l.want) {
			if l.broken == nil || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return err
			}
			l.broken.Add(1)
			c.close()
			if c, err = dial(addr); err != nil {
				return err
			}
			c.part = l.part
		}
	}
	return nil
}

// latencies sends requests at a fixed rate, in requests per second, and returns how long each took, sorted.
func (l *load) latencies(addr string, rate int) ([]time.Duration, error) {
	clients, err := dialAll(addr, l.concurrency)
	defer closeAll(clients)
	if err != nil {
		return nil, err
	}
	idle := make(chan *client, len(clients))
	for _, c := range clients {
		idle <- c
	}
	times, errs := make([]time.Duration, l.requests), make([]error, l.requests)
	var senders sync.WaitGroup
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for i := range l.requests {
		// A tick is lost if no connection is idle in time: the rate falls, and the latencies don't include the
		// wait for a connection.
		<-ticker.C
		c := <-idle
		senders.Go(func() {
			start := time.Now()
			errs[i] = c.do(l.request, l.want)
			times[i] = time.Since(start)
			idle <- c
		})
	}
	senders.Wait()
	slices.Sort(times)
	return times, errors.Join(errs...)
}

// openStreams opens n streams that stay open until the caller calls end.
func openStreams(addr string, request []byte, n int) (end func(), err error) {
	clients, err := dialAll(addr, n)
	end = func() { closeAll(clients) }
	for i := 0; err == nil && i < n; i++ {
		if err = clients[i].open(request); err != nil {
			err = fmt.Errorf("stream %d: %w", i, err)
		}
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// dialAll opens n connections. On an error it also returns the connections that are open, so that the caller
// can close them.
func dialAll(addr string, n int) ([]*client, error) {
	clients := make([]*client, 0, n)
	for range n {
		c, err := dial(addr)
		if err != nil {
			return clients, err
		}
		clients = append(clients, c)
	}
	return clients, nil
}

func closeAll(clients []*client) {
	for _, c := range clients {
		c.close()
	}
}

// percentile returns the p-th percentile, p from 0 to 100, of sorted durations.
func percentile(times []time.Duration, p int) time.Duration {
	return times[min(len(times)-1, len(times)*p/100)]
}

// median returns the median of values, the mean of the middle two for an even number.
func median(values []float64) float64 {
	order := slices.Clone(values)
	slices.Sort(order)
	n := len(order)
	return (order[(n-1)/2] + order[n/2]) / 2
}
