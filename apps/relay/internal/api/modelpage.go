package api

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	usualModels = 20    // models of a page, as in Anthropic's API
	mostModels  = 1_000 // of a page that asks for more
)

// versionHeader describes the header by which a client asks for the fields of Anthropic's API.
func versionHeader() *huma.Param {
	return &huma.Param{
		Name: "anthropic-version", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "The version of Anthropic's API. A request with this header gets the fields of that API in " +
			"addition to those of OpenAI's, and its errors", Example: messagesVersion,
	}
}

// modelPages describes the parameters of the pages of models.
func modelPages() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	return []*huma.Param{
		{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}, Description: "The largest number " +
			"of models of a page, from 1 to 1000; the default is 20. This and the following parameters are those of " +
			"Anthropic's API and have no meaning without the header anthropic-version"},
		{Name: "after_id", In: "query", Schema: text, Description: "The page begins after the model with this id"},
		{Name: "before_id", In: "query", Schema: text, Description: "The page ends before the model with this id"},
	}
}

// page returns the models of the page that the query asks for, and sets the fields of the list that describe the page.
// The models are ordered by id. Errors are InvalidType problems that name the parameter.
func (l *ModelList) page(models []*catalog.Model, query url.Values) ([]*catalog.Model, error) {
	limit := usualModels
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostModels {
			return nil, problem.New(problem.InvalidType, "limit must be a number from 1 to %d.", mostModels).At("limit")
		}
		limit = n
	}
	hasMore := false
	if afterID := query.Get("after_id"); afterID != "" {
		models = slices.DeleteFunc(slices.Clone(models), func(m *catalog.Model) bool { return m.ID <= afterID })
	}
	if beforeID := query.Get("before_id"); beforeID != "" {
		models = slices.DeleteFunc(slices.Clone(models), func(m *catalog.Model) bool { return m.ID >= beforeID })
		hasMore = len(models) > limit
		models = models[max(0, len(models)-limit):]
	} else {
		hasMore = len(models) > limit
		models = models[:min(limit, len(models))]
	}
	l.HasMore = &hasMore
	if len(models) > 0 {
		l.FirstID, l.LastID = &models[0].ID, &models[len(models)-1].ID
	}
	return models, nil
}
