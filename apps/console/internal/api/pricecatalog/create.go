package pricecatalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// NewModels is the body of createPriceCatalogModels.
type NewModels struct {
	SHA256 string          `json:"sha256" minLength:"64" maxLength:"64" doc:"Checksum of the file whose entries were listed"`
	Models []SelectedOffer `json:"models" minItems:"1" maxItems:"200" doc:"The models to create, each once"`
}

// SelectedOffer is an entry from which an operator wants to create a model.
type SelectedOffer struct {
	Entry   string   `json:"entry" minLength:"1" maxLength:"300" doc:"Id of the entry"`
	Model   string   `json:"model,omitempty" maxLength:"200" doc:"Public id of the model. Absent: the provider's id"`
	Confirm []string `json:"confirm,omitempty" maxItems:"2" enum:"zero,unverified" doc:"What the operator has confirmed for this model"`
}

// CreatedModels says what became of each selected entry.
type CreatedModels struct {
	Items []CreatedModel `json:"items" doc:"In the order of the request"`
}

// CreatedModel is a model that was created, or that existed already.
type CreatedModel struct {
	Model   string `json:"model" doc:"Public id of the model"`
	Entry   string `json:"entry" doc:"Id of the entry"`
	Created bool   `json:"created" doc:"false: a model with this id exists already. It was left as it is, with its price"`
}

// create creates the models of the selected entries that do not exist.
func (h *handlers) create(ctx context.Context, in *struct{ Body NewModels }) (*api.Answer[CreatedModels], error) {
	current, err := h.unchanged(ctx, in.Body.SHA256)
	if err != nil {
		return nil, err
	}
	var models []catalogdb.OfferedModel
	for i := range in.Body.Models {
		selection, at := &in.Body.Models[i], fmt.Sprintf("models[%d]", i)
		e := current.catalog.Entry(selection.Entry)
		if e == nil {
			return nil, problem.New(problem.InvalidType, "The price catalog has no entry %s.", selection.Entry).
				At(at + ".entry")
		}
		model := offerOf(e, selection.Model)
		if slices.ContainsFunc(models, func(m catalogdb.OfferedModel) bool { return m.Model.ID == model.Model.ID }) {
			return nil, problem.New(problem.InvalidType, "The model %s is selected twice. Select one entry for it.",
				model.Model.ID).At(at + ".model")
		}
		comparison := pricecatalog.New(e)
		if err := unconfirmed(&comparison, model.Model.ID, selection.Confirm); err != nil {
			return nil, err.At(at + ".confirm")
		}
		models = append(models, model)
	}
	ids, err := h.Store.Catalog.CreateOfferedModels(ctx, api.ScopeOf(ctx), models)
	if err != nil {
		return nil, err
	}
	answer := CreatedModels{Items: []CreatedModel{}}
	for i := range models {
		id := models[i].Model.ID
		answer.Items = append(answer.Items,
			CreatedModel{Model: id, Entry: models[i].Entry, Created: slices.Contains(ids, id)})
	}
	return api.NewAnswer(answer), nil
}

// offerOf returns the model of an entry. Its public id is the given one, or else the provider's.
func offerOf(e *pricecatalog.Entry, id string) catalogdb.OfferedModel {
	return catalogdb.OfferedModel{
		Model: catalog.Model{
			ID: cmp.Or(id, e.Model), OwnedBy: e.Provider, MaxOutput: e.MaxOutputTokens, ContextLength: e.ContextLength,
			Modalities: catalog.Modalities{Input: e.Input, Output: e.Output},
		},
		Rates: e.Price, Entry: e.ID(),
	}
}
