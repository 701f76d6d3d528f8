package pipeline

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// supply sets what upstreams charge for the call: for each attempt that was charged, and the sum in the log. An attempt was
// charged if the upstream reported usage although it failed, or if its answer is charged to the tenant (charged). The sum stays
// unknown if the costs of one of these attempts are not known.
//
// The costs are those of the channel at the time at which the relay accepted the call, or else what the upstream reports.
func (x *exchange) supply(charged bool) {
	log := &x.log
	var sum money.Amount
	known, billed := true, false
	for i := range log.Attempts {
		a := &log.Attempts[i]
		answered := charged && i == len(log.Attempts)-1
		used, outcome := a.Usage, usage.Failed
		if answered {
			used, outcome = &log.Usage, log.Outcome
		}
		if used == nil {
			continue
		}
		billed = true
		version, amount, ok := x.supplied(a.ChannelID, used, outcome)
		if !ok {
			known = false
			continue
		}
		a.CostID, a.SupplierCost = version, &amount
		sum = money.Add(sum, amount)
		if answered {
			log.CostID = version
		}
	}
	if !billed {
		return
	}
	log.Formula = pricing.Formula
	if known {
		total := sum // only a call with a cost allocates it
		log.SupplierCost = &total
	}
}

// supplied returns what the channel's upstream charges for the usage, and the version of the costs. Without costs of the channel it
// is the amount that the upstream itself reports, without a version. ok is false if neither is known, or if the counts are
// implausibly large.
func (x *exchange) supplied(channel uuid.UUID, used *usage.Usage, outcome usage.Outcome) (version uuid.UUID, amount money.Amount, ok bool) {
	cost := x.costOf(channel)
	if cost == nil {
		return uuid.Nil, used.ReportedCost, used.ReportedCost > 0
	}
	amount, err := cost.Cost(*used, outcome, pricing.Formula)
	return cost.ID, amount, err == nil
}

// costOf returns the version of the channel's costs for the model of the call, or nil if there is none.
func (x *exchange) costOf(channel uuid.UUID) *pricing.ChannelCost {
	if x.snapshot.Costs == nil {
		return nil
	}
	c := x.snapshot.Channel(channel)
	if c == nil {
		return nil
	}
	return x.snapshot.Costs.Find(channel, c.Models[x.log.Model], x.log.CreatedAt)
}
