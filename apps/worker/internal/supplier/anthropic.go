package supplier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/invoice"
)

// The paths of Anthropic's reports, for an admin key of the organization. Read on 2026-11-23 in
// https://platform.claude.com/docs/en/api/admin/cost_report (amount: a decimal string of cents; by description: model,
// cost_type, null for other groups; buckets of one day) and
// https://platform.claude.com/docs/en/manage-claude/usage-cost-api (usage by model and api_key_id; 31 buckets of one
// day at most; no numbers of requests; the costs of the priority tier are not in the cost report). Both return pages
// with has_more and next_page.
const (
	anthropicCosts = "/v1/organizations/cost_report"
	anthropicUsage = "/v1/organizations/usage_report/messages"
)

// anthropicCostPage is a page of anthropicCosts.
type anthropicCostPage struct {
	cursor
	Data []struct {
		StartingAt time.Time `json:"starting_at"`
		Results    []struct {
			Amount      invoice.Decimal `json:"amount"` // in cents
			Currency    string          `json:"currency"`
			Model       string          `json:"model"`     // null for costs that are not of tokens
			CostType    string          `json:"cost_type"` // tokens, web_search, code_execution
			Description string          `json:"description"`
		} `json:"results"`
	} `json:"data"`
}

// anthropicUsagePage is a page of anthropicUsage.
type anthropicUsagePage struct {
	cursor
	Data []struct {
		StartingAt time.Time `json:"starting_at"`
		Results    []struct {
			Model         string          `json:"model"`
			KeyID         string          `json:"api_key_id"` // null for the playground of the provider
			Uncached      invoice.Decimal `json:"uncached_input_tokens"`
			CacheRead     invoice.Decimal `json:"cache_read_input_tokens"`
			Output        invoice.Decimal `json:"output_tokens"`
			CacheCreation struct {
				Hour        invoice.Decimal `json:"ephemeral_1h_input_tokens"`
				FiveMinutes invoice.Decimal `json:"ephemeral_5m_input_tokens"`
			} `json:"cache_creation"`
		} `json:"results"`
	} `json:"data"`
}

// fetchAnthropic adds the cost and the usage report of the organization to the book.
func fetchAnthropic(ctx context.Context, c *client, w window, book *invoice.Book) error {
	c.header = http.Header{"X-Api-Key": {c.credential}, "Anthropic-Version": {"2023-06-01"}}
	query := func(group ...string) url.Values {
		return url.Values{
			"starting_at": {w.from.Start().Format(time.RFC3339)}, "ending_at": {w.to.Start().Format(time.RFC3339)},
			"bucket_width": {"1d"}, "limit": {"31"}, "group_by[]": group,
		}
	}
	err := c.pages(ctx, anthropicCosts, query("description"), func(ctx context.Context, q url.Values) (string, error) {
		var page anthropicCostPage
		if err := c.get(ctx, anthropicCosts, q, &page); err != nil {
			return "", err
		}
		return page.add(w, book)
	})
	if err != nil {
		return err
	}
	return c.pages(ctx, anthropicUsage, query("model",
		"api_key_id"), func(ctx context.Context, q url.Values) (string, error) {
		var page anthropicUsagePage
		if err := c.get(ctx, anthropicUsage, q, &page); err != nil {
			return "", err
		}
		return page.add(w, book)
	})
}

// add adds the page to the book and returns the token of the next page.
func (p *anthropicCostPage) add(w window, book *invoice.Book) (string, error) {
	for i := range p.Data {
		day, inside, err := w.dayAt(p.Data[i].StartingAt)
		if err != nil {
			return "", err
		}
		if !inside {
			continue
		}
		book.Mark(day)
		for _, r := range p.Data[i].Results {
			if !strings.EqualFold(r.Currency, "usd") {
				return "", fmt.Errorf("an amount is in %.10q, not in USD", r.Currency)
			}
			model := cmp.Or(r.Model, r.CostType, r.Description)
			if err := book.Charge(day, model, "", r.Amount, invoice.Cents); err != nil {
				return "", err
			}
		}
	}
	return p.next()
}

// add adds the page to the book and returns the token of the next page.
func (p *anthropicUsagePage) add(w window, book *invoice.Book) (string, error) {
	for i := range p.Data {
		day, inside, err := w.dayAt(p.Data[i].StartingAt)
		if err != nil {
			return "", err
		}
		if !inside {
			continue
		}
		for _, r := range p.Data[i].Results {
			var input int64
			for _, class := range []invoice.Decimal{r.Uncached, r.CacheRead, r.CacheCreation.Hour,
				r.CacheCreation.FiveMinutes} {
				n, err := class.Count()
				if err != nil {
					return "", err
				}
				input += n
			}
			output, err := r.Output.Count()
			if err := errors.Join(err, book.Tokens(day, r.Model, r.KeyID, input, output)); err != nil {
				return "", err
			}
		}
	}
	return p.next()
}
