package session

import (
	"context"
	"net/http"

	"github.com/tollgate/tollgate/apps/console/internal/api"
)

// Platform is what pages need to know before anybody signs in.
type Platform struct {
	Version  string `json:"version" doc:"Of the console's build"`
	RelayURL string `json:"relay_url" doc:"Base URL at which clients reach the relay, to which /v1/... is added; empty: the console was not told (TOLLGATE_RELAY_URL), and has no playground"`
}

func platform(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getPlatform", Method: http.MethodGet, Path: "/platform", Tag: "platform", Public: true,
		Summary:     "What this installation is",
		Description: "Its version, and where the relay is. Needs nobody to be signed in.",
	}, h.platform)
}

func (h *handlers) platform(context.Context, *struct{}) (*api.Answer[Platform], error) {
	return api.NewAnswer(Platform{Version: h.Version, RelayURL: h.RelayURL()}), nil
}
