package tenant

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
)

// TokenClients lists the clients of a token.
type TokenClients struct {
	Items []TokenClient `json:"items" maxItems:"101" doc:"The client of the latest call first"`
}

// TokenClient describes a client of a token.
type TokenClient struct {
	ID      uuid.UUID `json:"id,omitzero" doc:"For the parameter client_id of listUsageLogs; absent for all further clients together"`
	Address string    `json:"address" doc:"IP address; empty: all further clients of the token together"`
	Agent   string    `json:"agent" doc:"Value of the header User-Agent, at most 256 bytes; empty for none, and for further clients"`
	FirstAt time.Time `json:"first_at" doc:"When the first call arrived"`
	LastAt  time.Time `json:"last_at" doc:"When the latest call arrived"`
	Calls   int64     `json:"calls" doc:"Number of calls that reached a model, whether they succeeded or not"`
}

func registerTokenClients(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listTokenClients", Method: http.MethodGet, Path: "/tokens/{id}/clients", Tag: "tokens",
		Scope: token.ReadUsage, Summary: "List the clients of a token",
		Description: "From which addresses and with which programs the token called models. At most 100 combinations " +
			"of address and user agent are listed; one more item, without them, counts the calls of all others. " +
			"Relays write them every few seconds, and some calls may be missing after a failure: usage logs are " +
			"exact. A client that was not used for the time that the operator has configured is deleted.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listTokenClients)
}

func (h *handlers) listTokenClients(ctx context.Context, in *api.ByID) (answer *api.Answer[TokenClients], err error) {
	err = h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
		if _, err := s.Token.Token(ctx, api.ScopeOf(ctx), in.ID); err != nil {
			return err
		}
		clients, err := s.Client.OfToken(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return err
		}
		body := TokenClients{Items: make([]TokenClient, 0, len(clients))}
		for i := range clients {
			body.Items = append(body.Items, tokenClientOf(&clients[i]))
		}
		answer = api.NewAnswer(body)
		return nil
	})
	return answer, err
}

func tokenClientOf(c *usage.Client) TokenClient {
	client := TokenClient{Agent: c.Agent, FirstAt: c.FirstAt.UTC(), LastAt: c.LastAt.UTC(), Calls: c.Calls}
	if c.Address.IsValid() {
		client.ID, client.Address = c.ID, c.Address.String()
	}
	return client
}

// client returns the client with the id in the parameter client_id.
func (h *handlers) client(ctx context.Context, id uuid.UUID) (usage.Client, error) {
	client, err := h.Store.Client.Client(ctx, api.ScopeOf(ctx), id)
	if problem.Is(err, problem.NotFound) {
		err = problem.New(problem.NotFound, "There is no such client.").At("client_id")
	}
	return client, err
}

// marksOf returns the marks that usage logs have for calls of the client.
func (h *handlers) marksOf(c *usage.Client) []int64 {
	return h.Sealer.ClientMarks(c.TokenID, c.Address, c.Agent)
}

// LogClient describes the client of a call.
type LogClient struct {
	Address string `json:"address" doc:"IP address"`
	Agent   string `json:"agent" doc:"Value of the header User-Agent, at most 256 bytes; empty for none"`
}

// clientOf returns the client from which the call of a log came, or nil if it is not stored.
func (h *handlers) clientOf(ctx context.Context, s *store.Store, log *usage.Log) (*LogClient, error) {
	if log.Client == 0 {
		return nil, nil
	}
	clients, err := s.Client.OfToken(ctx, api.ScopeOf(ctx), log.TokenID)
	if err != nil {
		return nil, err
	}
	for i := range clients {
		if slices.Contains(h.marksOf(&clients[i]), log.Client) && clients[i].Address.IsValid() {
			return &LogClient{clients[i].Address.String(), clients[i].Agent}, nil
		}
	}
	return nil, nil
}
