package usage_test

import (
	"cmp"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// counts has one distinct bit for each class, so that a sum shows which classes it contains.
var counts = usage.Usage{
	Input: 1, CachedInput: 2, CacheWrite: 4, AudioInput: 8, Output: 16, Reasoning: 32, AudioOutput: 64,
	Details: usage.Details{
		CacheWrite1h: 3, ImageInput: 1, ImageOutput: 15, ServiceTier: "priority", ReportedCost: 9,
		Tools: usage.Tools{
			WebSearchCalls: 1, FileSearchCalls: 2, CodeInterpreterSessions: 3,
			ImageGenerationInput: 4, ImageGenerationImageInput: 5, ImageGenerationOutput: 6,
		},
	},
}

func TestTotals_CountEachClassOnce(t *testing.T) {
	if got := counts.InputTotal(); got != 15 {
		t.Errorf("InputTotal = %b", got)
	}
	if got := counts.OutputTotal(); got != 112 {
		t.Errorf("OutputTotal = %b", got)
	}
	if got := counts.Total(); got != 127 {
		t.Errorf("Total = %b", got)
	}
	if n := reflect.TypeFor[usage.Usage]().NumField(); n != 8 {
		t.Errorf("%d fields: the totals above know 7 classes, and the details that they include", n)
	}
}

func TestPlus_AddsClassByClass(t *testing.T) {
	sum := func(u, v usage.Usage) bool {
		a, b, c := reflect.ValueOf(u), reflect.ValueOf(v), reflect.ValueOf(u.Plus(v))
		for _, field := range reflect.VisibleFields(c.Type()) {
			if field.Name == "ServiceTier" {
				if u.Plus(v).ServiceTier != cmp.Or(u.ServiceTier, v.ServiceTier) {
					return false
				}
				continue
			}
			if !field.Anonymous && c.FieldByIndex(field.Index).Int() != a.FieldByIndex(field.Index).Int()+
				b.FieldByIndex(field.Index).Int() {
				return false
			}
		}
		return true
	}
	if err := quick.Check(sum, nil); err != nil {
		t.Error(err)
	}
}

func TestFault_DescribesImpossibleCounts(t *testing.T) {
	for name, row := range map[string]struct {
		counts usage.Usage
		want   string
	}{
		"possible":         {counts, ""},
		"a negative class": {usage.Usage{AudioOutput: -1}, "a token count is negative"},
		"a negative detail": {usage.Usage{Details: usage.Details{CacheWrite1h: -1}},
			"a token count is negative"},
		"a detail beyond its class": {usage.Usage{CacheWrite: 4, Details: usage.Details{CacheWrite1h: 5}},
			"a detail of a token count exceeds the count"},
		"more images than input": {usage.Usage{Input: 4, CachedInput: 9,
			Details: usage.Details{ImageInput: 5}}, "a detail of a token count exceeds the count"},
		"more images than output": {usage.Usage{Output: 4, Reasoning: 9,
			Details: usage.Details{ImageOutput: 5}}, "a detail of a token count exceeds the count"},
		"a negative count of a " +
			"tool": {usage.Usage{Details: usage.Details{Tools: usage.Tools{ImageGenerationOutput: -1}}},
			"a count of a tool is negative"},
		"tools without tokens": {usage.Usage{Details: usage.Details{Tools: usage.Tools{FileSearchCalls: 1}}}, ""},
		"an ordinary service tier": {usage.Usage{Details: usage.Details{ServiceTier: "default"}},
			"the service tier is not the name of one"},
		"a service tier that no rate can have": {usage.Usage{Details: usage.Details{ServiceTier: "a b"}},
			"the service tier is not the name of one"},
		"a detail that is its class": {usage.Usage{CacheWrite: 4, Details: usage.Details{CacheWrite1h: 4}}, ""},
	} {
		if got := row.counts.Fault(); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestServiceTierOf_NamesOnlyExtraordinaryTiers(t *testing.T) {
	for answer, want := range map[string]string{
		"": "", "default": "", "auto": "", "standard": "", "on_demand": "", "STANDARD": "",
		"priority": "priority", "Flex": "flex", "batch": "batch", "scale_2-x": "scale_2-x",
		"two words": "", "priority\x00": "", "é": "", strings.Repeat("a", 32): strings.Repeat("a", 32),
		strings.Repeat("a", 33): "",
	} {
		if got := usage.ServiceTierOf(answer); got != want {
			t.Errorf("ServiceTierOf(%q) = %q, want %q", answer, got, want)
		}
	}
}

func TestHour_IsInUTC(t *testing.T) {
	kathmandu := time.FixedZone("+0545", 5*3600+45*60)
	for _, row := range []struct{ at, want time.Time }{
		{time.Date(2026, 3, 1, 12, 59, 59, 999, time.UTC), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)},
		{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)},
		{time.Date(2026, 3, 1, 0, 10, 0, 0, kathmandu), time.Date(2026, 2, 28, 18, 0, 0, 0, time.UTC)},
	} {
		log := usage.Log{CreatedAt: row.at}
		if got := log.Hour(); !got.Equal(row.want) || got.Location() != time.UTC {
			t.Errorf("Hour of %v = %v, want %v", row.at, got, row.want)
		}
	}
}

func TestSums_AddAndMergeCalls(t *testing.T) {
	logs := []usage.Log{
		{Outcome: usage.Success, Usage: counts, Quota: 100},
		{Outcome: usage.Partial, Usage: usage.Usage{Output: 3}, Quota: 7},
		{Outcome: usage.Failed},
		{Outcome: usage.Failed},
	}
	want := usage.Sums{Requests: 4, Failed: 2, Partial: 1, Usage: counts.Plus(usage.Usage{Output: 3}), Quota: 107}
	want.Usage.Details = usage.Details{}
	var added, left, right usage.Sums
	for i := range logs {
		added.Add(&logs[i])
		if i < 2 {
			left.Add(&logs[i])
		} else {
			right.Add(&logs[i])
		}
	}
	if added != want {
		t.Errorf("Add: %+v, want %+v", added, want)
	}
	left.Merge(right)
	if left != want {
		t.Errorf("Merge: %+v, want %+v", left, want)
	}
}

func TestMerge_AddsEveryField(t *testing.T) {
	merged := func(a, b usage.Sums) bool {
		want := usage.Sums{
			Requests: a.Requests + b.Requests, Failed: a.Failed + b.Failed, Partial: a.Partial + b.Partial,
			Usage: a.Usage.Plus(b.Usage), Quota: a.Quota + b.Quota,
		}
		a.Merge(b)
		return a == want
	}
	if err := quick.Check(merged, nil); err != nil {
		t.Error(err)
	}
}

func TestOutcomeValid_AcceptsOnlyKnownOutcomes(t *testing.T) {
	for outcome, want := range map[usage.Outcome]bool{usage.Success: true, usage.Partial: true, usage.Failed: true,
		"": false, "ok": false} {
		if outcome.Valid() != want {
			t.Errorf("Outcome(%q).Valid() = %v, want %v", outcome, !want, want)
		}
	}
}

// Every field of Log, and of the Usage in it, has exactly one column.
func TestColumns_DescribeEachFieldOfALogOnce(t *testing.T) {
	var log usage.Log
	names := map[any]string{}
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		for field, value := range v.Fields() {
			if field.Anonymous || field.Type == reflect.TypeFor[usage.Usage]() {
				walk(value)
				continue
			}
			names[value.Addr().UnsafePointer()] = field.Name
		}
	}
	walk(reflect.ValueOf(&log).Elem())

	numbers, exports := map[int]bool{69: true}, map[string]bool{}
	for _, column := range usage.Columns {
		field := reflect.ValueOf(column.Field(&log)).UnsafePointer()
		if names[field] == "" {
			t.Errorf("%s: the field is not one of Log, or an earlier column has it", column.Name)
		}
		delete(names, field)
		if numbers[column.Number] || column.Number < 1 || column.Number > 999 {
			t.Errorf("%s: the number %d is taken or out of range", column.Name, column.Number)
		}
		numbers[column.Number] = true
		if column.Export != "" && exports[column.Export] {
			t.Errorf("%s: another column is exported as %q", column.Name, column.Export)
		}
		exports[column.Export] = true
		if _, count := column.Field(&log).(*int64); count && !column.Bill && column.Name != "client" {
			t.Errorf("%s: bills are recomputed without this count", column.Name)
		}
	}
	for _, name := range names {
		t.Errorf("the field %s has no column", name)
	}
}
