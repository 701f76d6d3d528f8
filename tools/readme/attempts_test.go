package readme

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The table has every error code of an attempt, and the alert counts those that are failures of the channel.
func TestResultsOfAttempts_AgreeWithTheCodeAndTheAlert(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/observability.md"), "\n### Results of attempts\n")
	section, _, _ = strings.Cut(section, "\n### ")
	documented := map[string]string{} // whether it is a failure of the channel, by code
	for _, row := range rows(section, regexp.MustCompile("^`")) {
		documented[strings.Trim(row[0], "`")] = row[2]
	}
	var codes []string
	for _, code := range regexp.MustCompile(`failureCode = "(\w+)"`).FindAllStringSubmatch(
		read(t, "apps/relay/internal/upstream/failure.go"), -1) {
		codes = append(codes, code[1])
	}
	slices.Sort(codes)
	if got := slices.Sorted(maps.Keys(documented)); !slices.Equal(got, codes) {
		t.Errorf("docs/observability.md has the codes %q, want %q", got, codes)
	}
	excluded := regexp.MustCompile(`tollgate_upstream_attempts_total\{result!~"(.+)"\}`).FindStringSubmatch(
		read(t, "deploy/prometheus/alerts.yaml"))
	if excluded == nil {
		t.Fatal("deploy/prometheus/alerts.yaml has no rule that excludes results of attempts")
	}
	want := []string{"served"}
	for code, counts := range documented {
		if counts == "no" {
			want = append(want, code)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(strings.SplitSeq(excluded[1], "|")); !slices.Equal(got, want) {
		t.Errorf("the rule excludes the results %q, want %q as documented", got, want)
	}
}
