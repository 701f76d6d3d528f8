package supplier

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/queue"
	invoicedb "github.com/tollgate/tollgate/libs/store/invoice"
)

// BillingAccount describes an account at a provider whose charges are compared with the supplier cost of our usage
// logs. It never contains the billing credential.
type BillingAccount struct {
	ID            uuid.UUID    `json:"id"`
	Name          string       `json:"name"`
	Provider      string       `json:"provider" enum:"openai,anthropic,openrouter,csv" doc:"Whose API states the charges. csv: people upload files"`
	BaseURL       string       `json:"base_url" doc:"URL of the provider's API; empty: the public one"`
	Status        string       `json:"status" enum:"enabled,disabled" doc:"disabled: charges are not fetched"`
	Channels      []uuid.UUID  `json:"channels" doc:"Ids of the channels whose calls the account pays. A list of accounts has the first 20 of each account"`
	ChannelsCount int          `json:"channels_count" doc:"Number of channels"`
	Keys          []BillingKey `json:"keys" doc:"The API keys of the account, if they are compared one by one. Then only calls with these keys count as ours. A list of accounts has the first 20 of each account"`
	KeysCount     int          `json:"keys_count" doc:"Number of keys"`
	HasCredential bool         `json:"has_credential" doc:"Whether a billing credential is stored. It is never shown"`
	CreatedAt     time.Time    `json:"created_at"`
	UpdatedAt     time.Time    `json:"updated_at"`
	FetchedAt     *time.Time   `json:"fetched_at" nullable:"true" doc:"Time of the last report or upload; null if there is none"`
	DueAt         time.Time    `json:"due_at" doc:"When a worker fetches the charges next"`
	Error         string       `json:"error" doc:"Why the last fetch failed; empty if it did not"`
}

// BillingKey maps a provider's id of an API key to the mask of the same key.
type BillingKey struct {
	ID   string `json:"id" minLength:"1" maxLength:"200" example:"key_abc" doc:"Id of the key at the provider"`
	Mask string `json:"mask" minLength:"1" maxLength:"200" doc:"Mask of the key, as its channel shows it"`
}

func billingAccountOf(a *invoice.Account) BillingAccount {
	body := BillingAccount{
		ID: a.ID, Name: a.Name, Provider: string(a.Provider), BaseURL: a.BaseURL, Status: string(a.Status),
		Channels:      append([]uuid.UUID{}, a.Channels...),
		ChannelsCount: len(a.Channels), Keys: []BillingKey{}, KeysCount: len(a.Keys), HasCredential: a.Credential,
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, FetchedAt: null.Time(a.FetchedAt),
		DueAt: a.DueAt, Error: a.Error,
	}
	for _, key := range a.Keys {
		body.Keys = append(body.Keys, BillingKey(key))
	}
	return body
}

// keysOf returns the keys of a body.
func keysOf(keys []BillingKey) []invoice.Key {
	list := make([]invoice.Key, 0, len(keys))
	for _, key := range keys {
		list = append(list, invoice.Key(key))
	}
	return list
}

// NewBillingAccount is the body of createBillingAccount.
type NewBillingAccount struct {
	Name       string       `json:"name" minLength:"1" maxLength:"200"`
	Provider   string       `json:"provider" enum:"openai,anthropic,openrouter,csv" doc:"Whose API states the charges. csv: people upload files"`
	BaseURL    string       `json:"base_url,omitempty" maxLength:"2000" doc:"URL of the provider's API. Defaults to the public one"`
	Status     string       `json:"status,omitempty" enum:"enabled,disabled" default:"enabled"`
	Channels   []uuid.UUID  `json:"channels,omitempty" maxItems:"200" doc:"Ids of the channels whose calls the account pays"`
	Keys       []BillingKey `json:"keys,omitempty" maxItems:"500" doc:"The API keys of the account, to compare them one by one"`
	Credential string       `json:"credential,omitempty" maxLength:"4096" writeOnly:"true" doc:"Billing credential: an admin key of OpenAI or Anthropic, a management key of OpenRouter. It is stored encrypted, only workers can read it, and it is never shown again"`
}

// BillingAccountPatch is the body of updateBillingAccount.
type BillingAccountPatch struct {
	Name       api.Optional[string]       `json:"name,omitzero" minLength:"1" maxLength:"200"`
	BaseURL    api.Optional[string]       `json:"base_url,omitzero" maxLength:"2000" doc:"A change drops the billing credential, unless credential has it again"`
	Status     api.Optional[string]       `json:"status,omitzero" enum:"enabled,disabled"`
	Channels   api.Optional[[]uuid.UUID]  `json:"channels,omitzero" maxItems:"200"`
	Keys       api.Optional[[]BillingKey] `json:"keys,omitzero" maxItems:"500"`
	Credential api.Optional[string]       `json:"credential,omitzero" maxLength:"4096" writeOnly:"true" doc:"Replaces the billing credential. It is stored encrypted and never shown again"`
}

// SupplierFile is the body of uploadSupplierCharges.
type SupplierFile struct { //nolint:revive // the name of its schema in OpenAPI
	CSV string `json:"csv" minLength:"1" maxLength:"524288" doc:"CSV. Its first line names the columns: day and amount (USD), and optionally model, key, input_tokens, output_tokens and requests"`
}

// UploadedCharges counts what an upload stored.
type UploadedCharges struct {
	Days    int `json:"days" doc:"Number of days whose charges the file replaced"`
	Charges int `json:"charges" doc:"Number of days, models and keys in the file"`
}

type billingAccountUpdate struct {
	api.ByID
	Body BillingAccountPatch
}

type supplierUpload struct {
	api.ByID
	Body SupplierFile
}

// registerBillingAccounts registers the operations on billing accounts.
func registerBillingAccounts(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createBillingAccount", Method: http.MethodPost, Path: "/operator/billing-accounts", Tag: "suppliers",
		Summary: "Create a billing account",
		Description: "A worker fetches what the provider charged, and compares it with the supplier cost of the " +
			"channels' calls.",
		Status: http.StatusCreated, Errors: []int{http.StatusConflict},
		Needs: permission.WritePlatform, Confirm: "the body contains a credential",
	}, h.createBillingAccount)
	api.Register(h.API, api.Operation{
		ID: "listBillingAccounts", Method: http.MethodGet, Path: "/operator/billing-accounts", Tag: "suppliers",
		Scope: token.ReadTenants, Summary: "List billing accounts",
		Description: "Oldest first. Billing credentials are never shown. Each account has the first 20 of its " +
			"channels and keys; getBillingAccount has all.", Errors: []int{http.StatusForbidden},
	}, h.listBillingAccounts)
	api.Register(h.API, api.Operation{
		ID: "getBillingAccount", Method: http.MethodGet, Path: "/operator/billing-accounts/{id}", Tag: "suppliers",
		Scope: token.ReadTenants, Summary: "Get a billing account",
		Description: "Billing credentials are never shown.", Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getBillingAccount)
	api.Register(h.API, api.Operation{
		ID: "updateBillingAccount", Method: http.MethodPatch, Path: "/operator/billing-accounts/{id}", Tag: "suppliers",
		Summary: "Edit, disable or enable a billing account",
		Description: "Changes only the fields that are sent. A change of base_url drops the billing credential, " +
			"unless credential has it again.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
		Needs:  permission.WritePlatform, Confirm: "the request changes base_url or credential",
	}, h.updateBillingAccount)
	api.Register(h.API, api.Operation{
		ID: "deleteBillingAccount", Method: http.MethodDelete, Path: "/operator/billing-accounts/{id}",
		Tag: "suppliers", Summary: "Delete a billing account",
		Description: "Its credential, charges and comparisons are deleted, too.", Status: http.StatusNoContent,
		Errors: []int{http.StatusNotFound},
	}, h.deleteBillingAccount)
	api.Register(h.API, api.Operation{
		ID: "fetchBillingAccount", Method: http.MethodPost, Path: "/operator/billing-accounts/{id}/fetch",
		Tag: "suppliers", Scope: token.WriteBilling, Summary: "Fetch the charges now",
		Description: "A worker fetches and compares the charges at its next run, within minutes. An account that is " +
			"disabled is not fetched.",
		Status: http.StatusAccepted, Errors: []int{http.StatusNotFound},
	}, h.fetchBillingAccount)
	api.Register(h.API, api.Operation{
		ID: "uploadSupplierCharges", Method: http.MethodPost, Path: "/operator/billing-accounts/{id}/charges",
		Tag: "suppliers", Scope: token.WriteBilling, Summary: "Upload charges as CSV",
		Description: "For accounts with the provider csv. The charges of all days in the file are replaced. A file " +
			"with a wrong line changes nothing.",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, Needs: permission.WritePlatform,
		Body: api.DocumentBody,
	}, h.uploadSupplierCharges)
}

// sealBilling seals the credential of a body for the account, or returns nil for "".
func (h *handlers) sealBilling(credential string, id uuid.UUID) (*invoicedb.Credential, error) {
	if credential == "" {
		return nil, nil //nolint:nilnil // no credential is given, which is not an error
	}
	if err := draft.CheckCredential(credential, "credential"); err != nil {
		return nil, err
	}
	return &invoicedb.Credential{Sealed: h.Sealer.SealBilling(credential, id.String()), With: h.Sealer.BillingKey()},
		nil
}

// wakeFetcher wakes a worker for an account that is due. It is no error if none wakes: workers look every few minutes.
func (h *handlers) wakeFetcher(ctx context.Context) {
	if h.Queue == nil {
		return
	}
	if err := h.Queue.Wake(ctx, queue.FetchCharges); err != nil {
		h.Log.WarnContext(ctx, "waking a worker failed", "task", string(queue.FetchCharges), "error", err)
	}
}

func (h *handlers) createBillingAccount(ctx context.Context,
	in *struct{ Body NewBillingAccount }) (*api.Answer[BillingAccount], error) {
	body := &in.Body
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	if body.Credential != "" {
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
	}
	credential, err := h.sealBilling(body.Credential, id)
	if err != nil {
		return nil, err
	}
	account, err := h.Store.Invoice.CreateAccount(ctx, api.ScopeOf(ctx), invoice.Account{
		ID: id, Name: body.Name, Provider: invoice.Provider(body.Provider), BaseURL: body.BaseURL,
		Status:   tenant.Status(body.Status),
		Channels: body.Channels, Keys: keysOf(body.Keys),
	}, credential)
	if err != nil {
		return nil, err
	}
	h.wakeFetcher(ctx)
	return api.NewAnswer(billingAccountOf(&account)), nil
}

func (h *handlers) listBillingAccounts(ctx context.Context,
	in *api.PageQuery) (*api.Answer[api.List[BillingAccount]], error) {
	page, err := h.Store.Invoice.Accounts(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(a *invoice.Account) BillingAccount {
		body := billingAccountOf(a)
		body.Channels, body.Keys = part.Few(body.Channels), part.Few(body.Keys)
		return body
	}), nil
}

func (h *handlers) getBillingAccount(ctx context.Context, in *api.ByID) (*api.Answer[BillingAccount], error) {
	account, err := h.Store.Invoice.Account(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(billingAccountOf(&account)), nil
}

func (h *handlers) updateBillingAccount(ctx context.Context,
	in *billingAccountUpdate) (*api.Answer[BillingAccount], error) {
	body := &in.Body
	if body.BaseURL.Given() || body.Credential.Given() {
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
	}
	if body.Credential.Given() && body.Credential.Value() == "" {
		return nil, problem.New(problem.InvalidType,
			"A credential must have 1 to 4,096 visible ASCII characters, without spaces.").At("credential")
	}
	credential, err := h.sealBilling(body.Credential.Value(), in.ID)
	if err != nil {
		return nil, err
	}
	patch := invoicedb.Patch{
		Name: body.Name.Pointer(), BaseURL: body.BaseURL.Pointer(), Status: (*tenant.Status)(body.Status.Pointer()),
		Channels: body.Channels.Pointer(), Credential: credential,
	}
	if body.Keys.Given() {
		keys := keysOf(body.Keys.Value())
		patch.Keys = &keys
	}
	account, err := h.Store.Invoice.UpdateAccount(ctx, api.ScopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	h.wakeFetcher(ctx)
	return api.NewAnswer(billingAccountOf(&account)), nil
}

func (h *handlers) deleteBillingAccount(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Invoice.DeleteAccount(ctx, api.ScopeOf(ctx), in.ID)
}

func (h *handlers) fetchBillingAccount(ctx context.Context, in *api.ByID) (*api.Answer[BillingAccount], error) {
	if err := h.Store.Invoice.FetchNow(ctx, api.ScopeOf(ctx), in.ID); err != nil {
		return nil, err
	}
	h.wakeFetcher(ctx)
	return h.getBillingAccount(ctx, in)
}

func (h *handlers) uploadSupplierCharges(ctx context.Context,
	in *supplierUpload) (*api.Answer[UploadedCharges], error) {
	report, err := invoice.ParseCSV(in.Body.CSV)
	if err != nil {
		return nil, err
	}
	if err := h.Store.Invoice.Upload(ctx, api.ScopeOf(ctx), in.ID, report); err != nil {
		return nil, err
	}
	h.wakeFetcher(ctx)
	return api.NewAnswer(UploadedCharges{Days: len(report.Days), Charges: len(report.Charges)}), nil
}
