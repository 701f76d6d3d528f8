package supplier

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/invoice"
)

// openRouterActivity is the path of OpenRouter's activity, for a management key. Read on 2026-11-23 in
// https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity: the last 30 completed UTC days by endpoint,
// in one answer, with date, model, usage (USD), requests, prompt_tokens and completion_tokens, and no key. What
// byok_usage_inference states is charged by another provider.
const openRouterActivity = "/api/v1/activity"

// openRouterDays is the number of days in the answer of openRouterActivity.
const openRouterDays = 30

// openRouterPage is the answer of openRouterActivity.
type openRouterPage struct {
	Data []struct {
		Date     string          `json:"date"` // 2025-08-24, in some answers with a time
		Model    string          `json:"model"`
		Usage    invoice.Decimal `json:"usage"`
		Requests invoice.Decimal `json:"requests"`
		Input    invoice.Decimal `json:"prompt_tokens"`
		Output   invoice.Decimal `json:"completion_tokens"`
	} `json:"data"`
}

// fetchOpenRouter adds the activity of the account to the book.
func fetchOpenRouter(ctx context.Context, c *client, w window, book *invoice.Book) error {
	c.header = http.Header{"Authorization": {"Bearer " + c.credential}}
	w.from = max(w.from, w.to.Add(-openRouterDays)) // earlier days are missing, not without charges
	var page openRouterPage
	if err := c.get(ctx, openRouterActivity, url.Values{}, &page); err != nil {
		return err
	}
	return page.add(w, book)
}

// add adds the activity to the book. Days without activity are missing in it, so all days of the window up to the
// newest one with activity count as reported.
func (p *openRouterPage) add(w window, book *invoice.Book) error {
	var newest invoice.Day
	for i := range p.Data {
		r := &p.Data[i]
		day, ok := invoice.ParseDay(r.Date[:min(len(r.Date), len("2006-01-02"))])
		if !ok {
			return fmt.Errorf("%.20q is not a day", r.Date)
		}
		if !w.inside(day) {
			continue
		}
		newest = max(newest, day)
		input, inputErr := r.Input.Count()
		output, outputErr := r.Output.Count()
		requests, requestsErr := r.Requests.Count()
		if err := errors.Join(
			inputErr, outputErr, requestsErr, book.Charge(day, r.Model, "", r.Usage, invoice.Dollars),
			book.Tokens(day, r.Model, "", input, output), book.Requests(day, r.Model, "", requests),
		); err != nil {
			return err
		}
	}
	for day := w.from; newest != "" && day <= newest; day = day.Add(1) {
		book.Mark(day)
	}
	return nil
}
