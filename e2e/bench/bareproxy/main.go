// Command bareproxy is the reference of the benchmark: net/http's ReverseProxy without further work, with
// enough idle connections to reuse every one that it opened.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9091", "address to listen on")
	to := flag.String("to", "", "URL of the upstream")
	flag.Parse()
	if err := run(*addr, *to); err != nil {
		fmt.Fprintln(os.Stderr, "bareproxy:", err)
		os.Exit(1)
	}
}

// run serves the proxy until it fails. The number of idle connections is above the concurrency of every
// measurement, so that connections are reused; with net/http's default of 2 the proxy would open new ones all
// the time and look slow.
func run(addr, to string) error {
	upstream, err := url.Parse(to)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 8192,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
		},
	}
	server := &http.Server{Addr: addr, Handler: proxy, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}
