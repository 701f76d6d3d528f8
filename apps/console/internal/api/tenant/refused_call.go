package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/refusal"
)

// RefusedCall describes a call that was refused before a channel was called.
type RefusedCall struct {
	ID        uuid.UUID `json:"id" doc:"Id of the request, which the client also received in the header x-request-id"`
	CreatedAt time.Time `json:"created_at" doc:"When the request arrived"`
	TenantID  uuid.UUID `json:"tenant_id"`
	Tenant    string    `json:"tenant,omitempty" doc:"Name of the tenant. Only operators see it"`
	UserID    uuid.UUID `json:"user_id"`
	UserEmail string    `json:"user_email"`
	TokenID   uuid.UUID `json:"token_id"`
	TokenName string    `json:"token_name" doc:"Name of the token, even if the token is revoked"`
	Endpoint  string    `json:"endpoint" doc:"The endpoint that the client called: chat, responses, messages, embeddings or count_tokens"`
	Model     string    `json:"model" doc:"The model that the client asked for; empty if the request was refused before it was read"`
	Status    int       `json:"status" doc:"HTTP status that the client received"`
	Code      string    `json:"code" doc:"The reason, such as rate_limit_exceeded"`
	Param     string    `json:"param" doc:"Path of the field at fault; empty for none"`
	Message   string    `json:"message" doc:"Text of the error that the client received, at most 500 bytes"`

	Client *LogClient `json:"client,omitempty" doc:"From where and with which program the request came; absent if the operator has turned that off"`
}

// RefusedCallTotals counts refused calls by reason.
type RefusedCallTotals struct {
	Calls   int64           `json:"calls" doc:"Number of all refused calls, also of those that are not listed"`
	Reasons []RefusalReason `json:"reasons" maxItems:"100" doc:"The most frequent reason first"`
}

// RefusalReason is the number of calls that were refused for one reason.
type RefusalReason struct {
	Code  string `json:"code" doc:"The reason, such as rate_limit_exceeded"`
	Calls int64  `json:"calls"`
}

type refusedCallQuery struct {
	api.PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Only calls of this tenant. For operators"`
	UserID   uuid.UUID `query:"user_id" doc:"Only calls of this user"`
	TokenID  uuid.UUID `query:"token_id" doc:"Only calls with this token"`
	Model    string    `query:"model" maxLength:"200" doc:"Only calls for this model"`
	Code     string    `query:"code" maxLength:"200" doc:"Only calls that were refused for this reason"`
	From     time.Time `query:"from" doc:"Start, inclusive"`
	To       time.Time `query:"to" doc:"End, exclusive"`
}

type refusedTotalsQuery struct {
	TenantID uuid.UUID `query:"tenant_id" doc:"Only calls of this tenant. For operators"`
	UserID   uuid.UUID `query:"user_id" doc:"Only calls of this user"`
	From     time.Time `query:"from" doc:"Start. Its whole hour in UTC is counted"`
	To       time.Time `query:"to" doc:"End, exclusive. The whole hour in UTC before it is counted"`
}

func registerRefusedCalls(h *handlers) {
	const note = "They cost nothing, are in no usage log and no total, are deleted after seven days, and some may be " +
		"missing after a failure. "
	api.Register(h.API, api.Operation{
		ID: "listRefusedCalls", Method: http.MethodGet, Path: "/refused-calls", Tag: "usage", Scope: token.ReadUsage,
		Summary: "List refused calls",
		Description: "Calls of a known token that were refused before a channel was called, such as for a rate " +
			"limit, the quota or an unknown model, newest first. " + note + "At most 100 calls of a tenant in an " +
			"hour are listed; getRefusedCallTotals counts all. Members see their own calls, admins and owners those " +
			"of their tenant, operators all.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listRefusedCalls)
	api.Register(h.API, api.Operation{
		ID: "getRefusedCall", Method: http.MethodGet, Path: "/refused-calls/{id}", Tag: "usage",
		Scope: token.ReadUsage, Summary: "Get a refused call", Description: "See listRefusedCalls.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getRefusedCall)
	api.Register(h.API, api.Operation{
		ID: "getRefusedCallTotals", Method: http.MethodGet, Path: "/refused-call-totals", Tag: "usage",
		Scope: token.ReadUsage, Summary: "Count refused calls",
		Description: "Counts all refused calls by reason, also those that are not listed, in whole hours. " + note,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getRefusedCallTotals)
}

func (h *handlers) listRefusedCalls(ctx context.Context,
	in *refusedCallQuery) (*api.Answer[api.List[RefusedCall]], error) {
	if err := api.CheckRange(in.From, in.To); err != nil {
		return nil, err
	}
	var answer *api.Answer[api.List[RefusedCall]]
	err := h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
		page, err := s.Refusal.Calls(ctx, api.ScopeOf(ctx), refusal.Query{
			TenantID: in.TenantID, UserID: in.UserID, TokenID: in.TokenID, Model: in.Model, Code: in.Code,
			From: in.From, To: in.To, Page: in.Page(),
		})
		if err != nil {
			return err
		}
		names, err := refusedNames(ctx, s, page.Items...)
		if err != nil {
			return err
		}
		answer = api.PageOf(page, func(c *usage.Refusal) RefusedCall { return refusedCallOf(c, names) })
		return nil
	})
	return answer, err
}

func (h *handlers) getRefusedCall(ctx context.Context, in *api.ByID) (answer *api.Answer[RefusedCall], err error) {
	err = h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
		call, err := s.Refusal.Call(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return err
		}
		names, err := refusedNames(ctx, s, call)
		answer = api.NewAnswer(refusedCallOf(&call, names))
		return err
	})
	return answer, err
}

// refusedNames loads the names of the resources to which the calls refer.
func refusedNames(ctx context.Context, s *store.Store, calls ...usage.Refusal) (logNames, error) {
	logs := make([]usage.Log, 0, len(calls))
	for i := range calls {
		logs = append(logs, usage.Log{TokenID: calls[i].TokenID, UserID: calls[i].UserID, TenantID: calls[i].TenantID})
	}
	return namesOf(ctx, s, logs...)
}

func refusedCallOf(c *usage.Refusal, names logNames) RefusedCall {
	var client *LogClient
	if c.Address.IsValid() {
		client = &LogClient{c.Address.String(), c.Agent}
	}
	return RefusedCall{
		ID: c.ID, CreatedAt: c.CreatedAt.UTC(), TenantID: c.TenantID, Tenant: names.tenants[c.TenantID],
		UserID: c.UserID, UserEmail: names.users[c.UserID], TokenID: c.TokenID, TokenName: names.tokens[c.TokenID],
		Endpoint: c.Dialect, Model: c.Model, Status: c.Status, Code: c.Code, Param: c.Param, Message: c.Message,
		Client: client,
	}
}

func (h *handlers) getRefusedCallTotals(ctx context.Context,
	in *refusedTotalsQuery) (*api.Answer[RefusedCallTotals], error) {
	if err := api.CheckRange(in.From, in.To); err != nil {
		return nil, err
	}
	reasons, err := h.Store.Refusal.Reasons(ctx, api.ScopeOf(ctx), refusal.Query{TenantID: in.TenantID,
		UserID: in.UserID, From: in.From, To: in.To})
	if err != nil {
		return nil, err
	}
	body := RefusedCallTotals{Reasons: make([]RefusalReason, 0, len(reasons))}
	for _, reason := range reasons {
		body.Calls += reason.Calls
		body.Reasons = append(body.Reasons, RefusalReason(reason))
	}
	return api.NewAnswer(body), nil
}
