package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
)

// NewToken is the body of createToken.
type NewToken struct {
	Name      string        `json:"name" minLength:"1" maxLength:"200"`
	Models    []string      `json:"models,omitempty" maxItems:"1000" doc:"Permitted model ids, or prefixes with a trailing *; none permits all of the group's"`
	Addresses []string      `json:"addresses,omitempty" maxItems:"1000" doc:"Permitted client addresses and networks; none permits every address"`
	Quota     *money.Amount `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Most that the token may spend in all; absent: unlimited"`
	Caps      NewCaps       `json:"caps,omitzero"`
	Limits    NewLimits     `json:"limits,omitzero"`
	ExpiresAt *time.Time    `json:"expires_at,omitempty" nullable:"true" doc:"Absent: never"`
	UserID    *uuid.UUID    `json:"user_id,omitempty" doc:"Whose token it is: one's own if absent; admins may name another user"`
}

// TokenPatch is the body of updateToken.
type TokenPatch struct {
	Name      Optional[string]       `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Models    Optional[[]string]     `json:"models,omitzero" maxItems:"1000"`
	Addresses Optional[[]string]     `json:"addresses,omitzero" maxItems:"1000"`
	Status    Optional[string]       `json:"status,omitzero" enum:"enabled,disabled"`
	Quota     Nullable[money.Amount] `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Caps      Optional[CapsPatch]    `json:"caps,omitzero"`
	Limits    Optional[LimitsPatch]  `json:"limits,omitzero"`
	ExpiresAt Nullable[time.Time]    `json:"expires_at,omitzero" doc:"null: never"`
}

// Token is an API token without its value.
type Token struct {
	ID        uuid.UUID  `json:"id"`
	TenantID  uuid.UUID  `json:"tenant_id"`
	UserID    uuid.UUID  `json:"user_id"`
	UserEmail string     `json:"user_email" doc:"Of the owner"`
	Name      string     `json:"name"`
	Mask      string     `json:"mask" doc:"The recognisable, harmless part of the value"`
	Models    []string   `json:"models" doc:"Empty: all of the group's"`
	Addresses []string   `json:"addresses" doc:"Empty: every address"`
	Status    string     `json:"status" enum:"enabled,disabled,revoked"`
	Purpose   string     `json:"purpose" enum:",playground" doc:"playground: made by the console for its playground; empty for all others"`
	ExpiresAt *time.Time `json:"expires_at" doc:"null: never"`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used" doc:"null: never"`
	Quota     Quota      `json:"quota"`
	Caps      Caps       `json:"caps"`
	Limits    Limits     `json:"limits"`
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
	standing
}

func tokenOf(t *token.Token, h holding) Token {
	addresses := make([]string, 0, len(t.Addresses))
	for _, prefix := range t.Addresses {
		addresses = append(addresses, addressOf(prefix))
	}
	return Token{
		ID: t.ID, TenantID: t.TenantID, UserID: t.UserID, UserEmail: h.email, Name: t.Name, Mask: t.Mask,
		Models: list(t.Models), Addresses: addresses, Status: string(t.Status), Purpose: string(t.Purpose),
		ExpiresAt: moment(t.ExpiresAt), CreatedAt: t.CreatedAt.UTC(), LastUsed: moment(t.LastUsed),
		Quota: h.quota(), Caps: Caps(h.caps), Limits: Limits(t.Limits),
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
	PageQuery
	SearchQuery
	TenantID       uuid.UUID `query:"tenant_id" doc:"Operators only"`
	UserID         uuid.UUID `query:"user_id" doc:"Only of this user"`
	IncludeRevoked bool      `query:"include_revoked" doc:"Revoked ones too"`
	Status         string    `query:"status" enum:"enabled,disabled,revoked" doc:"In place of include_revoked"`
}

// ByID is the path parameter of one thing.
type ByID struct {
	ID uuid.UUID `path:"id" doc:"Its id"`
}

type tokenUpdate struct {
	ByID
	Body TokenPatch
}

func tokens(a *API) {
	register(a, operation{
		id: "createToken", method: http.MethodPost, path: "/tokens", tag: "tokens", summary: "Create a token",
		description: "The answer shows the token's value, this once.",
		status:      http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.createToken)
	register(a, operation{
		id: "listTokens", method: http.MethodGet, path: "/tokens", tag: "tokens", summary: "List tokens",
		description: "Members see their own, admins and owners their tenant's, operators all.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listTokens)
	register(a, operation{
		id: "getToken", method: http.MethodGet, path: "/tokens/{id}", tag: "tokens", summary: "Get a token",
		description: "Without its value, which nothing shows again.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.getToken)
	register(a, operation{
		id: "updateToken", method: http.MethodPatch, path: "/tokens/{id}", tag: "tokens", summary: "Edit a token",
		description: "Only the fields that are sent change. Relays follow within a second.",
		errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, a.updateToken)
	register(a, operation{
		id: "revokeToken", method: http.MethodPost, path: "/tokens/{id}/revoke", tag: "tokens", summary: "Revoke a token for ever",
		description: "Relays refuse it within a second. Its usage logs stay.",
		status:      http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.revokeToken)
	register(a, operation{
		id: "rotateToken", method: http.MethodPost, path: "/tokens/{id}/rotate", tag: "tokens", summary: "Replace a token",
		description: "Revokes the token and creates one like it, with what is left of its quota and of its caps in the open windows, and not in the hands of relays. The answer shows the new value, this once.",
		status:      http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.rotateToken)
}

func (a *API) createToken(ctx context.Context, in *struct{ Body NewToken }) (*Answer[CreatedToken], error) {
	body := &in.Body
	owner, err := a.ownerOf(ctx, body.UserID)
	if err != nil {
		return nil, err
	}
	addresses, err := checkLimits(body.Models, body.Addresses)
	if err != nil {
		return nil, err
	}
	expires := value(body.ExpiresAt)
	if !expires.IsZero() && !expires.After(a.Now()) {
		return nil, problem.New(problem.InvalidType, "The moment of expiry is past.").At("expires_at")
	}
	return a.mint(ctx, a.Store, store.NewToken{
		Cap: body.Quota, Caps: quota.Caps(body.Caps),
		Token: token.Token{
			TenantID: owner.TenantID, UserID: owner.ID, Name: body.Name, Models: body.Models,
			Addresses: addresses, Status: token.Enabled, ExpiresAt: expires, Limits: limit.Limits(body.Limits),
		},
	})
}

// ownerOf returns the caller, or the user that he names.
func (a *API) ownerOf(ctx context.Context, id *uuid.UUID) (tenant.User, error) {
	self := callerOf(ctx).User
	if id != nil && *id != self.ID {
		return a.Store.User(ctx, scopeOf(ctx), *id)
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
func (a *API) mint(ctx context.Context, s *store.Store, n store.NewToken) (*Answer[CreatedToken], error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	secret := token.New(id)
	n.ID, n.Mask, n.CreatedAt, n.LastUsed = id, token.Mask(secret), a.Now(), time.Time{}
	pepper := a.Sealer.Peppers().Current
	n.Hash, n.PepperID = token.HashOf(pepper.Key, secret), pepper.ID
	created, err := s.CreateToken(ctx, scopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	emails, err := s.UserEmails(ctx, scopeOf(ctx), []uuid.UUID{created.UserID})
	if err != nil {
		return nil, err
	}
	account := quota.Account{ID: id, Kind: quota.TokenCap, TenantID: created.TenantID, Granted: n.Cap}
	return answer(CreatedToken{Token: tokenOf(&created, holding{emails[created.UserID], standing{account, n.Caps}}), Value: secret}), nil
}

func (a *API) listTokens(ctx context.Context, in *tokenQuery) (*Answer[List[Token]], error) {
	page, err := a.Store.Tokens(ctx, scopeOf(ctx), store.TokenQuery{
		TenantID: in.TenantID, UserID: in.UserID, Revoked: in.IncludeRevoked, Status: token.Status(in.Status), Page: in.in(in.page()),
	})
	if err != nil {
		return nil, err
	}
	show, err := a.tokenBodies(ctx, page.Items)
	if err != nil {
		return nil, err
	}
	return pageOf(page, show), nil
}

// tokenBodies returns how to show the tokens.
func (a *API) tokenBodies(ctx context.Context, tokens []token.Token) (func(*token.Token) Token, error) {
	standings, err := standingsOf(ctx, a, tokens, func(t *token.Token) uuid.UUID { return t.ID })
	if err != nil {
		return nil, err
	}
	owners := make([]uuid.UUID, 0, len(tokens))
	for i := range tokens {
		owners = append(owners, tokens[i].UserID)
	}
	emails, err := a.Store.UserEmails(ctx, scopeOf(ctx), distinct(owners))
	if err != nil {
		return nil, err
	}
	return func(t *token.Token) Token { return tokenOf(t, holding{emails[t.UserID], standings[t.ID]}) }, nil
}

func (a *API) getToken(ctx context.Context, in *ByID) (*Answer[Token], error) {
	found, err := a.Store.Token(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return a.showToken(ctx, &found)
}

func (a *API) showToken(ctx context.Context, t *token.Token) (*Answer[Token], error) {
	show, err := a.tokenBodies(ctx, []token.Token{*t})
	if err != nil {
		return nil, err
	}
	return answer(show(t)), nil
}

func (a *API) updateToken(ctx context.Context, in *tokenUpdate) (*Answer[Token], error) {
	body := &in.Body
	addresses, err := checkLimits(body.Models.value, body.Addresses.value)
	if err != nil {
		return nil, err
	}
	patch := store.TokenPatch{
		Name: body.Name.pointer(), Models: body.Models.pointer(),
		Status: (*token.Status)(body.Status.pointer()), Cap: capOf(body.Quota), Caps: body.Caps.value.store(),
		Limits: body.Limits.value.core(),
	}
	if body.Addresses.set {
		written := make([]string, 0, len(addresses))
		for _, prefix := range addresses {
			written = append(written, prefix.String())
		}
		patch.Addresses = &written
	}
	if body.ExpiresAt.set {
		expires := value(body.ExpiresAt.value)
		patch.ExpiresAt = &expires
	}
	updated, err := a.Store.UpdateToken(ctx, scopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	return a.showToken(ctx, &updated)
}

func (a *API) revokeToken(ctx context.Context, in *ByID) (*Answer[Token], error) {
	revoked := token.Revoked
	updated, err := a.Store.UpdateToken(ctx, scopeOf(ctx), in.ID, store.TokenPatch{Status: &revoked})
	if err != nil {
		return nil, err
	}
	return a.showToken(ctx, &updated)
}

func (a *API) rotateToken(ctx context.Context, in *ByID) (minted *Answer[CreatedToken], err error) {
	err = a.Store.Atomically(ctx, func(s *store.Store) error {
		old, account, err := retire(ctx, s, in.ID)
		if err != nil {
			return err
		}
		caps, err := s.Caps(ctx, scopeOf(ctx), []uuid.UUID{in.ID})
		if err != nil {
			return err
		}
		if old.Purpose == token.ForPlayground {
			return problem.New(problem.Conflict, "The playground replaces its tokens by itself.")
		}
		old.Status = token.Enabled
		minted, err = a.mint(ctx, s, store.NewToken{Token: old, Cap: remaining(&account), Caps: caps[in.ID], Replaces: in.ID})
		return err
	})
	return minted, err
}

// retire revokes a token and returns it with its account.
func retire(ctx context.Context, s *store.Store, id uuid.UUID) (token.Token, quota.Account, error) {
	old, err := s.Token(ctx, scopeOf(ctx), id)
	if err != nil {
		return old, quota.Account{}, err
	}
	if old.Status == token.Revoked {
		return old, quota.Account{}, problem.New(problem.Conflict, "The token is revoked.")
	}
	revoked := token.Revoked
	if _, err := s.UpdateToken(ctx, scopeOf(ctx), id, store.TokenPatch{Status: &revoked}); err != nil {
		return old, quota.Account{}, err
	}
	account, err := s.Account(ctx, scopeOf(ctx), id)
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
