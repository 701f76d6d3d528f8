package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/web"
)

// Model is the record of one model, in the format of OpenAI's API.
type Model struct {
	ID      string `json:"id" doc:"The id to send as model in requests" example:"gpt-4o-mini"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"Unix time in seconds"`
	OwnedBy string `json:"owned_by" example:"openai"`
}

// ModelList is the answer of listModels.
type ModelList struct {
	Object string  `json:"object" enum:"list"`
	Data   []Model `json:"data"`
}

const modelsPath = "/v1/models/"

// registerModels declares the operations on models.
func (a *API) registerModels(api huma.API) {
	list := huma.Operation{
		OperationID: "listModels",
		Method:      http.MethodGet,
		Path:        "/v1/models",
		Summary:     "List models",
		Description: "Lists the models that the token can use.",
		Tags:        []string{"Models"},
		Security:    bearerAuth,
		Responses: withErrors(api, readErrors, &huma.Response{
			Description: "The models, ordered by id",
			Headers:     commonHeaders(),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schemaOf[ModelList](api)}},
		}),
	}
	huma.Register(api, list, a.plain(watched(telemetry.Models, list), a.listModels))

	retrieve := huma.Operation{
		OperationID: "retrieveModel",
		Method:      http.MethodGet,
		Path:        modelsPath + "{model}",
		Summary:     "Retrieve a model",
		Description: "Returns one model that the token can use. A slash in the id need not be escaped.",
		Tags:        []string{"Models"},
		Security:    bearerAuth,
		Parameters:  []*huma.Param{{Name: "model", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}, Description: "The id of the model"}},
		Responses: withErrors(api, append([]int{http.StatusNotFound}, readErrors...), &huma.Response{
			Description: "The model",
			Headers:     commonHeaders(),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schemaOf[Model](api)}},
		}),
	}
	one := a.plain(watched(telemetry.Models, retrieve), a.retrieveModel)
	huma.Register(api, retrieve, one)
	// A model id may contain slashes, which {model} doesn't match. The document hides this second route.
	retrieve.OperationID, retrieve.Path, retrieve.Hidden = "retrieveModelBySlashedID", modelsPath+"{model...}", true
	huma.Register(api, retrieve, one)
}

// plain adapts a handler with an error result to an operation of Huma. It writes the error response.
func (a *API) plain(of route, serve func(http.ResponseWriter, *http.Request) error) func(context.Context, *struct{}) (*huma.StreamResponse, error) {
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		of.at(w)
		if err := serve(w, r); err != nil {
			a.refuse(w, err)
		}
	}}
	return func(context.Context, *struct{}) (*huma.StreamResponse, error) { return response, nil }
}

// authenticate returns the caller and records it in the request's report.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (*token.Caller, error) {
	caller, err := a.Auth.Authenticate(r, web.ClientAddr(r, a.Trusted))
	exchangeOf(w).Caller = caller
	return caller, err
}

// listModels returns the models that the caller may use.
func (a *API) listModels(w http.ResponseWriter, r *http.Request) error {
	caller, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	list := ModelList{Object: "list", Data: []Model{}}
	for _, model := range a.Snapshots.Current().Visible(caller, time.Now()) {
		list.Data = append(list.Data, record(model))
	}
	return writeJSON(w, list)
}

// retrieveModel returns one model, or the same error for an unknown model as for one that the caller may not
// use.
func (a *API) retrieveModel(w http.ResponseWriter, r *http.Request) error {
	caller, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	model, _, err := a.Snapshots.Current().Authorize(caller, strings.TrimPrefix(r.URL.Path, modelsPath), time.Now())
	if err != nil {
		return err
	}
	return writeJSON(w, record(model))
}

// record returns the API's form of a model.
func record(model *catalog.Model) Model {
	return Model{ID: model.ID, Object: "model", Created: model.CreatedAt.Unix(), OwnedBy: model.OwnedBy}
}

// writeJSON writes v with the status 200.
func writeJSON(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client may have disconnected
	return nil
}
