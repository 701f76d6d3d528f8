// Package telemetry checks that the dashboard, the alert rules and the documents agree with the metrics of
// the running programs. It starts all programs in one process and compares names, types and labels.
package telemetry

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

const root = "../.."

// read returns a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// allOf returns all rules of the file that Prometheus loads.
func allOf(t *testing.T) (all []rulefmt.Rule) {
	t.Helper()
	groups, errs := rulefmt.Parse(read(t, "deploy/prometheus/alerts.yaml"), false, model.LegacyValidation, promQL,
		slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	for _, group := range groups.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// query is a PromQL expression and the place where it is used.
type query struct{ where, expr string }

// panel is a panel of a dashboard's JSON, with its queries.
type panel struct {
	Title   string `json:"title"`
	Type    string `json:"type"`
	Targets []struct {
		Expr string `json:"expr"`
	} `json:"targets"`
}

// dashboard is a dashboard's JSON, with its panels and variables.
type dashboard struct {
	Title      string  `json:"title"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct {
			Name  string          `json:"name"`
			Type  string          `json:"type"`
			Query json.RawMessage `json:"query"`
		} `json:"list"`
	} `json:"templating"`
}

// variables replaces Grafana's variables by values.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$model", ".*", "$channel", ".*")

var labelValues = regexp.MustCompile(`^label_values\((.+), ([a-z_]+)\)$`)

// dashboardQueries returns all queries of the dashboard. The query of a variable, which lists the values of a
// label, is returned as an aggregation by that label.
func dashboardQueries(t *testing.T) (found []query) {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal(read(t, "deploy/grafana/tollgate.json"), &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q has no query", p.Title)
		}
		for _, target := range p.Targets {
			found = append(found, query{"panel " + p.Title, variables.Replace(target.Expr)})
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		var values struct{ Query string }
		if err := json.Unmarshal(v.Query, &values); err != nil {
			t.Fatalf("variable %s: %v", v.Name, err)
		}
		parts := labelValues.FindStringSubmatch(values.Query)
		if parts == nil {
			t.Fatalf("variable %s: got the query %q, want label_values(...)", v.Name, values.Query)
		}
		found = append(found, query{"variable " + v.Name, fmt.Sprintf("count by (%s) (%s)", parts[2], parts[1])})
	}
	if len(found) < 50 {
		t.Fatalf("the dashboard has %d queries, want at least 50", len(found))
	}
	return found
}

// targetLabels are labels that Prometheus adds to every series, and those of histograms and summaries.
var targetLabels = []string{"job", "instance", "le", "quantile"}

// lookup returns the metric that a series belongs to. A histogram has several series.
func lookup(metrics map[string]metric, name string) (metric, bool) {
	if m, ok := metrics[name]; ok {
		return m, true
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base, cut := strings.CutSuffix(name, suffix); cut {
			m, ok := metrics[base]
			return m, ok && (m.kind == "histogram" || m.kind == "summary")
		}
	}
	return metric{}, false
}

// check parses the query and reports the metrics and labels in it that no program exposes.
func check(t *testing.T, q query, metrics map[string]metric) {
	t.Helper()
	expr, err := promQL.ParseExpr(q.expr)
	if err != nil {
		t.Errorf("%s: parse the query: %v: %s", q.where, err, q.expr)
		return
	}
	known := slices.Clone(targetLabels)
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		m, ok := lookup(metrics, selector.Name)
		if !ok {
			t.Errorf("%s: no program has the metric %s", q.where, selector.Name)
		}
		known = append(known, m.labels...)
		for _, matcher := range selector.LabelMatchers {
			if matcher.Name != model.MetricNameLabel &&
				!slices.Contains(append(slices.Clone(targetLabels), m.labels...), matcher.Name) {
				t.Errorf("%s: %s has no label %s", q.where, selector.Name, matcher.Name)
			}
		}
		return nil
	})
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		var named []string
		switch n := node.(type) {
		case *parser.AggregateExpr:
			named = n.Grouping
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				named = n.VectorMatching.MatchingLabels
			}
		}
		for _, label := range named {
			if !slices.Contains(known, label) {
				t.Errorf("%s: no metric in the query has the label %s: %s", q.where, label, q.expr)
			}
		}
		return nil
	})
}

// withRecorded adds the metrics that the rules record, with the labels that their expressions keep.
func withRecorded(t *testing.T, metrics map[string]metric, all []rulefmt.Rule) map[string]metric {
	t.Helper()
	for _, rule := range all {
		if rule.Record == "" {
			continue
		}
		expr, err := promQL.ParseExpr(rule.Expr)
		if err != nil {
			t.Fatal(err)
		}
		m := metric{kind: "recorded"}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if n, ok := node.(*parser.AggregateExpr); ok {
				m.labels = append(m.labels, n.Grouping...)
			}
			return nil
		})
		metrics[rule.Record] = m
	}
	return metrics
}

func TestDashboardAndRules_UseExistingMetricsAndLabels(t *testing.T) {
	all := allOf(t)
	metrics := withRecorded(t, exposed(t), all)
	for _, q := range dashboardQueries(t) {
		check(t, q, metrics)
	}
	for _, rule := range all {
		check(t, query{"rule " + rule.Record + rule.Alert, rule.Expr}, metrics)
	}
}

func TestMetrics_AreDocumented(t *testing.T) {
	documented := map[string][]string{}
	for line := range strings.Lines(string(read(t, "docs/observability.md"))) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.Trim(strings.TrimSpace(cells[0]), "`")
		if len(cells) >= 4 && ours(name) {
			documented[name] = cells
		}
	}
	metrics := exposed(t)
	for name, m := range metrics {
		if !ours(name) {
			continue
		}
		cells, ok := documented[name]
		if !ok {
			t.Errorf("%s is not in docs/observability.md", name)
			continue
		}
		if got := strings.TrimSpace(cells[1]); m.kind != "" && got != m.kind {
			t.Errorf("%s: docs/observability.md has the type %s, want %s", name, got, m.kind)
		}
		if got := ticked(cells[2]); !slices.Equal(got, m.labels) {
			t.Errorf("%s: docs/observability.md has the labels %v, want %v", name, got, m.labels)
		}
	}
	for name := range documented {
		if _, ok := metrics[name]; !ok {
			t.Errorf("docs/observability.md has %s, which no program exposes", name)
		}
	}
}

// ours reports whether the metric is one of Tollgate's own.
func ours(name string) bool {
	return strings.HasPrefix(name, "tollgate_") || strings.HasPrefix(name, "gen_ai_")
}

var tick = regexp.MustCompile("`([a-z_]+)`")

// ticked returns the words between backticks, sorted.
func ticked(text string) (words []string) {
	for _, match := range tick.FindAllStringSubmatch(text, -1) {
		words = append(words, match[1])
	}
	slices.Sort(words)
	return words
}

func TestAlerts_HaveRunbooks(t *testing.T) {
	sections := map[string]string{}
	for _, part := range strings.Split(string(read(t, "docs/runbooks.md")), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		sections[title] = body
	}
	for _, rule := range allOf(t) {
		if rule.Alert == "" {
			continue
		}
		if want := "docs/runbooks.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook_url"] != want {
			t.Errorf("%s: got the runbook %q, want %q", rule.Alert, rule.Annotations["runbook_url"], want)
		}
		if rule.Annotations["summary"] == "" || rule.Labels["severity"] == "" {
			t.Errorf("%s has no summary or severity", rule.Alert)
		}
		body, ok := sections[rule.Alert]
		if !ok {
			t.Errorf("%s has no section in docs/runbooks.md", rule.Alert)
		}
		for _, part := range []string{"**Means**", "**Users see**", "**Look at**", "**Do**"} {
			if !strings.Contains(body, part) {
				t.Errorf("the runbook of %s has no part %s", rule.Alert, part)
			}
		}
		delete(sections, rule.Alert)
	}
	delete(sections, "Tasks") // what operators do without an alert
	for title := range sections {
		t.Errorf("docs/runbooks.md has the section %s, but there is no such alert", title)
	}
}
