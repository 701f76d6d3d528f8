package main

import "github.com/tollgate/tollgate/e2e/stack"

// goal is the upper bound of a row of the report.
type goal struct {
	bound float64
	unit  string // of the relay's figure; "": the bound is one of the ratio
}

// goals returns the goals by the names of the rows.
func goals() map[string]goal {
	const leaving = "5000 streams with 200 KB bodies leave: "
	bounds := map[string]goal{
		"chat 1 KB, 64 connections":                 {bound: 0.85},
		"chat 10 KB, 64 connections":                {bound: 0.9},
		"chat 200 KB, 64 connections":               {bound: 1},
		"chat 1 KB, 16 connections":                 {bound: 1},
		"chat 10 KB, 16 connections":                {bound: 1},
		"chat 200 KB, 16 connections":               {bound: 1.1},
		"responses 1 KB, 64 connections":            {bound: 0.9},
		"messages 1 KB, 64 connections":             {bound: 0.9},
		"chunk, coalesced":                          {bound: 0.8},
		"chunk, one each 10ms":                      {bound: 1},
		"one of 5000 open streams, 10 KB body":      {bound: 60, unit: "KB"},
		"one of 5000 open streams, 200 KB body":     {bound: 80, unit: "KB"},
		"chat 1 KB to TLS, against plain":           {bound: 1.05},
		"chat 200 KB to TLS, against plain":         {bound: 1.2},
		"Postgres per event, 20 tokens":             {bound: 10, unit: "us"},
		"Postgres per event, 5000 tokens":           {bound: 20, unit: "us"},
		"p50 added, 200 requests/s":                 {bound: 1.2},
		leaving + "highest memory":                  {bound: 1_000, unit: "MB"},
		leaving + "memory a minute later":           {bound: 400, unit: "MB"},
		leaving + "p99 of another tenant":           {bound: 250, unit: "ms"},
		leaving + "oldest state of the change feed": {bound: 2_000, unit: "ms"},
		leaving + "age of the heartbeat at most":    {bound: 11, unit: "s"},
	}
	for _, program := range stack.Programs() {
		bounds["start of "+program+": median of 10"] = goal{bound: 300, unit: "ms"}
	}
	return bounds
}

// text returns the bound with its unit.
func (g goal) text() string {
	if g.unit == "" {
		return "<= " + number(g.bound) + " x"
	}
	return "<= " + number(g.bound) + " " + g.unit
}

// verdict says whether a figure meets the goal.
func (g goal) verdict(f *Figure) string {
	value := f.Ratio
	if g.unit != "" {
		value = f.Relay
	}
	if value <= g.bound {
		return "met"
	}
	return "NOT MET"
}
