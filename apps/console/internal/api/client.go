package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

type (
	clientKey struct{}
	deviceKey struct{}
)

// WithClient is a middleware that puts the client's address, user agent and device cookie into the context. Operations
// that limit attempts or that create sessions use it; their handlers read them with ClientIn and DeviceIn.
func (a *API) WithClient(ctx huma.Context, next func(huma.Context)) {
	request, _ := humago.Unwrap(ctx)
	ctx = huma.WithValue(ctx, deviceKey{}, a.DeviceOf(request))
	next(huma.WithValue(ctx, clientKey{}, a.clientOf(ctx)))
}

// DeviceOf returns the value of the browser's device cookie, "" for none.
func (a *API) DeviceOf(r *http.Request) string {
	cookie, err := r.Cookie(a.deviceName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// DeviceIn returns the value of the device cookie that WithClient put into the context.
func DeviceIn(ctx context.Context) string {
	value, _ := ctx.Value(deviceKey{}).(string)
	return value
}

// clientOf returns the address and the user agent of the client.
// X-Forwarded-For counts only if a trusted proxy sent the request.
func (a *API) clientOf(ctx huma.Context) signin.Client {
	request, _ := humago.Unwrap(ctx)
	return signin.Client{Address: web.ClientAddr(request, a.proxies), Agent: request.UserAgent()}
}

// ClientIn returns the client that WithClient put into the context,
// or the zero Client if the operation does not use WithClient.
func ClientIn(ctx context.Context) signin.Client {
	client, _ := ctx.Value(clientKey{}).(signin.Client)
	return client
}
