package tenant

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	statementdb "github.com/tollgate/tollgate/libs/store/statement"
)

// statement shows what happened to the quota of a tenant in a month. Amounts are in USD and exact.
type statement struct {
	From    time.Time       `json:"from" doc:"Start of the month, inclusive"`
	To      time.Time       `json:"to" doc:"End of the month, exclusive"`
	Opening money.Amount    `json:"opening" doc:"What was left when the month began"`
	Granted money.Amount    `json:"granted" doc:"Sum of the ledger entries; negative if more was taken back than granted"`
	Used    money.Amount    `json:"used" doc:"What the requests of the month cost"`
	Closing money.Amount    `json:"closing" doc:"opening + granted - used: what was left when the month ended, or what is left now"`
	Lines   []statementLine `json:"lines" doc:"Oldest first. The usage of a day follows the entries of the day. Days without usage are left out"`
}

// statementLine is an entry of the ledger, or the usage of a day in UTC.
type statementLine struct {
	EntryID *uuid.UUID   `json:"entry_id" nullable:"true" doc:"Id of the ledger entry; null for usage"`
	At      time.Time    `json:"at" doc:"Time of the entry, or start of the day"`
	Kind    string       `json:"kind" enum:"grant,adjustment,transfer,usage"`
	Reason  string       `json:"reason" doc:"Reason of the entry; empty for usage"`
	Amount  money.Amount `json:"amount" doc:"Negative for usage, and if quota is taken back"`
	Balance money.Amount `json:"balance" doc:"What was left after the line"`
}

// monthLayout is the layout of a month, such as 2026-11.
const monthLayout = "2006-01"

type statementQuery struct {
	Month    string    `query:"month" pattern:"^2[0-9]{3}-(0[1-9]|1[0-2])$" example:"2026-11" doc:"The month, in UTC. Defaults to the current one"`
	TenantID uuid.UUID `query:"tenant_id" doc:"The tenant. Defaults to the caller's; operators must name one"`
}

func registerStatements(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getStatement", Method: http.MethodGet, Path: "/statement", Tag: "quota", Scope: token.ReadUsage,
		Summary: "Get the statement of a month",
		Description: "Ledger entries and the usage of each day, with the balance after each. A month that has ended " +
			"changes only if a relay records a request of that month late. A request fails if the month has more " +
			"than 10,000 ledger entries. For admins and owners.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getStatement)
}

func (h *handlers) getStatement(ctx context.Context, in *statementQuery) (*api.Answer[statement], error) {
	from, err := time.Parse(monthLayout, cmp.Or(in.Month, h.Now().UTC().Format(monthLayout)))
	if err != nil {
		return nil, problem.New(problem.InvalidType, "month must be a month such as 2026-11.").At("month")
	}
	if in.TenantID == uuid.Nil {
		in.TenantID = api.CallerOf(ctx).User.TenantID
	}
	if in.TenantID == uuid.Nil {
		return nil, problem.New(problem.MissingParameter, "Name the tenant in tenant_id.").At("tenant_id")
	}
	made, err := h.Store.Statement.Of(ctx, api.ScopeOf(ctx), in.TenantID, from)
	if err != nil {
		return nil, err
	}
	lines := make([]statementLine, len(made.Lines))
	for i := range made.Lines {
		lines[i] = statementLineOf(&made.Lines[i])
	}
	return api.NewAnswer(statement{From: from, To: from.AddDate(0, 1, 0), Opening: made.Opening, Granted: made.Granted,
		Used: made.Used, Closing: made.Closing, Lines: lines}), nil
}

func statementLineOf(line *statementdb.Line) statementLine {
	kind := string(line.Kind)
	if kind == "" {
		kind = "usage"
	}
	return statementLine{EntryID: null.ID(line.EntryID), At: line.At, Kind: kind, Reason: line.Reason,
		Amount: line.Amount, Balance: line.Balance}
}
