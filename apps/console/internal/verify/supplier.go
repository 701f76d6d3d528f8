package verify

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// knowsCosts reports whether the versions of the costs that the log and its attempts name are loaded.
func (w *walker) knowsCosts(l *usage.Log) bool {
	known := func(id uuid.UUID) bool {
		_, known := w.costs[id]
		return known || id == uuid.Nil
	}
	for i := range l.Attempts {
		if !known(l.Attempts[i].CostID) {
			return false
		}
	}
	return known(l.CostID)
}

// checkSupplied recomputes what the suppliers charge for a call. It returns the reason why the stored costs are wrong,
// or "" if they are right. Logs of earlier releases have no costs.
func (w *walker) checkSupplied(l *usage.Log) string {
	var sum money.Amount
	var answered uuid.UUID
	known, billed := true, false
	for i := range l.Attempts {
		a := &l.Attempts[i]
		last := i == len(l.Attempts)-1
		switch {
		case a.CostID == uuid.Nil && a.SupplierCost == nil:
			unbilled := a.Usage == nil &&
				(!last || a.Error != "" && l.Usage.Total() == 0 && l.Usage.Tools == (usage.Tools{}))
			known = known && unbilled
			continue
		case a.SupplierCost == nil:
			return fmt.Sprintf("attempt %d has a cost_id without a supplier_cost", i+1)
		}
		used, outcome := a.Usage, usage.Failed
		if used == nil && last {
			used, outcome, answered = &l.Usage, l.Outcome, a.CostID
		}
		if used == nil {
			return fmt.Sprintf("attempt %d has a cost of the supplier, but reported no usage", i+1)
		}
		if reason := w.checkAttempt(l, a, outcome, used); reason != "" {
			return reason
		}
		sum, billed = money.Add(sum, *a.SupplierCost), true
	}
	switch {
	case answered != l.CostID:
		return fmt.Sprintf("the log names the costs %s, its last attempt %s", l.CostID, answered)
	case l.SupplierCost == nil && billed && known:
		return fmt.Sprintf("the supplier's cost is missing, its attempts cost %s USD", sum)
	case l.SupplierCost != nil && (!billed || !known || *l.SupplierCost != sum):
		return fmt.Sprintf("the stored cost of the supplier is %s USD, its attempts cost %s USD", *l.SupplierCost, sum)
	}
	return ""
}

// checkAttempt recomputes what the supplier charges for one attempt.
func (w *walker) checkAttempt(l *usage.Log, a *usage.Attempt, outcome usage.Outcome, used *usage.Usage) string {
	if fault := used.Fault(); fault != "" {
		return fault
	}
	if a.CostID == uuid.Nil {
		if used.ReportedCost != *a.SupplierCost {
			return fmt.Sprintf("the upstream reported a cost of %s USD, stored cost is %s USD, without a version of "+
				"costs", used.ReportedCost, *a.SupplierCost)
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
	recomputed, err := cost.Cost(*used, outcome, l.Formula)
	switch {
	case err != nil:
		return err.Error()
	case recomputed != *a.SupplierCost:
		return fmt.Sprintf("recomputed cost of the supplier is %s USD, stored cost is %s USD", recomputed,
			*a.SupplierCost)
	}
	return ""
}
