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

// playgroundTokenLife is how long a token of the playground may be used.
const playgroundTokenLife = time.Hour

// PlaygroundCall is a body that the relay takes. Its document tells the rest.
type PlaygroundCall struct {
	Model  string   `json:"model"`
	Stream bool     `json:"stream,omitempty"`
	_      struct{} `additionalProperties:"true"`
}

// PlaygroundAnswer is the relay's answer, as it came.
type PlaygroundAnswer struct {
	_ struct{} `additionalProperties:"true"`
}

type playgroundInput struct {
	Token string `header:"X-Tollgate-Token" required:"true" minLength:"1" maxLength:"512" pattern:"^[!-~]+$" doc:"The API token to call with"`
}

const playgroundNote = "The body, and the answer with its status and its headers x-request-id, x-tollgate-*, x-ratelimit-* and retry-after, pass through as they are: " +
	"what the relay refuses has its error object, what the console refuses is a problem document. At most 8 calls of a user are made at once, with bodies of up to 4 MiB."

func playgrounds(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createPlaygroundToken", Method: http.MethodPost, Path: "/playground/token", Tag: "playground", Summary: "Create a token for the playground",
		Description: "Of the signed-in user, for one hour. The answer shows its value, this once; the one before it is revoked.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict},
	}, h.createPlaygroundToken)
	h.registerForward("createPlaygroundChatCompletion", "/chat/completions", "Create a chat completion through the relay")
	h.registerForward("createPlaygroundResponse", "/responses", "Create a response through the relay")
	h.registerForward("listPlaygroundModels", "/models", "Models that the relay shows the token")
}

// registerForward adds an operation that the relay answers under /v1: with a
// body but for the one that lists models.
func (h *handlers) registerForward(id, path, summary string) {
	op := api.Operation{
		ID: id, Method: http.MethodPost, Path: "/playground" + path, Tag: "playground", Summary: summary, Description: playgroundNote,
		Errors:      []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout},
		Middlewares: huma.Middlewares{h.WithClient},
	}
	if path == "/models" {
		op.Method = http.MethodGet
	}
	api.Register(h.API, op, h.forward("/v1"+path))
	// Documented afterwards: Huma would read a body that it knows of, and the
	// playground reads it itself, once it has a slot for it.
	document := h.Document()
	item := document.Paths["/api"+op.Path]
	answers := map[string]*huma.MediaType{"application/json": {Schema: schemaOf[PlaygroundAnswer](document)}}
	documented := item.Get
	if op.Method == http.MethodPost {
		documented = item.Post
		documented.RequestBody = &huma.RequestBody{
			Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schemaOf[PlaygroundCall](document)}},
		}
		answers["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	documented.Responses["200"] = &huma.Response{Description: "The relay's answer: JSON, or a stream where `stream` is true", Content: answers}
}

func schemaOf[T any](document *huma.OpenAPI) *huma.Schema {
	return document.Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// forward hands the request to the relay. Everything happens inside the
// stream's function: the relay answers by itself.
func (h *handlers) forward(path string) func(context.Context, *playgroundInput) (*huma.StreamResponse, error) {
	return func(_ context.Context, in *playgroundInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			r, w := humago.Unwrap(ctx)
			err := h.Playground.Serve(w, r, playground.Call{
				UserID: api.CallerOf(ctx.Context()).User.ID, Path: path, Token: in.Token, Address: api.ClientIn(ctx.Context()).Address,
			})
			if err != nil {
				h.Refuse(ctx, err)
			}
		}}, nil
	}
}

func (h *handlers) createPlaygroundToken(ctx context.Context, _ *struct{}) (minted *api.Answer[CreatedToken], err error) {
	user := api.CallerOf(ctx).User
	if user.Role == tenant.Operator {
		return nil, problem.New(problem.Forbidden, "Operators have no tokens: sign in as a user of a tenant to call models.")
	}
	err = h.Store.Atomically(ctx, func(s *store.Store) error {
		if err := s.Token.RevokePurpose(ctx, api.ScopeOf(ctx), user.ID, token.ForPlayground); err != nil {
			return err
		}
		minted, err = h.mint(ctx, s, tokendb.NewToken{Token: token.Token{
			TenantID: user.TenantID, UserID: user.ID, Name: "Playground", Purpose: token.ForPlayground,
			Status: token.Enabled, ExpiresAt: h.Now().Add(playgroundTokenLife),
		}})
		return err
	})
	return minted, err
}
