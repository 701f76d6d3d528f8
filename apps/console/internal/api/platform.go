package api

import (
	"context"
	"net/http"
)

// Platform is what pages need to know before anybody signs in.
type Platform struct {
	Version  string `json:"version" doc:"Of the console's build"`
	RelayURL string `json:"relay_url" doc:"Base URL at which clients reach the relay, to which /v1/... is added; empty: the console was not told (TOLLGATE_RELAY_URL), and has no playground"`
}

func platform(a *API) {
	register(a, operation{
		id: "getPlatform", method: http.MethodGet, path: "/platform", tag: "platform", public: true,
		summary:     "What this installation is",
		description: "Its version, and where the relay is. Needs nobody to be signed in.",
	}, a.platform)
}

func (a *API) platform(context.Context, *struct{}) (*Answer[Platform], error) {
	return answer(Platform{Version: a.Version, RelayURL: a.RelayURL()}), nil
}
