package session

import (
	"context"
	"net/http"

	"github.com/tollgate/tollgate/apps/console/internal/api"
)

// Platform holds facts about the installation that pages need before anybody signs in.
type Platform struct {
	Version  string `json:"version" doc:"Version of the console"`
	RelayURL string `json:"relay_url" doc:"Base URL of the relay; clients add /v1/... to it. Empty if it is not configured (TOLLGATE_RELAY_URL): the console then has no playground"`
	Mail     bool   `json:"mail" doc:"Whether mail is configured: links are then mailed, and otherwise shown to the user who creates them"`
}

func registerPlatform(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getPlatform", Method: http.MethodGet, Path: "/platform", Tag: "platform", Public: true,
		Summary:     "Get facts about this installation",
		Description: "Returns its version, the URL of the relay, and whether it sends mail. Needs no session.",
	}, h.platform)
}

func (h *handlers) platform(context.Context, *struct{}) (*api.Answer[Platform], error) {
	return api.NewAnswer(Platform{Version: h.Version, RelayURL: h.RelayURL(), Mail: h.Mailer.Configured()}), nil
}
