package console

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/alert"
	"github.com/tollgate/tollgate/apps/console/internal/api/bulkprice"
	"github.com/tollgate/tollgate/apps/console/internal/api/operator"
	"github.com/tollgate/tollgate/apps/console/internal/api/pricecatalog"
	apisession "github.com/tollgate/tollgate/apps/console/internal/api/session"
	"github.com/tollgate/tollgate/apps/console/internal/api/supplier"
	"github.com/tollgate/tollgate/apps/console/internal/api/tenant"
	"github.com/tollgate/tollgate/apps/console/internal/api/upstream"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/web"
)

// apiOptions holds the options of each package of the API.
type apiOptions struct {
	shared   api.Options
	session  apisession.Options
	tenant   tenant.Options
	operator operator.Options
	prices   pricecatalog.Options
	bulk     bulkprice.Options
	supplier supplier.Options
	upstream upstream.Options
	alerts   alert.Options
}

// register adds all operations of the API to mux and returns their OpenAPI document.
func register(mux *http.ServeMux, o apiOptions) *huma.OpenAPI {
	a := api.New(mux, o.shared)
	apisession.Register(a, mux, o.session)
	tenant.Register(a, o.tenant)
	operator.Register(a, o.operator)
	pricecatalog.Register(a, o.prices)
	bulkprice.Register(a, o.bulk)
	supplier.Register(a, o.supplier)
	upstream.Register(a, o.upstream)
	alert.Register(a, o.alerts)
	return a.Document()
}

// OpenAPI returns the OpenAPI document of the API as YAML. It
// needs no database, and every call returns the same bytes.
func OpenAPI(spec web.Spec) ([]byte, error) {
	var noSessions *session.Sessions // CookieName works without any
	options := apiOptions{shared: api.Options{CookieName: noSessions.CookieName()}}
	return web.Document(register(http.NewServeMux(), options), spec, web.YAML)
}
