package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
)

// TokenClients lists the clients of a token.
type TokenClients struct {
	Items []TokenClient `json:"items" maxItems:"21" doc:"The client of the latest call first"`
}

// TokenClient describes a client of a token.
type TokenClient struct {
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
		Description: "From which addresses and with which programs the token called models. At most 20 combinations " +
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
	shown := TokenClient{Agent: c.Agent, FirstAt: c.FirstAt.UTC(), LastAt: c.LastAt.UTC(), Calls: c.Calls}
	if c.Address.IsValid() {
		shown.Address = c.Address.String()
	}
	return shown
}
