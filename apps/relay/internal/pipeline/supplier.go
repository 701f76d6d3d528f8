package pipeline

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// supply sets what upstreams charge for the call: for each attempt that was charged, and the sum in the log. An attempt
// was charged if the upstream reported usage although it failed, or if its answer is charged to the tenant (isCharged).
// The sum stays unknown if the costs of one of these attempts are not known.
//
// The costs are those of the channel at the time at which the relay accepted the call, or else what the upstream
// reports.
func (x *exchange) supply(isCharged bool) {
	log := &x.log
	var sum money.Amount
	isKnown, isBilled := true, false
	for i := range log.Attempts {
		a := &log.Attempts[i]
		isAnswer := isCharged && i == len(log.Attempts)-1
		u, outcome := a.Usage, usage.Failed
		if isAnswer {
			u, outcome = &log.Usage, log.Outcome
			a.Usage = nil // the log has it
		}
		if u == nil {
			continue
		}
		isBilled = true
		version, amount, ok := x.supplied(a.ChannelID, u, outcome)
		if !ok {
			isKnown = false
			continue
		}
		a.CostID, a.SupplierCost = version, &amount
		sum = money.Add(sum, amount)
		if isAnswer {
			log.CostID = version
		}
	}
	if !isBilled {
		return
	}
	log.Formula = pricing.Formula
	if isKnown {
		total := sum // only a call with a cost allocates it
		log.SupplierCost = &total
	}
}

// supplied returns what the channel's upstream charges for the usage, and the version of the costs. Without costs of
// the channel it is the amount that the upstream itself reports, without a version. ok is false if neither is known, or
// if the counts are implausibly large.
func (x *exchange) supplied(channel uuid.UUID, u *usage.Usage,
	outcome usage.Outcome) (version uuid.UUID, amount money.Amount, ok bool) {
	cost := x.costOf(channel)
	if cost == nil {
		return uuid.Nil, u.ReportedCost, u.ReportedCost > 0
	}
	amount, err := cost.Cost(*u, outcome, pricing.Formula)
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
