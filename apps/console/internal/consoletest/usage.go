package consoletest

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// DrainUsage adds all recorded usage to the rollups.
func (s *Stack) DrainUsage() {
	s.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = s.Store.Rollup.DrainOutbox(s.Context(), System, 100)
		s.Must(err)
	}
}

// Supplied records a call of acme that cost the suppliers 0.003 USD for a failed attempt and 0.005 USD for the answer,
// and earned 0.009 USD.
func (s *Stack) Supplied() usage.Log {
	s.Helper()
	cost, err := s.Store.Catalog.CreateChannelCost(s.Context(), System, costsOf(s.Channel.ID))
	s.Must(err)
	amount := func(usd int64) *money.Amount { a := money.Amount(usd * 1_000_000); return &a }
	id := uuid.Must(uuid.NewV7())
	log := usage.Log{
		ID: id, CreatedAt: time.Now(), TenantID: s.Acme.ID, UserID: s.Acme.Member.ID, TokenID: s.Acme.Token.ID,
		GroupID: s.Group.ID, ChannelID: s.Channel.ID,
		Model: "gpt-4o-mini", UpstreamModel: "upstream-mini", Dialect: "chat", Outcome: usage.Success, Status: 200,
		Usage: usage.Usage{Input: 50_000},
		Cost:  9_000_000, Quota: 9_000_000, Formula: 1, SupplierCost: amount(8), CostID: cost.ID,
		Attempts: []usage.Attempt{
			{ChannelID: s.Channel.ID, Status: 200, Error: "error_body", Usage: &usage.Usage{Input: 3_133_731_337_313},
				SupplierCost: amount(3), CostID: cost.ID},
			{ChannelID: s.Channel.ID, Status: 200, SupplierCost: amount(5), CostID: cost.ID},
		},
	}
	_, err = s.Store.Metering.RecordEvents(s.Context(), System, uuid.New(), []usage.Event{{Log: log}})
	s.Must(err)
	_, err = s.Store.Rollup.DrainCosts(s.Context(), System, 0)
	s.Must(err)
	_, err = s.Store.Rollup.DrainOutbox(s.Context(), System, 0)
	s.Must(err)
	return log
}

// costsOf returns costs of 0.10 USD per 1M input tokens.
func costsOf(channel uuid.UUID) pricing.ChannelCost {
	input := money.Amount(100_000_000)
	return pricing.ChannelCost{ChannelID: channel, UpstreamModel: "upstream-mini", Factor: money.One,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &input}}}
}
