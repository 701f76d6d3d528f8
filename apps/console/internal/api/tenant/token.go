package tenant

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// NewToken is the body of createToken.
type NewToken struct {
	Name      string             `json:"name" minLength:"1" maxLength:"200"`
	Models    []string           `json:"models,omitempty" maxItems:"1000" doc:"Permitted models: ids, or prefixes with a trailing *. Empty or absent: all models of the user's group"`
	Addresses []string           `json:"addresses,omitempty" maxItems:"1000" doc:"Permitted client addresses: IP addresses or networks in CIDR form. Empty or absent: every address"`
	Quota     *money.Amount      `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the token may spend in total; absent: unlimited"`
	Caps      resource.NewCaps   `json:"caps,omitzero"`
	Limits    resource.NewLimits `json:"limits,omitzero"`
	ExpiresAt *time.Time         `json:"expires_at,omitempty" nullable:"true" doc:"When the token expires; absent: never"`
	UserID    *uuid.UUID         `json:"user_id,omitempty" doc:"The owner of the token. Defaults to the caller; admins and owners may name another user. Required for operators"`
}

// TokenPatch is the body of updateToken.
type TokenPatch struct {
	Name      api.Optional[string]               `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Models    api.Optional[[]string]             `json:"models,omitzero" maxItems:"1000" doc:"Replaces the permitted models. Empty: all models of the user's group"`
	Addresses api.Optional[[]string]             `json:"addresses,omitzero" maxItems:"1000" doc:"Replaces the permitted client addresses. Empty: every address"`
	Status    api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled"`
	Quota     api.Nullable[money.Amount]         `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the token may spend in total; null: unlimited"`
	Caps      api.Optional[resource.CapsPatch]   `json:"caps,omitzero"`
	Limits    api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
	ExpiresAt api.Nullable[time.Time]            `json:"expires_at,omitzero" doc:"When the token expires; null: never"`
}

// tokenValue holds the parameters of lookUpToken.
type tokenValue struct {
	Body struct {
		Value string `json:"value" minLength:"1" maxLength:"512" doc:"The whole value of the token, such as one that was found in a log"`
	}
}

// Token describes an API token. It does not contain the token's value.
type Token struct {
	ID             uuid.UUID       `json:"id"`
	TenantID       uuid.UUID       `json:"tenant_id"`
	UserID         uuid.UUID       `json:"user_id"`
	UserEmail      string          `json:"user_email" doc:"E-mail address of the owner"`
	Name           string          `json:"name"`
	Mask           string          `json:"mask" doc:"Part of the value by which people recognize the token; useless for authentication"`
	Models         []string        `json:"models" doc:"Permitted models; empty: all models of the user's group, or the token is revoked. A list of tokens has the first 20 of each token"`
	ModelsCount    int             `json:"models_count" doc:"Number of permitted models"`
	Addresses      []string        `json:"addresses" doc:"Permitted client addresses; empty: every address, or the token is revoked. A list of tokens has the first 20 of each token"`
	AddressesCount int             `json:"addresses_count" doc:"Number of permitted client addresses"`
	Status         string          `json:"status" enum:"enabled,disabled,revoked" doc:"Only enabled tokens work. A revoked token cannot be enabled again"`
	Purpose        string          `json:"purpose" enum:",playground" doc:"playground: created by the console for its playground. Empty for all other tokens"`
	ExpiresAt      *time.Time      `json:"expires_at" doc:"null: never"`
	CreatedAt      time.Time       `json:"created_at"`
	LastUsed       *time.Time      `json:"last_used" doc:"Time of the latest call in the usage logs, or its hour if the logs are deleted; null if the token was never used"`
	Quota          resource.Quota  `json:"quota"`
	Caps           resource.Caps   `json:"caps"`
	Limits         resource.Limits `json:"limits"`
	Held           []string        `json:"held" maxItems:"20" doc:"Fields that an admin has restricted, such as status, quota or caps.day: the owner of the token cannot change them"`
}

// CreatedToken is a Token with its value. Only the response to
// the operation that creates the token contains the value.
type CreatedToken struct {
	Token
	Value string `json:"value" doc:"The token itself. It is shown only in this response: store it in a safe place"`
}

// tokenDetails holds the facts that the API shows with a token and that are stored
// elsewhere: the e-mail address of its owner, and how much the token may spend.
type tokenDetails struct {
	email string
	resource.Spending
}

// tokenOf returns the token as the API shows it. The value of a token is not stored, so it cannot be shown.
func tokenOf(t *token.Token, d tokenDetails) Token {
	return Token{
		ID: t.ID, TenantID: t.TenantID, UserID: t.UserID, UserEmail: d.email, Name: t.Name, Mask: t.Mask,
		Models: null.List(t.Models), ModelsCount: len(t.Models), Addresses: token.AddressTexts(t.Addresses),
		AddressesCount: len(t.Addresses), Status: string(t.Status), Purpose: string(t.Purpose),
		ExpiresAt: null.Time(t.ExpiresAt), CreatedAt: t.CreatedAt.UTC(), LastUsed: null.Time(t.LastUsed),
		Quota: d.Quota(), Caps: resource.Caps(d.Caps), Limits: resource.Limits(t.Limits), Held: null.List(t.Locked),
	}
}

type tokenQuery struct {
	api.PageQuery
	api.SearchQuery
	api.OrderQuery
	Sort           string    `query:"sort" enum:"created_at,name,last_used" doc:"What to sort by. Tokens that were never used count as used before all others. Defaults to the newest tokens first"`
	TenantID       uuid.UUID `query:"tenant_id" doc:"Only tokens of this tenant. For operators"`
	UserID         uuid.UUID `query:"user_id" doc:"Only tokens of this user"`
	IncludeRevoked bool      `query:"include_revoked" doc:"Whether to include revoked tokens. Has no effect if status is set"`
	Status         string    `query:"status" enum:"enabled,disabled,revoked" doc:"Only tokens with this status"`
}

type tokenUpdate struct {
	api.ByID
	Body TokenPatch
}

func registerTokens(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createToken", Method: http.MethodPost, Path: "/tokens", Tag: "tokens", Scope: token.WriteTokens,
		Summary:     "Create a token",
		Description: "The response contains the token's value, which is never shown again.",
		Status:      http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict}, Body: api.ListBody,
	}, h.createToken)
	api.Register(h.API, api.Operation{
		ID: "listTokens", Method: http.MethodGet, Path: "/tokens", Tag: "tokens", Scope: token.ReadTokens,
		Summary: "List tokens",
		Description: "Members see their own tokens, admins and owners those of their tenant, operators all tokens. A " +
			"cursor is valid only with the sort and order of its page. A token that is renamed or used meanwhile can " +
			"move to another page. Each token has the first 20 of its models and addresses; getToken has all.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listTokens)
	api.Register(h.API, api.Operation{
		ID: "lookUpToken", Method: http.MethodPost, Path: "/tokens/lookup", Tag: "tokens", Scope: token.ReadTokens,
		Summary: "Find a token by its value",
		Description: "Finds the token of a leaked value, also a revoked one, if the caller may see it. The value is " +
			"compared by its keyed hash. It is neither stored nor logged.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound}, NoEntry: true,
	}, h.lookUpToken)
	api.Register(h.API, api.Operation{
		ID: "getToken", Method: http.MethodGet, Path: "/tokens/{id}", Tag: "tokens", Scope: token.ReadTokens,
		Summary:     "Get a token",
		Description: "The response does not contain the token's value.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getToken)
	api.Register(h.API, api.Operation{
		ID: "updateToken", Method: http.MethodPatch, Path: "/tokens/{id}", Tag: "tokens", Scope: token.WriteTokens,
		Summary: "Edit a token",
		Description: "Changes only the fields that are sent. Relays apply the change within a second. The owner of " +
			"a token cannot change a status, quota or limit that an admin has set (`held`).",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, Body: api.ListBody,
	}, h.updateToken)
	api.Register(h.API, api.Operation{
		ID: "revokeToken", Method: http.MethodPost, Path: "/tokens/{id}/revoke", Tag: "tokens",
		Scope: token.WriteTokens, Summary: "Revoke a token",
		Description: "Relays refuse the token within a second. This cannot be undone. The usage logs of the token " +
			"are kept.",
		Status: http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.revokeToken)
	api.Register(h.API, api.Operation{
		ID: "rotateToken", Method: http.MethodPost, Path: "/tokens/{id}/rotate", Tag: "tokens",
		Scope: token.WriteTokens, Summary: "Replace a token",
		Description: "Revokes the token and creates a new one with the same settings. The new token gets the " +
			"remaining quota of the old one, and what remains of its budgets in the current periods, without the " +
			"amounts that relays have reserved. The response contains the new value, which is never shown again.",
		Status: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.rotateToken)
}

// createToken creates a token for the caller or for the user that the body names.
// The store checks that the caller may do so, and the limits of the token.
func (h *handlers) createToken(ctx context.Context, in *struct{ Body NewToken }) (*api.Answer[CreatedToken], error) {
	body := &in.Body
	owner, err := h.ownerOf(ctx, body.UserID)
	if err != nil {
		return nil, err
	}
	addresses, err := checkLimits(body.Models, body.Addresses)
	if err != nil {
		return nil, err
	}
	expires := null.Deref(body.ExpiresAt)
	if !expires.IsZero() && !expires.After(h.Now()) {
		return nil, problem.New(problem.InvalidType, "The time is in the past: a token must expire in the future.").
			At("expires_at")
	}
	return h.mint(ctx, h.Store, tokendb.NewToken{
		Cap: body.Quota, Caps: quota.Caps(body.Caps), Most: h.MaxTokens,
		Token: token.Token{
			TenantID: owner.TenantID, UserID: owner.ID, Name: body.Name, Models: body.Models,
			Addresses: addresses, Status: token.Enabled, ExpiresAt: expires, Limits: limit.Limits(body.Limits),
		},
	})
}

// ownerOf returns the user with the id, whom the caller must be able to see,
// or the caller if id is nil. Operators have no tokens and must name a user.
func (h *handlers) ownerOf(ctx context.Context, id *uuid.UUID) (tenant.User, error) {
	self := api.CallerOf(ctx).User
	if id != nil && *id != self.ID {
		return h.Store.Identity.User(ctx, api.ScopeOf(ctx), *id)
	}
	if self.Role == tenant.Operator {
		return tenant.User{}, problem.New(problem.MissingParameter, "Operators have no tokens: set user_id.").
			At("user_id")
	}
	return self, nil
}

// checkLimits checks the permitted models and addresses of a token, and returns the addresses parsed.
func checkLimits(models, addresses []string) ([]netip.Prefix, error) {
	if err := catalog.CheckPatterns(models); err != nil {
		return nil, err
	}
	return token.ParseAddresses(addresses)
}

// mint creates the token n with a new id and a new value. It stores the keyed hash of
// the value and returns the value itself, which is not kept. s may be a transaction.
func (h *handlers) mint(ctx context.Context, s *store.Store, n tokendb.NewToken) (*api.Answer[CreatedToken], error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	secret := token.New(id)
	n.ID, n.Mask, n.CreatedAt, n.LastUsed = id, token.Mask(secret), h.Now(), time.Time{}
	pepper := h.Sealer.Peppers().Current
	n.Hash, n.PepperID = token.HashOf(pepper.Key, secret), pepper.ID
	row, err := s.Token.CreateToken(ctx, api.ScopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	emails, err := s.Identity.UserEmails(ctx, api.ScopeOf(ctx), []uuid.UUID{row.UserID})
	if err != nil {
		return nil, err
	}
	account := quota.Account{ID: id, Kind: quota.TokenCap, TenantID: row.TenantID, Granted: n.Cap}
	return api.NewAnswer(CreatedToken{Token: tokenOf(&row,
		tokenDetails{emails[row.UserID], resource.Spending{Account: account, Caps: n.Caps}}), Value: secret}), nil
}

// listTokens lists the tokens that the caller's scope reaches: a member's own tokens,
// those of the tenant for admins and owners, and all tokens for operators.
func (h *handlers) listTokens(ctx context.Context, in *tokenQuery) (*api.Answer[api.List[Token]], error) {
	query := tokendb.Query{
		TenantID: in.TenantID, UserID: in.UserID, Revoked: in.IncludeRevoked, Status: token.Status(in.Status),
		Page: in.By(in.Sort, in.In(in.Page())),
	}
	var answer *api.Answer[api.List[Token]]
	err := h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
		page, err := s.Token.Tokens(ctx, api.ScopeOf(ctx), query)
		if err != nil {
			return err
		}
		show, err := tokenBodies(ctx, s, page.Items)
		if err != nil {
			return err
		}
		answer = api.PageOf(page, func(t *token.Token) Token {
			body := show(t)
			body.Models, body.Addresses = part.Few(body.Models), part.Few(body.Addresses)
			return body
		})
		return nil
	})
	return answer, err
}

// tokenBodies loads the details of the tokens, with one query for
// each kind, and returns a function that translates one of them.
func tokenBodies(ctx context.Context, s *store.Store, tokens []token.Token) (func(*token.Token) Token, error) {
	spendings, err := resource.SpendingsOf(ctx, s, api.ScopeOf(ctx), tokens,
		func(t *token.Token) uuid.UUID { return t.ID })
	if err != nil {
		return nil, err
	}
	owners := make([]uuid.UUID, 0, len(tokens))
	for i := range tokens {
		owners = append(owners, tokens[i].UserID)
	}
	emails, err := s.Identity.UserEmails(ctx, api.ScopeOf(ctx), distinct(owners))
	if err != nil {
		return nil, err
	}
	uses, err := s.Metering.LastUses(ctx, api.ScopeOf(ctx), tokens)
	if err != nil {
		return nil, err
	}
	return func(t *token.Token) Token {
		body := *t
		body.LastUsed = uses[t.ID]
		return tokenOf(&body, tokenDetails{emails[t.UserID], spendings[t.ID]})
	}, nil
}

func (h *handlers) getToken(ctx context.Context, in *api.ByID) (*api.Answer[Token], error) {
	t, err := h.Store.Token.Token(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &t)
}

func (h *handlers) lookUpToken(ctx context.Context, in *tokenValue) (*api.Answer[Token], error) {
	peppers := h.Sealer.Peppers()
	hashes := []token.Hash{token.HashOf(peppers.Current.Key, in.Body.Value)}
	if peppers.Rotating() {
		hashes = append(hashes, token.HashOf(peppers.Other.Key, in.Body.Value))
	}
	t, err := h.Store.Token.TokenByHash(ctx, api.ScopeOf(ctx), hashes)
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &t)
}

// showToken returns the response with the token and its details.
func (h *handlers) showToken(ctx context.Context, t *token.Token) (*api.Answer[Token], error) {
	var answer *api.Answer[Token]
	err := h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
		show, err := tokenBodies(ctx, s, []token.Token{*t})
		if err != nil {
			return err
		}
		answer = api.NewAnswer(show(t))
		return nil
	})
	return answer, err
}

// updateToken translates the patch: a field that is absent from the body is nil in the store's patch and
// stays unchanged. The addresses are normalized first, so that equal networks have one form in the store.
func (h *handlers) updateToken(ctx context.Context, in *tokenUpdate) (*api.Answer[Token], error) {
	body := &in.Body
	addresses, err := checkLimits(body.Models.Value(), body.Addresses.Value())
	if err != nil {
		return nil, err
	}
	patch := tokendb.Patch{
		Name: body.Name.Pointer(), Models: body.Models.Pointer(),
		Status: (*token.Status)(body.Status.Pointer()), Cap: resource.CapOf(body.Quota),
		Caps:   body.Caps.Value().Store(),
		Limits: body.Limits.Value().Change(),
	}
	if body.Addresses.Given() {
		texts := make([]string, 0, len(addresses))
		for _, prefix := range addresses {
			texts = append(texts, prefix.String())
		}
		patch.Addresses = &texts
	}
	if body.ExpiresAt.Given() {
		expires := null.Deref(body.ExpiresAt.Value())
		patch.ExpiresAt = &expires
	}
	row, err := h.Store.Token.UpdateToken(ctx, api.ScopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &row)
}

func (h *handlers) revokeToken(ctx context.Context, in *api.ByID) (*api.Answer[Token], error) {
	status := token.Revoked
	row, err := h.Store.Token.UpdateToken(ctx, api.ScopeOf(ctx), in.ID, tokendb.Patch{Status: &status})
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &row)
}

// rotateToken revokes the token and creates its successor in one transaction. The successor gets what is left of the
// quota and the budgets, without what is leased to relays, which may still spend it for requests of the old token.
func (h *handlers) rotateToken(ctx context.Context, in *api.ByID) (answer *api.Answer[CreatedToken], err error) {
	err = h.Store.Atomically(ctx, func(s *store.Store) error {
		predecessor, remainder, err := s.Token.RetireToken(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return err
		}
		caps, err := s.Quota.Caps(ctx, api.ScopeOf(ctx), []uuid.UUID{in.ID})
		if err != nil {
			return err
		}
		if predecessor.Purpose == token.ForPlayground {
			return problem.New(problem.Conflict,
				"Tokens of the playground cannot be rotated: createPlaygroundToken creates a new one.")
		}
		if _, member := api.ScopeOf(ctx).OnlyUser(); member && predecessor.Status == token.Disabled &&
			slices.Contains(predecessor.Locked, "status") {
			return problem.New(problem.Forbidden, "An admin has disabled this token. Ask an admin to enable it.")
		}
		predecessor.Status = token.Enabled
		predecessor.Locked = slices.DeleteFunc(predecessor.Locked, func(name string) bool { return name == "status" })
		answer, err = h.mint(ctx, s, tokendb.NewToken{Token: predecessor, Cap: remainder.Lifetime, Caps: caps[in.ID],
			Replaces: in.ID, Windows: remainder.Windows})
		return err
	})
	return answer, err
}
