package upstream

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api/tokencount"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/probe"
)

// ChannelCallReceipt is the last event of callChannel.
type ChannelCallReceipt struct {
	OK        bool   `json:"ok" doc:"Whether the answer is complete"`
	Mask      string `json:"mask" doc:"Mask of the credential; empty for a channel without credentials"`
	Status    int    `json:"status" doc:"HTTP status of the upstream; 0 if it did not respond"`
	Error     string `json:"error" doc:"Error code, as of testChannel; empty on success"`
	Detail    string `json:"detail" doc:"What the upstream answered in place of a model's answer, at most 16 KiB, without the credential; empty for a request with an access key"`
	LatencyMS int64  `json:"latency_ms" doc:"Time until the end of the answer"`

	ConnectMS    int64  `json:"connect_ms" doc:"Time until the connection was made, as part of latency_ms; 0 if there was none"`
	FirstByteMS  int64  `json:"first_byte_ms" doc:"Time until the first byte of the response, as part of latency_ms; 0 if there was none"`
	FirstTokenMS *int64 `json:"first_token_ms,omitempty" doc:"Time until the first text, reasoning or call of a tool, as part of latency_ms; absent without one"`

	Tokens       *tokencount.TokenCounts `json:"tokens,omitempty" doc:"As the upstream reported them; absent if it reported none"`
	Price        *money.Amount           `json:"price,omitempty" doc:"What the tokens cost by the current price of the model, without the rule of a group; absent if the model has no price, or without tokens"`
	SupplierCost *money.Amount           `json:"supplier_cost,omitempty" doc:"What the upstream charges by the costs of the channel, or as it states itself; absent if that is not known"`
}

// newReceipt returns the receipt of a result, without amounts.
func newReceipt(result *probe.ChatResult) ChannelCallReceipt {
	r := ChannelCallReceipt{
		OK: result.Error == "", Status: result.Status, Error: result.Error, Detail: result.Detail,
		LatencyMS: result.Latency.Milliseconds(), ConnectMS: result.Connect.Milliseconds(),
		FirstByteMS: result.FirstByte.Milliseconds(),
	}
	if result.FirstToken > 0 {
		ms := result.FirstToken.Milliseconds()
		r.FirstTokenMS = &ms
	}
	if result.Usage != nil {
		tokens := tokencount.Of(*result.Usage)
		r.Tokens = &tokens
	}
	return r
}

// calledModel is a model of a channel, and the time whose prices count.
type calledModel struct {
	channel *catalog.Channel
	id      string
	at      time.Time
}

// charge sets what the call would have cost a tenant without a rule, and what the upstream charges for it, by the rules
// of the relay.
func (r *ChannelCallReceipt) charge(s *snapshot.Snapshot, model *calledModel, result *probe.ChatResult) {
	u := result.Usage
	if u == nil {
		return
	}
	outcome := usage.Success
	if result.Error != "" {
		outcome = usage.Failed
	}
	if terms, ok := s.Book.Terms(model.id, uuid.Nil, model.at); ok {
		terms = terms.For(outcome, pricing.Formula)
		if price, err := terms.Cost(*u); err == nil { // it fails only for implausible numbers of tokens
			r.Price = &price
		}
	}
	cost := s.Costs.Find(model.channel.ID, model.channel.Models[model.id], model.at)
	switch {
	case cost != nil:
		if amount, err := cost.Cost(*u, outcome, pricing.Formula); err == nil {
			r.SupplierCost = &amount
		}
	case u.ReportedCost > 0:
		amount := u.ReportedCost
		r.SupplierCost = &amount
	}
}
