package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
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

func playgrounds(a *API) {
	register(a, operation{
		id: "createPlaygroundToken", method: http.MethodPost, path: "/playground/token", tag: "playground", summary: "Create a token for the playground",
		description: "Of the signed-in user, for one hour. The answer shows its value, this once; the one before it is revoked.",
		status:      http.StatusCreated, errors: []int{http.StatusConflict},
	}, a.createPlaygroundToken)
	a.registerForward("createPlaygroundChatCompletion", "/chat/completions", "Create a chat completion through the relay")
	a.registerForward("createPlaygroundResponse", "/responses", "Create a response through the relay")
	a.registerForward("listPlaygroundModels", "/models", "Models that the relay shows the token")
}

// registerForward adds an operation that the relay answers under /v1: with a
// body but for the one that lists models.
func (a *API) registerForward(id, path, summary string) {
	op := operation{
		id: id, method: http.MethodPost, path: "/playground" + path, tag: "playground", summary: summary, description: playgroundNote,
		errors:      []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout},
		middlewares: huma.Middlewares{a.withAddress},
	}
	if path == "/models" {
		op.method = http.MethodGet
	}
	register(a, op, a.forward("/v1"+path))
	// Documented afterwards: Huma would read a body that it knows of, and the
	// playground reads it itself, once it has a slot for it.
	document := a.huma.OpenAPI()
	item := document.Paths["/api"+op.path]
	answers := map[string]*huma.MediaType{"application/json": {Schema: schemaOf[PlaygroundAnswer](document)}}
	documented := item.Get
	if op.method == http.MethodPost {
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
func (a *API) forward(path string) func(context.Context, *playgroundInput) (*huma.StreamResponse, error) {
	return func(_ context.Context, in *playgroundInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			r, w := humago.Unwrap(ctx)
			err := a.Playground.Serve(w, r, playground.Call{
				UserID: callerOf(ctx.Context()).User.ID, Path: path, Token: in.Token, Address: clientIn(ctx.Context()).Address,
			})
			if err != nil {
				a.refuse(ctx, err)
			}
		}}, nil
	}
}

func (a *API) createPlaygroundToken(ctx context.Context, _ *struct{}) (minted *Answer[CreatedToken], err error) {
	user := callerOf(ctx).User
	if user.Role == tenant.Operator {
		return nil, problem.New(problem.Forbidden, "Operators have no tokens: sign in as a user of a tenant to call models.")
	}
	err = a.Store.Atomically(ctx, func(s *store.Store) error {
		if err := s.RevokePurpose(ctx, scopeOf(ctx), user.ID, token.ForPlayground); err != nil {
			return err
		}
		minted, err = a.mint(ctx, s, store.NewToken{Token: token.Token{
			TenantID: user.TenantID, UserID: user.ID, Name: "Playground", Purpose: token.ForPlayground,
			Status: token.Enabled, ExpiresAt: a.Now().Add(playgroundTokenLife),
		}})
		return err
	})
	return minted, err
}
