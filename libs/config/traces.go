package config

import (
	"net/url"
	"strings"
)

// traces checks the variables for traces and removes trailing slashes from OTLP_URL.
func (f *faults) traces(c *Config) {
	c.OTLPURL = strings.TrimRight(c.OTLPURL, "/")
	u, err := url.Parse(c.OTLPURL)
	switch {
	case c.OTLPURL == "":
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		f.add(Prefix+"OTLP_URL", "must be http://... or https://...")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		f.add(Prefix+"OTLP_URL", "must have no credentials, query or fragment")
	}
	if !(c.TraceRatio >= 0 && c.TraceRatio <= 1) {
		f.add(Prefix+"TRACE_RATIO", "must be from 0 to 1")
	}
}
