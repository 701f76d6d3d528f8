package fakeupstream

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Billed is a charge for one day, model and key, as the billing APIs state it.
type Billed struct {
	Day                     string // UTC day, such as 2026-11-23
	Model, Key              string
	Amount                  string // USD, a decimal with any number of digits
	Input, Output, Requests int64
}

// BillFault is a way in which one request to a billing API fails.
type BillFault string

// The faults of billing APIs.
const (
	BillLimited BillFault = "limited" // status 429
	BillDown    BillFault = "down"    // status 503
	BillCut     BillFault = "cut"     // half of the page
	BillHuge    BillFault = "huge"    // a page of 17 MiB
)

// daysOnPage is the number of days on a page of the billing APIs.
const daysOnPage = 2

// Bill holds the charges of the upstream. The billing APIs state them in the forms of OpenAI, Anthropic and OpenRouter,
// for the credential, two days a page: GET /v1/organization/{costs,usage/completions}, GET
// /v1/organizations/{cost_report, usage_report/messages} and GET /api/v1/activity. Every day of the range that a
// request asks for is reported, except those in Missing. The next requests fail with the faults, in their order.
type Bill struct {
	Credential string
	Rows       []Billed
	Missing    []string
	Faults     []BillFault
}

// SetBill replaces what the upstream charged.
func (u *Upstream) SetBill(b Bill) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bill = b
}

// routeBills adds the billing APIs to the mux.
func (u *Upstream) routeBills() {
	bearer := func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	apiKey := func(r *http.Request) string { return r.Header.Get("X-Api-Key") }
	for path, api := range map[string]struct {
		credential func(*http.Request) string
		page       func(Bill, *http.Request) object
	}{
		"/v1/organization/costs":                  {bearer, pageOf(unixBucket, openAICost)},
		"/v1/organization/usage/completions":      {bearer, pageOf(unixBucket, openAIUsage)},
		"/v1/organizations/cost_report":           {apiKey, pageOf(timeBucket, anthropicCost)},
		"/v1/organizations/usage_report/messages": {apiKey, pageOf(timeBucket, anthropicUsage)},
		"/api/v1/activity":                        {bearer, activity},
	} {
		u.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			u.mu.Lock()
			b := u.bill
			if len(b.Faults) > 0 {
				u.bill.Faults = b.Faults[1:]
			}
			u.mu.Unlock()
			if b.Credential == "" || api.credential(r) != b.Credential {
				writeJSON(w, http.StatusUnauthorized,
					marshal(object{"error": object{"message": "Incorrect API key provided"}}))
				return
			}
			body := marshal(api.page(b, r))
			if len(b.Faults) == 0 {
				writeJSON(w, http.StatusOK, body)
				return
			}
			b.Faults[0].write(w, body)
		})
	}
}

// write writes the answer that fails.
func (f BillFault) write(w http.ResponseWriter, body []byte) {
	switch f {
	case BillLimited:
		w.Header().Set("Retry-After", "1")
		writeJSON(w, http.StatusTooManyRequests, marshal(object{"error": object{"message": "Rate limit reached"}}))
	case BillDown:
		writeJSON(w, http.StatusServiceUnavailable,
			marshal(object{"error": object{"message": "The server is overloaded"}}))
	case BillCut:
		writeJSON(w, http.StatusOK, body[:len(body)/2])
	case BillHuge:
		writeJSON(w, http.StatusOK, append(body, []byte(strings.Repeat(" ", 17<<20))...))
	}
}

// pageOf returns the function that makes a page of a report by day.
func pageOf(bucket func(day time.Time, results []any) object,
	result func(Billed) object) func(Bill, *http.Request) object {
	return func(b Bill, r *http.Request) object {
		from, to := rangeOf(r)
		var days []any
		for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
			if slices.Contains(b.Missing, day.Format(time.DateOnly)) {
				continue
			}
			results := []any{}
			for _, row := range b.Rows {
				if row.Day == day.Format(time.DateOnly) {
					results = append(results, result(row))
				}
			}
			days = append(days, bucket(day, results))
		}
		at, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("page"), "page_"))
		at = min(max(at, 0), len(days))
		end := min(at+daysOnPage, len(days))
		page := object{"object": "page", "data": days[at:end], "has_more": end < len(days), "next_page": nil}
		if end < len(days) {
			page["next_page"] = "page_" + strconv.Itoa(end)
		}
		return page
	}
}

// rangeOf returns the range of days that a request asks for, in either form.
func rangeOf(r *http.Request) (from, to time.Time) {
	q := r.URL.Query()
	if q.Has("start_time") {
		start, _ := strconv.ParseInt(q.Get("start_time"), 10, 64)
		end, _ := strconv.ParseInt(q.Get("end_time"), 10, 64)
		return time.Unix(start, 0).UTC(), time.Unix(end, 0).UTC()
	}
	from, _ = time.Parse(time.RFC3339, q.Get("starting_at"))
	to, _ = time.Parse(time.RFC3339, q.Get("ending_at"))
	return from, to
}

func unixBucket(day time.Time, results []any) object {
	return object{"object": "bucket", "start_time": day.Unix(), "end_time": day.AddDate(0, 0, 1).Unix(),
		"results": results}
}

func timeBucket(day time.Time, results []any) object {
	return object{"starting_at": day.Format(time.RFC3339), "ending_at": day.AddDate(0, 0, 1).Format(time.RFC3339),
		"results": results}
}

func openAICost(b Billed) object {
	return object{
		"object": "organization.costs.result", "amount": object{"value": number(b.Amount), "currency": "usd"},
		"line_item": b.Model + ", output", "project_id": nil, "api_key_id": b.Key,
	}
}

func openAIUsage(b Billed) object {
	return object{
		"object": "organization.usage.completions.result", "model": b.Model, "api_key_id": b.Key,
		"input_tokens": b.Input, "output_tokens": b.Output, "num_model_requests": b.Requests,
	}
}

// anthropicCost states the amount in cents, as a string.
func anthropicCost(b Billed) object {
	return object{"currency": "USD", "amount": cents(b.Amount), "cost_type": "tokens", "model": b.Model,
		"description": b.Model + " Usage"}
}

func anthropicUsage(b Billed) object {
	return object{
		"model": b.Model, "api_key_id": b.Key, "uncached_input_tokens": b.Input, "cache_read_input_tokens": 0,
		"output_tokens":  b.Output,
		"cache_creation": object{"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
	}
}

// activity is the answer of OpenRouter, which has no pages.
func activity(b Bill, _ *http.Request) object {
	rows := []any{}
	for _, row := range b.Rows {
		if !slices.Contains(b.Missing, row.Day) {
			rows = append(rows, object{
				"date": row.Day, "model": row.Model, "usage": number(row.Amount), "requests": row.Requests,
				"prompt_tokens": row.Input, "completion_tokens": row.Output, "byok_usage_inference": 0,
			})
		}
	}
	return object{"data": rows}
}

// number is a decimal that is written into JSON digit by digit.
type number string

// MarshalJSON returns the digits.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// cents returns a decimal of dollars in cents: it moves the point by two digits.
func cents(usd string) string {
	units, fraction, _ := strings.Cut(usd, ".")
	fraction += "00"
	return fmt.Sprintf("%s%s.%s0", units, fraction[:2], fraction[2:])
}
