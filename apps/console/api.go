package console

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/operator"
	apisession "github.com/tollgate/tollgate/apps/console/internal/api/session"
	"github.com/tollgate/tollgate/apps/console/internal/api/tenant"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/web"
)

// apiOptions holds the options of each package of the API.
type apiOptions struct {
	shared   api.Options
	session  apisession.Options
	tenant   tenant.Options
	operator operator.Options
}

// register puts every operation of the API on mux and returns its document.
func register(mux *http.ServeMux, o apiOptions) *huma.OpenAPI {
	a := api.New(mux, o.shared)
	apisession.Register(a, mux, o.session)
	tenant.Register(a, o.tenant)
	operator.Register(a, o.operator)
	return a.Document()
}

// OpenAPI returns the document of the API as YAML. It is the same at every call.
func OpenAPI(spec web.Spec) ([]byte, error) {
	var none *session.Sessions
	options := apiOptions{shared: api.Options{CookieName: none.CookieName()}}
	return web.Document(register(http.NewServeMux(), options), spec)
}
