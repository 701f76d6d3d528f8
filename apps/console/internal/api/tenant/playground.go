package tenant

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// playgroundTokenLife is the time after which a token of the playground expires.
const playgroundTokenLife = time.Hour

// PlaygroundCall is the body of a call to the relay. Only the fields that the pages
// need are documented here; the relay's own OpenAPI document describes all of them.
type PlaygroundCall struct {
	Model  string   `json:"model" doc:"Id of the model"`
	Stream bool     `json:"stream,omitempty" doc:"Whether to return the response as a stream of server-sent events"`
	_      struct{} `additionalProperties:"true"`
}

// PlaygroundAnswer is the relay's response, which the console passes on unchanged.
type PlaygroundAnswer struct {
	_ struct{} `additionalProperties:"true"`
}

// playgroundInput holds the parameters of a forwarded call.
// The body is not among them: the playground reads it itself.
type playgroundInput struct {
	Token string `header:"X-Tollgate-Token" required:"true" minLength:"1" maxLength:"512" pattern:"^[!-~]+$" doc:"The API token with which the relay is called"`
}

const playgroundNote = "Passes the body to the relay unchanged, and returns the relay's status, its body and its " +
	"headers x-request-id, x-tollgate-*, x-ratelimit-* and retry-after. Errors of the relay have the relay's error " +
	"object; errors of the console are problem documents. A user may have at most 8 calls in flight, with bodies of " +
	"up to 4 MiB."

func registerPlaygrounds(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createPlaygroundToken", Method: http.MethodPost, Path: "/playground/token", Tag: "playground",
		Scope: token.WriteTokens, Summary: "Create a token for the playground",
		Description: "The token belongs to the caller and expires after one hour. The response contains its value, " +
			"which is never shown again. Revokes the caller's previous playground token.",
		Status: http.StatusCreated, Errors: []int{http.StatusConflict},
	}, h.createPlaygroundToken)
	h.registerForward("createPlaygroundChatCompletion", "/chat/completions",
		"Create a chat completion through the relay")
	h.registerForward("createPlaygroundResponse", "/responses", "Create a response through the relay")
	h.registerForward("listPlaygroundModels", "/models", "List the models that the relay offers to the token")
}

// registerForward adds an operation that forwards to the same path below /v1 of the
// relay. All of them are POST operations with a body, except the one that lists models.
func (h *handlers) registerForward(id, path, summary string) {
	op := api.Operation{
		ID: id, Method: http.MethodPost, Path: "/playground" + path, Tag: "playground", Scope: token.WriteTokens,
		Summary: summary, Description: playgroundNote,
		Errors: []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusBadGateway,
			http.StatusGatewayTimeout},
		Middlewares: huma.Middlewares{h.WithClient}, Body: api.ForwardBody, NoEntry: true,
	}
	if path == "/models" {
		op.Method, op.Scope = http.MethodGet, token.ReadTokens
	}
	api.Register(h.API, op, h.forward("/v1"+path))
	// The body is documented only after the registration: Huma would read a body
	// that it knows, but the playground must read it itself, after it has reserved
	// a slot for the call, so that waiting calls hold no bodies in memory.
	document := h.Document()
	item := document.Paths["/api"+op.Path]
	answers := map[string]*huma.MediaType{"application/json": {Schema: schemaOf[PlaygroundAnswer](document)}}
	operation := item.Get
	if op.Method == http.MethodPost {
		operation = item.Post
		operation.RequestBody = &huma.RequestBody{
			Required: true,
			Content:  map[string]*huma.MediaType{"application/json": {Schema: schemaOf[PlaygroundCall](document)}},
		}
		answers["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	operation.Responses["200"] =
		&huma.Response{Description: "The relay's response: JSON, or a stream if `stream` is true", Content: answers}
}

// schemaOf adds the schema of T to the document and returns a reference to it.
func schemaOf[T any](document *huma.OpenAPI) *huma.Schema {
	return document.Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// forward returns a handler that forwards the request to the relay at path. The call happens inside
// the StreamResponse, where the handler may write the relay's status, headers and body itself.
func (h *handlers) forward(path string) func(context.Context, *playgroundInput) (*huma.StreamResponse, error) {
	return func(_ context.Context, in *playgroundInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			r, w := humago.Unwrap(ctx)
			err := h.Playground.Serve(w, r, playground.Call{
				UserID: api.CallerOf(ctx.Context()).User.ID, Path: path, Token: in.Token,
				Address: api.ClientIn(ctx.Context()).Address,
			})
			if err != nil {
				h.Refuse(ctx, err)
			}
		}}, nil
	}
}

// createPlaygroundToken revokes the previous token and creates
// a new one in one transaction, so that a user has at most one.
func (h *handlers) createPlaygroundToken(ctx context.Context,
	_ *struct{}) (answer *api.Answer[CreatedToken], err error) {
	user := api.CallerOf(ctx).User
	if user.Role == tenant.Operator {
		return nil,
			problem.New(problem.Forbidden, "Operators have no tokens. Sign in as a user of a tenant to call models.")
	}
	err = h.Store.Atomically(ctx, func(s *store.Store) error {
		if err := s.Token.RevokePurpose(ctx, api.ScopeOf(ctx), user.ID, token.ForPlayground); err != nil {
			return err
		}
		answer, err = h.mint(ctx, s, tokendb.NewToken{Token: token.Token{
			TenantID: user.TenantID, UserID: user.ID, Name: "Playground", Purpose: token.ForPlayground,
			Status: token.Enabled, ExpiresAt: h.Now().Add(playgroundTokenLife),
		}})
		return err
	})
	return answer, err
}
