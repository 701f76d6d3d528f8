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

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Model is the record of one model, in the format of OpenAI's API.
type Model struct {
	ID      string `json:"id" doc:"The id to send as model in requests" example:"gpt-4o-mini"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"Unix time in seconds"`
	OwnedBy string `json:"owned_by" example:"openai"`

	ContextLength   int64       `json:"context_length,omitempty" doc:"The most tokens of input and output together; absent if that is not known. Not a field of OpenAI's API" example:"128000"`
	MaxOutputTokens int64       `json:"max_output_tokens,omitempty" doc:"The most tokens of one answer; absent if that is not known. Not a field of OpenAI's API" example:"16384"`
	Modalities      *Modalities `json:"modalities,omitempty" doc:"What the model reads and writes; absent if that is not known. Not a field of OpenAI's API"`

	Type        string     `json:"type,omitempty" known:"model" doc:"This and the following fields are those of Anthropic's API. They are only present if the request has the header anthropic-version"`
	DisplayName string     `json:"display_name,omitempty" doc:"A name of the model for people"`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
}

// Modalities are the kinds of content that a model reads and writes.
type Modalities struct {
	Input  []catalog.Modality `json:"input" known:"text,image,audio,video,file"`
	Output []catalog.Modality `json:"output" known:"text,image,audio,video,file"`
}

// ModelList is the answer of listModels.
type ModelList struct {
	Object string  `json:"object" enum:"list"`
	Data   []Model `json:"data"`

	HasMore *bool   `json:"has_more,omitempty" doc:"Whether there are more models beyond this page. This and the following fields are those of Anthropic's API. They are only present if the request has the header anthropic-version"`
	FirstID *string `json:"first_id,omitempty" nullable:"true" doc:"The id of the first model of the page, for before_id; null if it is empty"`
	LastID  *string `json:"last_id,omitempty" nullable:"true" doc:"The id of the last model of the page, for after_id"`
}

const modelsPath = "/v1/models/"

// registerModels declares the operations on models.
func (a *API) registerModels(api huma.API) {
	list := huma.Operation{
		OperationID: "listModels",
		Method:      http.MethodGet,
		Path:        "/v1/models",
		Summary:     "List models",
		Description: "Lists the models that the token can use. With the header `anthropic-version` the answer also " +
			"has the fields of Anthropic's API, and comes in pages.",
		Tags:       []string{"Models"},
		Security:   bearerAuth,
		Parameters: append(modelPages(), versionHeader(), betaHeader(), betaQuery()),
		Responses: withMessageErrors(api, append([]int{http.StatusBadRequest}, readErrors...), &huma.Response{
			Description: "The models, ordered by id",
			Headers:     messageHeaders(commonHeaders()),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[ModelList](api)}},
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
		Parameters: []*huma.Param{{Name: "model", In: "path", Required: true,
			Schema: &huma.Schema{Type: huma.TypeString}, Description: "The id of the model"}, versionHeader(),
			betaHeader(), betaQuery()},
		Responses: withMessageErrors(api, append([]int{http.StatusNotFound}, readErrors...), &huma.Response{
			Description: "The model",
			Headers:     messageHeaders(commonHeaders()),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[Model](api)}},
		}),
	}
	handler := a.plain(watched(telemetry.Models, retrieve), a.retrieveModel)
	huma.Register(api, retrieve, handler)
	// A model id may contain slashes, which {model} doesn't match. The document hides this second route.
	retrieve.OperationID, retrieve.Path, retrieve.Hidden = "retrieveModelBySlashedID", modelsPath+"{model...}", true
	huma.Register(api, retrieve, handler)
}

// plain adapts a handler with an error result to an operation of Huma. It writes the error response.
func (a *API) plain(rt route, serve func(http.ResponseWriter, *http.Request) error,
) func(context.Context, *struct{}) (*huma.StreamResponse, error) {
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		rt.at(w)
		if err := serve(w, r); err != nil {
			a.refuse(w, err)
		}
	}}
	return func(context.Context, *struct{}) (*huma.StreamResponse, error) { return response, nil }
}

// authenticate returns the caller, records it in the request's report, and takes a slot of its tenant and user.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (*token.Caller, error) {
	e := exchangeOf(w)
	caller, err := a.Auth.Authenticate(r, e.Addr)
	e.Caller = caller
	a.showRemaining(e)
	if err != nil {
		return nil, err
	}
	e.slot, err = a.Slots.TryAcquire(1, caller.Tenant.ID, caller.User.ID)
	return caller, err
}

// listModels returns the models that the caller may use.
func (a *API) listModels(w http.ResponseWriter, r *http.Request) error {
	caller, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	list := ModelList{Object: "list", Data: []Model{}}
	visible := a.Snapshots.Current().Visible(caller, time.Now())
	isMessages := exchangeOf(w).messages
	if isMessages {
		if visible, err = list.page(visible, r.URL.Query()); err != nil {
			return err
		}
	}
	for _, model := range visible {
		list.Data = append(list.Data, record(model, isMessages))
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
	return writeJSON(w, record(model, exchangeOf(w).messages))
}

// record returns the API's form of a model, with the fields of Anthropic's API if isMessages is true.
func record(model *catalog.Model, isMessages bool) Model { //nolint:revive // isMessages is the dialect of the answer
	m := Model{
		ID: model.ID, Object: "model", Created: model.CreatedAt.Unix(), OwnedBy: model.OwnedBy,
		ContextLength: model.ContextLength, MaxOutputTokens: model.MaxOutput,
	}
	if model.Modalities.Known() {
		m.Modalities = &Modalities{Input: model.Modalities.Input, Output: model.Modalities.Output}
	}
	if isMessages {
		createdAt := model.CreatedAt.UTC().Truncate(time.Second)
		m.Type, m.DisplayName, m.CreatedAt = "model", model.ID, &createdAt
	}
	return m
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
