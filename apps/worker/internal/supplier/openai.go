package supplier

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/invoice"
)

// The paths of OpenAI's reports, for an admin key of the organization. Read on 2026-11-23 in the API reference:
// https://platform.openai.com/docs/api-reference/usage/costs (costs: amount.value in amount.currency, line_item,
// api_key_id, by group_by=line_item,api_key_id; buckets of one day, limit at most 180) and
// https://platform.openai.com/docs/api-reference/usage/completions (input_tokens including cached ones, output_tokens,
// num_model_requests, by group_by=model,api_key_id; limit at most 31). Both return pages with has_more and next_page.
const (
	openAICosts = "/v1/organization/costs"
	openAIUsage = "/v1/organization/usage/completions"
)

// openAICostPage is a page of openAICosts.
type openAICostPage struct {
	cursor
	Data []struct {
		StartTime int64 `json:"start_time"`
		Results   []struct {
			Amount *struct {
				Value    invoice.Decimal `json:"value"` // a float with up to 30 digits, or a string
				Currency string          `json:"currency"`
			} `json:"amount"`
			LineItem string `json:"line_item"`
			KeyID    string `json:"api_key_id"`
		} `json:"results"`
	} `json:"data"`
}

// openAIUsagePage is a page of openAIUsage.
type openAIUsagePage struct {
	cursor
	Data []struct {
		StartTime int64 `json:"start_time"`
		Results   []struct {
			Model    string          `json:"model"`
			KeyID    string          `json:"api_key_id"`
			Input    invoice.Decimal `json:"input_tokens"`
			Output   invoice.Decimal `json:"output_tokens"`
			Requests invoice.Decimal `json:"num_model_requests"`
		} `json:"results"`
	} `json:"data"`
}

// fetchOpenAI adds the costs and the usage of the organization to the book.
func fetchOpenAI(ctx context.Context, c *client, w window, book *invoice.Book) error {
	c.header = http.Header{"Authorization": {"Bearer " + c.credential}}
	query := func(group ...string) url.Values {
		return url.Values{
			"start_time":   {strconv.FormatInt(w.from.Start().Unix(), 10)},
			"end_time":     {strconv.FormatInt(w.to.Start().Unix(), 10)},
			"bucket_width": {"1d"}, "limit": {"31"}, "group_by": group,
		}
	}
	err := c.pages(ctx, openAICosts, query("line_item",
		"api_key_id"), func(ctx context.Context, q url.Values) (string, error) {
		var page openAICostPage
		if err := c.get(ctx, openAICosts, q, &page); err != nil {
			return "", err
		}
		return page.add(w, book)
	})
	if err != nil {
		return err
	}
	return c.pages(ctx, openAIUsage, query("model",
		"api_key_id"), func(ctx context.Context, q url.Values) (string, error) {
		var page openAIUsagePage
		if err := c.get(ctx, openAIUsage, q, &page); err != nil {
			return "", err
		}
		return page.add(w, book)
	})
}

// add adds the page to the book and returns the token of the next page.
func (p *openAICostPage) add(w window, book *invoice.Book) (string, error) {
	for i := range p.Data {
		day, inside, err := w.dayAtUnix(p.Data[i].StartTime)
		if err != nil {
			return "", err
		}
		if !inside {
			continue
		}
		book.Mark(day)
		for _, r := range p.Data[i].Results {
			if r.Amount == nil {
				continue
			}
			if !strings.EqualFold(r.Amount.Currency, "usd") {
				return "", fmt.Errorf("an amount is in %.10q, not in USD", r.Amount.Currency)
			}
			if err := book.Charge(day, modelOf(r.LineItem), r.KeyID, r.Amount.Value, invoice.Dollars); err != nil {
				return "", err
			}
		}
	}
	return p.next()
}

// modelOf returns the model of a line item such as "gpt-4o-2024-08-06, cached input": the part before the comma. Other
// line items, such as "web search tool calls", are returned as they are.
func modelOf(item string) string {
	model, _, _ := strings.Cut(item, ",")
	return strings.TrimSpace(model)
}

// add adds the page to the book and returns the token of the next page.
func (p *openAIUsagePage) add(w window, book *invoice.Book) (string, error) {
	for i := range p.Data {
		day, inside, err := w.dayAtUnix(p.Data[i].StartTime)
		if err != nil {
			return "", err
		}
		if !inside {
			continue
		}
		for _, r := range p.Data[i].Results {
			input, inputErr := r.Input.Count()
			output, outputErr := r.Output.Count()
			requests, requestsErr := r.Requests.Count()
			if err := errors.Join(inputErr, outputErr, requestsErr, book.Tokens(day, r.Model, r.KeyID, input,
				output), book.Requests(day, r.Model, r.KeyID, requests)); err != nil {
				return "", err
			}
		}
	}
	return p.next()
}
