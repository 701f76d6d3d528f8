package tenant

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
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
	Models    []string           `json:"models,omitempty" maxItems:"1000" doc:"Permitted model ids, or prefixes with a trailing *; none permits all of the group's"`
	Addresses []string           `json:"addresses,omitempty" maxItems:"1000" doc:"Permitted client addresses and networks; none permits every address"`
	Quota     *money.Amount      `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Most that the token may spend in all; absent: unlimited"`
	Caps      resource.NewCaps   `json:"caps,omitzero"`
	Limits    resource.NewLimits `json:"limits,omitzero"`
	ExpiresAt *time.Time         `json:"expires_at,omitempty" nullable:"true" doc:"Absent: never"`
	UserID    *uuid.UUID         `json:"user_id,omitempty" doc:"Whose token it is: one's own if absent; admins may name another user"`
}

// TokenPatch is the body of updateToken.
type TokenPatch struct {
	Name      api.Optional[string]               `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Models    api.Optional[[]string]             `json:"models,omitzero" maxItems:"1000"`
	Addresses api.Optional[[]string]             `json:"addresses,omitzero" maxItems:"1000"`
	Status    api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled"`
	Quota     api.Nullable[money.Amount]         `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Caps      api.Optional[resource.CapsPatch]   `json:"caps,omitzero"`
	Limits    api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
	ExpiresAt api.Nullable[time.Time]            `json:"expires_at,omitzero" doc:"null: never"`
}

// Token is an API token without its value.
type Token struct {
	ID        uuid.UUID       `json:"id"`
	TenantID  uuid.UUID       `json:"tenant_id"`
	UserID    uuid.UUID       `json:"user_id"`
	UserEmail string          `json:"user_email" doc:"Of the owner"`
	Name      string          `json:"name"`
	Mask      string          `json:"mask" doc:"The recognisable, harmless part of the value"`
	Models    []string        `json:"models" doc:"Empty: all of the group's"`
	Addresses []string        `json:"addresses" doc:"Empty: every address"`
	Status    string          `json:"status" enum:"enabled,disabled,revoked"`
	Purpose   string          `json:"purpose" enum:",playground" doc:"playground: made by the console for its playground; empty for all others"`
	ExpiresAt *time.Time      `json:"expires_at" doc:"null: never"`
	CreatedAt time.Time       `json:"created_at"`
	LastUsed  *time.Time      `json:"last_used" doc:"null: never"`
	Quota     resource.Quota  `json:"quota"`
	Caps      resource.Caps   `json:"caps"`
	Limits    resource.Limits `json:"limits"`
}

// CreatedToken is a Token with its value, which is shown this once.
type CreatedToken struct {
	Token
	Value string `json:"value" doc:"Shown this once; keep it secret"`
}

// holding is what is shown with a token: its owner's address and how much it
// may spend.
type holding struct {
	email string
	resource.Standing
}

func tokenOf(t *token.Token, h holding) Token {
	addresses := make([]string, 0, len(t.Addresses))
	for _, prefix := range t.Addresses {
		addresses = append(addresses, addressOf(prefix))
	}
	return Token{
		ID: t.ID, TenantID: t.TenantID, UserID: t.UserID, UserEmail: h.email, Name: t.Name, Mask: t.Mask,
		Models: api.NonNil(t.Models), Addresses: addresses, Status: string(t.Status), Purpose: string(t.Purpose),
		ExpiresAt: api.NullableTime(t.ExpiresAt), CreatedAt: t.CreatedAt.UTC(), LastUsed: api.NullableTime(t.LastUsed),
		Quota: h.Quota(), Caps: resource.Caps(h.Caps), Limits: resource.Limits(t.Limits),
	}
}

// addressOf writes single addresses without their length.
func addressOf(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}

type tokenQuery struct {
	api.PageQuery
	api.SearchQuery
	TenantID       uuid.UUID `query:"tenant_id" doc:"Operators only"`
	UserID         uuid.UUID `query:"user_id" doc:"Only of this user"`
	IncludeRevoked bool      `query:"include_revoked" doc:"Revoked ones too"`
	Status         string    `query:"status" enum:"enabled,disabled,revoked" doc:"In place of include_revoked"`
}

type tokenUpdate struct {
	api.ByID
	Body TokenPatch
}

func tokens(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createToken", Method: http.MethodPost, Path: "/tokens", Tag: "tokens", Summary: "Create a token",
		Description: "The answer shows the token's value, this once.",
		Status:      http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createToken)
	api.Register(h.API, api.Operation{
		ID: "listTokens", Method: http.MethodGet, Path: "/tokens", Tag: "tokens", Summary: "List tokens",
		Description: "Members see their own, admins and owners their tenant's, operators all.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listTokens)
	api.Register(h.API, api.Operation{
		ID: "getToken", Method: http.MethodGet, Path: "/tokens/{id}", Tag: "tokens", Summary: "Get a token",
		Description: "Without its value, which nothing shows again.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getToken)
	api.Register(h.API, api.Operation{
		ID: "updateToken", Method: http.MethodPatch, Path: "/tokens/{id}", Tag: "tokens", Summary: "Edit a token",
		Description: "Only the fields that are sent change. Relays follow within a second.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, h.updateToken)
	api.Register(h.API, api.Operation{
		ID: "revokeToken", Method: http.MethodPost, Path: "/tokens/{id}/revoke", Tag: "tokens", Summary: "Revoke a token for ever",
		Description: "Relays refuse it within a second. Its usage logs stay.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.revokeToken)
	api.Register(h.API, api.Operation{
		ID: "rotateToken", Method: http.MethodPost, Path: "/tokens/{id}/rotate", Tag: "tokens", Summary: "Replace a token",
		Description: "Revokes the token and creates one like it, with what is left of its quota and of its caps in the open windows, and not in the hands of relays. The answer shows the new value, this once.",
		Status:      http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.rotateToken)
}

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
	expires := api.Deref(body.ExpiresAt)
	if !expires.IsZero() && !expires.After(h.Now()) {
		return nil, problem.New(problem.InvalidType, "The moment of expiry is past.").At("expires_at")
	}
	return h.mint(ctx, h.Store, tokendb.NewToken{
		Cap: body.Quota, Caps: quota.Caps(body.Caps),
		Token: token.Token{
			TenantID: owner.TenantID, UserID: owner.ID, Name: body.Name, Models: body.Models,
			Addresses: addresses, Status: token.Enabled, ExpiresAt: expires, Limits: limit.Limits(body.Limits),
		},
	})
}

// ownerOf returns the caller, or the user that he names.
func (h *handlers) ownerOf(ctx context.Context, id *uuid.UUID) (tenant.User, error) {
	self := api.CallerOf(ctx).User
	if id != nil && *id != self.ID {
		return h.Store.Identity.User(ctx, api.ScopeOf(ctx), *id)
	}
	if self.Role == tenant.Operator {
		return tenant.User{}, problem.New(problem.MissingParameter, "Operators have no tokens: name the user.").At("user_id")
	}
	return self, nil
}

func checkLimits(models, addresses []string) ([]netip.Prefix, error) {
	if err := catalog.CheckPatterns(models); err != nil {
		return nil, err
	}
	return token.ParseAddresses(addresses)
}

// mint makes the value of n and stores the rest.
func (h *handlers) mint(ctx context.Context, s *store.Store, n tokendb.NewToken) (*api.Answer[CreatedToken], error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	secret := token.New(id)
	n.ID, n.Mask, n.CreatedAt, n.LastUsed = id, token.Mask(secret), h.Now(), time.Time{}
	pepper := h.Sealer.Peppers().Current
	n.Hash, n.PepperID = token.HashOf(pepper.Key, secret), pepper.ID
	created, err := s.Token.CreateToken(ctx, api.ScopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	emails, err := s.Identity.UserEmails(ctx, api.ScopeOf(ctx), []uuid.UUID{created.UserID})
	if err != nil {
		return nil, err
	}
	account := quota.Account{ID: id, Kind: quota.TokenCap, TenantID: created.TenantID, Granted: n.Cap}
	return api.NewAnswer(CreatedToken{Token: tokenOf(&created, holding{emails[created.UserID], resource.Standing{Account: account, Caps: n.Caps}}), Value: secret}), nil
}

func (h *handlers) listTokens(ctx context.Context, in *tokenQuery) (*api.Answer[api.List[Token]], error) {
	page, err := h.Store.Token.Tokens(ctx, api.ScopeOf(ctx), tokendb.Query{
		TenantID: in.TenantID, UserID: in.UserID, Revoked: in.IncludeRevoked, Status: token.Status(in.Status), Page: in.In(in.Page()),
	})
	if err != nil {
		return nil, err
	}
	show, err := h.tokenBodies(ctx, page.Items)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, show), nil
}

// tokenBodies returns how to show the tokens.
func (h *handlers) tokenBodies(ctx context.Context, tokens []token.Token) (func(*token.Token) Token, error) {
	standings, err := resource.StandingsOf(ctx, h.Store, api.ScopeOf(ctx), tokens, func(t *token.Token) uuid.UUID { return t.ID })
	if err != nil {
		return nil, err
	}
	owners := make([]uuid.UUID, 0, len(tokens))
	for i := range tokens {
		owners = append(owners, tokens[i].UserID)
	}
	emails, err := h.Store.Identity.UserEmails(ctx, api.ScopeOf(ctx), distinct(owners))
	if err != nil {
		return nil, err
	}
	return func(t *token.Token) Token { return tokenOf(t, holding{emails[t.UserID], standings[t.ID]}) }, nil
}

func (h *handlers) getToken(ctx context.Context, in *api.ByID) (*api.Answer[Token], error) {
	found, err := h.Store.Token.Token(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &found)
}

func (h *handlers) showToken(ctx context.Context, t *token.Token) (*api.Answer[Token], error) {
	show, err := h.tokenBodies(ctx, []token.Token{*t})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(show(t)), nil
}

func (h *handlers) updateToken(ctx context.Context, in *tokenUpdate) (*api.Answer[Token], error) {
	body := &in.Body
	addresses, err := checkLimits(body.Models.Value(), body.Addresses.Value())
	if err != nil {
		return nil, err
	}
	patch := tokendb.Patch{
		Name: body.Name.Pointer(), Models: body.Models.Pointer(),
		Status: (*token.Status)(body.Status.Pointer()), Cap: resource.CapOf(body.Quota), Caps: body.Caps.Value().Store(),
		Limits: body.Limits.Value().Change(),
	}
	if body.Addresses.Given() {
		written := make([]string, 0, len(addresses))
		for _, prefix := range addresses {
			written = append(written, prefix.String())
		}
		patch.Addresses = &written
	}
	if body.ExpiresAt.Given() {
		expires := api.Deref(body.ExpiresAt.Value())
		patch.ExpiresAt = &expires
	}
	updated, err := h.Store.Token.UpdateToken(ctx, api.ScopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &updated)
}

func (h *handlers) revokeToken(ctx context.Context, in *api.ByID) (*api.Answer[Token], error) {
	revoked := token.Revoked
	updated, err := h.Store.Token.UpdateToken(ctx, api.ScopeOf(ctx), in.ID, tokendb.Patch{Status: &revoked})
	if err != nil {
		return nil, err
	}
	return h.showToken(ctx, &updated)
}

func (h *handlers) rotateToken(ctx context.Context, in *api.ByID) (minted *api.Answer[CreatedToken], err error) {
	err = h.Store.Atomically(ctx, func(s *store.Store) error {
		old, account, err := retire(ctx, s, in.ID)
		if err != nil {
			return err
		}
		caps, err := s.Quota.Caps(ctx, api.ScopeOf(ctx), []uuid.UUID{in.ID})
		if err != nil {
			return err
		}
		if old.Purpose == token.ForPlayground {
			return problem.New(problem.Conflict, "The playground replaces its tokens by itself.")
		}
		old.Status = token.Enabled
		minted, err = h.mint(ctx, s, tokendb.NewToken{Token: old, Cap: remaining(&account), Caps: caps[in.ID], Replaces: in.ID})
		return err
	})
	return minted, err
}

// retire revokes a token and returns it with its account.
func retire(ctx context.Context, s *store.Store, id uuid.UUID) (token.Token, quota.Account, error) {
	old, err := s.Token.Token(ctx, api.ScopeOf(ctx), id)
	if err != nil {
		return old, quota.Account{}, err
	}
	if old.Status == token.Revoked {
		return old, quota.Account{}, problem.New(problem.Conflict, "The token is revoked.")
	}
	revoked := token.Revoked
	if _, err := s.Token.UpdateToken(ctx, api.ScopeOf(ctx), id, tokendb.Patch{Status: &revoked}); err != nil {
		return old, quota.Account{}, err
	}
	account, err := s.Quota.Account(ctx, api.ScopeOf(ctx), id)
	return old, account, err
}

// remaining is what a successor may spend: what is neither used nor in the
// hands of relays, which may still spend it on the old token.
func remaining(account *quota.Account) *money.Amount {
	left := account.Left()
	if left != nil {
		*left = max(0, *left-account.Leased)
	}
	return left
}
