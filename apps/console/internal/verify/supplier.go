package verify

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// knowsCosts reports whether the versions of the costs that the log and its attempts name are loaded.
func (w *walker) knowsCosts(l *usage.Log) bool {
	knows := func(id uuid.UUID) bool {
		_, ok := w.costs[id]
		return ok || id == uuid.Nil
	}
	for i := range l.Attempts {
		if !knows(l.Attempts[i].CostID) {
			return false
		}
	}
	return knows(l.CostID)
}

// checkSupplied recomputes what the suppliers charge for a call. It returns the reason why the stored costs are wrong,
// or "" if they are right. Logs of earlier releases have no costs.
func (w *walker) checkSupplied(l *usage.Log) string {
	var sum money.Amount
	var lastCost uuid.UUID
	isComplete, billed := true, false
	for i := range l.Attempts {
		a := &l.Attempts[i]
		isLast := i == len(l.Attempts)-1
		switch {
		case a.CostID == uuid.Nil && a.SupplierCost == nil:
			isFree := a.Usage == nil &&
				(!isLast || a.Error != "" && l.Usage.Total() == 0 && l.Usage.Tools == (usage.Tools{}))
			isComplete = isComplete && isFree
			continue
		case a.SupplierCost == nil:
			return fmt.Sprintf("attempt %d has a cost_id without a supplier_cost", i+1)
		}
		u, outcome := a.Usage, usage.Failed
		if u == nil && isLast {
			u, outcome, lastCost = &l.Usage, l.Outcome, a.CostID
		}
		if u == nil {
			return fmt.Sprintf("attempt %d has a cost of the supplier, but reported no usage", i+1)
		}
		if reason := w.checkAttempt(l, a, outcome, u); reason != "" {
			return reason
		}
		sum, billed = money.Add(sum, *a.SupplierCost), true
	}
	switch {
	case lastCost != l.CostID:
		return fmt.Sprintf("the log names the costs %s, its last attempt %s", l.CostID, lastCost)
	case l.SupplierCost == nil && billed && isComplete:
		return fmt.Sprintf("the supplier's cost is missing, its attempts cost %s USD", sum)
	case l.SupplierCost != nil && (!billed || !isComplete || *l.SupplierCost != sum):
		return fmt.Sprintf("the stored cost of the supplier is %s USD, its attempts cost %s USD", *l.SupplierCost, sum)
	}
	return ""
}

// checkAttempt recomputes what the supplier charges for one attempt.
func (w *walker) checkAttempt(l *usage.Log, a *usage.Attempt, outcome usage.Outcome, u *usage.Usage) string {
	if fault := u.Fault(); fault != "" {
		return fault
	}
	if a.CostID == uuid.Nil {
		if u.ReportedCost != *a.SupplierCost {
			return fmt.Sprintf("the upstream reported a cost of %s USD, stored cost is %s USD, without a version of "+
				"costs", u.ReportedCost, *a.SupplierCost)
		}
		return ""
	}
	cost, exists := w.costs[a.CostID]
	switch {
	case !exists:
		return fmt.Sprintf("channel cost %s does not exist", a.CostID)
	case cost.ChannelID != a.ChannelID:
		return fmt.Sprintf("the channel cost is of channel %s, the attempt was at %s", cost.ChannelID, a.ChannelID)
	case a.Usage == nil && cost.UpstreamModel != l.UpstreamModel:
		return fmt.Sprintf("the channel cost is for model %s, the request was sent for %s", cost.UpstreamModel,
			l.UpstreamModel)
	}
	amount, err := cost.Cost(*u, outcome, l.Formula)
	switch {
	case err != nil:
		return err.Error()
	case amount != *a.SupplierCost:
		return fmt.Sprintf("recomputed cost of the supplier is %s USD, stored cost is %s USD", amount,
			*a.SupplierCost)
	}
	return ""
}
