package bucket

import "github.com/prometheus/client_golang/prometheus"

// Failed returns the counter of failed runs.
func (e *Exporter) Failed() prometheus.Counter { return e.failures }
