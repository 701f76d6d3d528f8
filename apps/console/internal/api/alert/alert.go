// Package alert registers the operations of the console's API on alerts: rules, destinations and the history. For
// people of a tenant they are about the tenant, for operators about the platform. Members may not use them.
package alert

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store  *store.Store
	Sealer *seal.Sealer
	Queue  resource.Waker // nil: workers find alerts only when they look for them
	Allow  []netip.Prefix // networks that URLs may name although they are not public
	Mails  bool           // whether mail is configured
	Log    *slog.Logger
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	registerDestinations(h)
	registerRules(h)
	registerHistory(h)
}

// AlertDestination holds the address to which alerts are sent. It never contains the URL or the signing secret.
type AlertDestination struct { //nolint:revive // the name of its schema in OpenAPI
	ID        uuid.UUID  `json:"id"`
	Channel   string     `json:"channel" enum:"mail,webhook,slack"`
	Name      string     `json:"name"`
	UserID    *uuid.UUID `json:"user_id" nullable:"true" doc:"The user who gets the mails; null for other channels"`
	Target    string     `json:"target" doc:"Address of the user, or scheme and host of the URL. The rest of the URL is never shown"`
	Language  string     `json:"language" enum:"en,zh-Hans" doc:"Language of webhooks. Mails have that of their user"`
	Status    string     `json:"status" enum:"enabled,disabled" doc:"disabled: no alerts are sent"`
	CreatedAt time.Time  `json:"created_at"`
}

func destinationOf(d *alert.Destination) AlertDestination {
	body := AlertDestination{
		ID: d.ID, Channel: string(d.Channel), Name: d.Name, UserID: null.ID(d.MailTo), Target: d.Shown,
		Language: string(d.Language),
		Status:   string(d.Status), CreatedAt: d.CreatedAt,
	}
	if body.Language == "" {
		body.Language = string(language.English)
	}
	return body
}

// NewAlertDestination is the body of createAlertDestination.
type NewAlertDestination struct {
	Channel  string    `json:"channel" enum:"mail,webhook,slack" doc:"slack: the format of Slack's incoming webhooks, which other programs understand, too"`
	Name     string    `json:"name" minLength:"1" maxLength:"200"`
	UserID   uuid.UUID `json:"user_id,omitzero" doc:"For mail: the user who gets the mails, a member of the organization with a confirmed address"`
	URL      string    `json:"url,omitempty" maxLength:"2000" writeOnly:"true" doc:"For webhook and slack: an https URL with a public address. It is stored encrypted and never shown again"`
	Language string    `json:"language,omitempty" enum:"en,zh-Hans" default:"en" doc:"Language of the texts in webhooks"`
}

// CreatedAlertDestination is a destination with its signing secret, which is shown this once.
type CreatedAlertDestination struct {
	Destination AlertDestination `json:"destination"`
	Secret      string           `json:"secret,omitempty" doc:"Secret with which webhooks are signed. It is never shown again. Absent for mail and slack"`
}

// AlertDestinationPatch is the body of updateAlertDestination.
type AlertDestinationPatch struct { //nolint:revive // the name of its schema in OpenAPI
	Name   api.Optional[string] `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Status api.Optional[string] `json:"status,omitzero" enum:"enabled,disabled"`
	URL    api.Optional[string] `json:"url,omitzero" minLength:"1" maxLength:"2000" writeOnly:"true" doc:"A new URL of a webhook, as in createAlertDestination. The signing secret stays: replaceAlertSecret makes a new one"`
}

type destinationUpdate struct {
	api.ByID
	Body AlertDestinationPatch
}

func registerDestinations(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAlertDestinations", Method: http.MethodGet, Path: "/alert-destinations", Tag: "alerts",
		Scope: token.ReadUsage, Summary: "List the destinations of alerts",
		Description: "Oldest first. For admins and owners those of their organization, for operators those of the " +
			"platform.", Errors: []int{http.StatusForbidden},
	}, h.listDestinations)
	api.Register(h.API, api.Operation{
		ID: "createAlertDestination", Method: http.MethodPost, Path: "/alert-destinations", Tag: "alerts",
		Summary:     "Create a destination of alerts",
		Description: "Returns the signing secret of a webhook. There may be at most 20 destinations.",
		Status:      http.StatusCreated,
		Errors:      []int{http.StatusForbidden, http.StatusConflict}, Needs: permission.WriteAlerts,
		Confirm: "channel is webhook or slack",
	}, h.createDestination)
	api.Register(h.API, api.Operation{
		ID: "updateAlertDestination", Method: http.MethodPatch, Path: "/alert-destinations/{id}", Tag: "alerts",
		Summary:     "Change a destination of alerts",
		Description: "Changes only the fields that are sent. Alerts that wait go to a new URL.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict}, Confirm: "url is sent",
	}, h.updateDestination)
	api.Register(h.API, api.Operation{
		ID: "replaceAlertSecret", Method: http.MethodPost, Path: "/alert-destinations/{id}/secret", Tag: "alerts",
		Summary:     "Replace the signing secret of a webhook",
		Description: "The new secret signs all further requests. It is shown this once.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
		Confirm:     api.Always,
	}, h.replaceSecret)
	api.Register(h.API, api.Operation{
		ID: "deleteAlertDestination", Method: http.MethodDelete, Path: "/alert-destinations/{id}", Tag: "alerts",
		Summary:     "Delete a destination of alerts",
		Description: "Alerts that wait for it are not sent.", Status: http.StatusNoContent,
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.deleteDestination)
	api.Register(h.API, api.Operation{
		ID: "testAlertDestination", Method: http.MethodPost, Path: "/alert-destinations/{id}/test", Tag: "alerts",
		Summary: "Send a test alert to a destination",
		Description: "The alert goes through the same outbox as others. listAlerts shows its delivery. There may be " +
			"10 tests in an hour.", Status: http.StatusAccepted,
		Errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
	}, h.testDestination)
}

func (h *handlers) listDestinations(ctx context.Context,
	in *api.PageQuery) (*api.Answer[api.List[AlertDestination]], error) {
	page, err := h.Store.Alert.Destinations(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, destinationOf), nil
}

// newSecret returns a new signing secret, and its sealed form for the destination.
func (h *handlers) newSecret(id uuid.UUID) (secret string, ciphertext []byte, err error) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	secret = alert.SecretOf(random)
	ciphertext, err = h.Sealer.Seal(secret, alert.SecretPurpose(id))
	return secret, ciphertext, err
}

func (h *handlers) createDestination(ctx context.Context,
	in *struct{ Body NewAlertDestination }) (*api.Answer[CreatedAlertDestination], error) {
	body := &in.Body
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	n := alertdb.NewDestination{ID: id, Channel: alert.Channel(body.Channel), Name: body.Name, MailTo: body.UserID,
		Language: language.Tag(body.Language)}
	answer := CreatedAlertDestination{}
	switch mails := n.Channel == alert.Mail; {
	case mails && body.URL != "":
		return nil, problem.New(problem.InvalidType, "A destination of mail has no url.").At("url")
	case mails && !h.Mails:
		return nil, problem.New(problem.Conflict, "Mail is not configured. Use a webhook, or ask the operator.").
			At("channel")
	case !mails && n.MailTo != uuid.Nil:
		return nil, problem.New(problem.InvalidType, "Only a destination of mail has a user_id.").At("user_id")
	case !mails:
		// The alerts of an organization show its spend and its names, so a stolen session must not suffice.
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
		if n.Shown, n.URL, err = h.sealURL(id, body.URL); err != nil {
			return nil, err
		}
	}
	if n.Channel == alert.Webhook {
		if answer.Secret, n.Secret, err = h.newSecret(id); err != nil {
			return nil, err
		}
	}
	destination, err := h.Store.Alert.CreateDestination(ctx, api.ScopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	answer.Destination = destinationOf(&destination)
	return api.NewAnswer(answer), nil
}

// sealURL checks a URL, and returns the part that may be shown and its sealed form for the destination.
func (h *handlers) sealURL(id uuid.UUID, url string) (mask string, ciphertext []byte, err error) {
	if mask, err = alert.CheckURL(url, h.Allow); err != nil {
		return "", nil, err
	}
	ciphertext, err = h.Sealer.Seal(url, alert.URLPurpose(id))
	return mask, ciphertext, err
}

func (h *handlers) updateDestination(ctx context.Context,
	in *destinationUpdate) (_ *api.Answer[AlertDestination], err error) {
	patch := alertdb.DestinationPatch{Name: in.Body.Name.Pointer(), Status: (*tenant.Status)(in.Body.Status.Pointer())}
	if url := in.Body.URL.Pointer(); url != nil {
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
		if patch.Shown, patch.URL, err = h.sealURL(in.ID, *url); err != nil {
			return nil, err
		}
	}
	destination, err := h.Store.Alert.UpdateDestination(ctx, api.ScopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(destinationOf(&destination)), nil
}

func (h *handlers) replaceSecret(ctx context.Context, in *api.ByID) (*api.Answer[CreatedAlertDestination], error) {
	secret, ciphertext, err := h.newSecret(in.ID)
	if err != nil {
		return nil, err
	}
	destination, err := h.Store.Alert.UpdateDestination(ctx, api.ScopeOf(ctx), in.ID,
		alertdb.DestinationPatch{Secret: ciphertext})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(CreatedAlertDestination{Destination: destinationOf(&destination), Secret: secret}), nil
}

func (h *handlers) deleteDestination(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Alert.DeleteDestination(ctx, api.ScopeOf(ctx), in.ID)
}

func (h *handlers) testDestination(ctx context.Context, in *api.ByID) (*api.Answer[Alert], error) {
	created, err := h.Store.Alert.TestDestination(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	h.wake(ctx)
	return api.NewAnswer(alertOf(ctx, &created)), nil
}

// wake wakes a worker for alerts that are due. It is no error if none wakes: workers look every few seconds.
func (h *handlers) wake(ctx context.Context) {
	if h.Queue == nil {
		return
	}
	if err := h.Queue.Wake(ctx, queue.SendAlerts); err != nil {
		h.Log.WarnContext(ctx, "waking a worker failed", "task", string(queue.SendAlerts), "error", err)
	}
}

// AlertRule says what to watch and where to report it.
type AlertRule struct { //nolint:revive // the name of its schema in OpenAPI
	ID           uuid.UUID   `json:"id"`
	Name         string      `json:"name"`
	Kind         string      `json:"kind" enum:"quota_used,run_out,unusual_spend,credential_dead,model_unavailable,drift,spool" doc:"From credential_dead on for operators only"`
	Subject      string      `json:"subject,omitempty" enum:"tenant,user,token" doc:"Whose quota; absent for kinds about the platform"`
	SubjectID    *uuid.UUID  `json:"subject_id" nullable:"true" doc:"null: each one of the organization, for operators each one of the platform"`
	Period       string      `json:"period" enum:"lifetime,day,week,month" doc:"lifetime: the quota. day, week, month: the budget"`
	Thresholds   []int       `json:"thresholds" maxItems:"8" doc:"quota_used: percent of the quota. run_out: days. unusual_spend: percent of the average day. spool: minutes"`
	Destinations []uuid.UUID `json:"destinations" maxItems:"10" doc:"Ids of destinations. Without any, alerts appear in the history only"`
	Status       string      `json:"status" enum:"enabled,disabled"`
	CreatedAt    time.Time   `json:"created_at"`
}

func ruleOf(r *alert.Rule) AlertRule {
	body := AlertRule{
		ID: r.ID, Name: r.Name, Kind: string(r.Kind), Subject: string(r.Subject), SubjectID: null.ID(r.SubjectID),
		Period:     string(r.Period),
		Thresholds: append([]int{}, r.Thresholds...), Destinations: append([]uuid.UUID{}, r.Destinations...),
		Status: string(r.Status), CreatedAt: r.CreatedAt,
	}
	if r.Period == quota.Lifetime {
		body.Period = "lifetime"
	}
	return body
}

// NewAlertRule is the body of createAlertRule.
type NewAlertRule struct {
	Name         string      `json:"name" minLength:"1" maxLength:"200"`
	Kind         string      `json:"kind" enum:"quota_used,run_out,unusual_spend,credential_dead,model_unavailable,drift,spool" doc:"From credential_dead on for operators only"`
	Subject      string      `json:"subject,omitempty" enum:"tenant,user,token" doc:"Whose quota: required for quota_used, run_out and unusual_spend"`
	SubjectID    uuid.UUID   `json:"subject_id,omitzero" doc:"One tenant, user or token. Defaults to each one"`
	Period       string      `json:"period,omitempty" enum:"lifetime,day,week,month" default:"lifetime" doc:"lifetime: the quota. day, week, month: the budget"`
	Thresholds   []int       `json:"thresholds,omitempty" maxItems:"8" doc:"quota_used: 1 to 100 percent. run_out: 1 to 90 days. unusual_spend: 110 to 10000 percent of the average day. spool: 1 to 1440 minutes"`
	Destinations []uuid.UUID `json:"destinations,omitempty" maxItems:"10"`
	Status       string      `json:"status,omitempty" enum:"enabled,disabled" default:"enabled"`
}

// AlertRulePatch is the body of updateAlertRule.
type AlertRulePatch struct { //nolint:revive // the name of its schema in OpenAPI
	Name         api.Optional[string]      `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Thresholds   api.Optional[[]int]       `json:"thresholds,omitzero" maxItems:"8"`
	Destinations api.Optional[[]uuid.UUID] `json:"destinations,omitzero" maxItems:"10"`
	Status       api.Optional[string]      `json:"status,omitzero" enum:"enabled,disabled"`
}

type ruleUpdate struct {
	api.ByID
	Body AlertRulePatch
}

func registerRules(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAlertRules", Method: http.MethodGet, Path: "/alert-rules", Tag: "alerts", Scope: token.ReadUsage,
		Summary: "List the rules of alerts",
		Description: "Oldest first. For admins and owners those of their organization, for operators those of the " +
			"platform.", Errors: []int{http.StatusForbidden},
	}, h.listRules)
	api.Register(h.API, api.Operation{
		ID: "createAlertRule", Method: http.MethodPost, Path: "/alert-rules", Tag: "alerts",
		Summary: "Create a rule of alerts",
		Description: "A worker looks every minute. It reports a threshold once for each owner and window: a period " +
			"of a budget, or an amount of granted quota. There may be at most 50 rules.",
		Status: http.StatusCreated, Errors: []int{http.StatusForbidden, http.StatusConflict},
		Needs: permission.WriteAlerts,
	}, h.createRule)
	api.Register(h.API, api.Operation{
		ID: "updateAlertRule", Method: http.MethodPatch, Path: "/alert-rules/{id}", Tag: "alerts",
		Summary:     "Edit, disable or enable a rule of alerts",
		Description: "Changes only the fields that are sent. What a rule watches cannot be changed.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.updateRule)
	api.Register(h.API, api.Operation{
		ID: "deleteAlertRule", Method: http.MethodDelete, Path: "/alert-rules/{id}", Tag: "alerts",
		Summary:     "Delete a rule of alerts",
		Description: "Its alerts stay in the history.", Status: http.StatusNoContent,
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.deleteRule)
}

func (h *handlers) listRules(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[AlertRule]], error) {
	page, err := h.Store.Alert.Rules(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, ruleOf), nil
}

func (h *handlers) createRule(ctx context.Context, in *struct{ Body NewAlertRule }) (*api.Answer[AlertRule], error) {
	body := &in.Body
	period := quota.Period(body.Period)
	if body.Period == "lifetime" {
		period = quota.Lifetime
	}
	rule, err := h.Store.Alert.CreateRule(ctx, api.ScopeOf(ctx), alert.Rule{
		Name: body.Name, Kind: alert.Kind(body.Kind), Subject: alert.Subject(body.Subject),
		SubjectID: body.SubjectID, Period: period,
		Thresholds: body.Thresholds, Destinations: body.Destinations, Status: tenant.Status(body.Status),
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(ruleOf(&rule)), nil
}

func (h *handlers) updateRule(ctx context.Context, in *ruleUpdate) (*api.Answer[AlertRule], error) {
	body := &in.Body
	rule, err := h.Store.Alert.UpdateRule(ctx, api.ScopeOf(ctx), in.ID, alertdb.RulePatch{
		Name: body.Name.Pointer(), Thresholds: body.Thresholds.Pointer(), Destinations: body.Destinations.Pointer(),
		Status: (*tenant.Status)(body.Status.Pointer()),
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(ruleOf(&rule)), nil
}

func (h *handlers) deleteRule(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Alert.DeleteRule(ctx, api.ScopeOf(ctx), in.ID)
}

// Alert is a fact that a rule, or a test, has reported.
type Alert struct {
	ID         uuid.UUID       `json:"id" doc:"The same at each destination and in each attempt"`
	RuleID     *uuid.UUID      `json:"rule_id" nullable:"true" doc:"null for a test"`
	Kind       string          `json:"kind" enum:"quota_used,run_out,unusual_spend,credential_dead,model_unavailable,drift,spool,test"`
	Title      string          `json:"title" doc:"In the language of the caller"`
	Text       string          `json:"text"`
	CreatedAt  time.Time       `json:"created_at"`
	Deliveries []AlertDelivery `json:"deliveries" maxItems:"10"`
}

// AlertDelivery is the state of an alert at one destination.
type AlertDelivery struct { //nolint:revive // the name of its schema in OpenAPI
	DestinationID uuid.UUID  `json:"destination_id"`
	State         string     `json:"state" enum:"waiting,delivered,failed" doc:"waiting: it will be tried, or tried again. failed: given up"`
	Attempts      int        `json:"attempts"`
	Error         string     `json:"error" doc:"Why the last attempt failed; empty if it did not"`
	NextAttemptAt *time.Time `json:"next_attempt_at" nullable:"true" doc:"null unless state is waiting"`
	EndedAt       *time.Time `json:"ended_at" nullable:"true" doc:"When it was delivered or given up; null while it waits"`
}

func alertOf(ctx context.Context, a *alert.Alert) Alert {
	title, text := a.Fact.Words(api.CallerOf(ctx).User.Language)
	body := Alert{
		ID: a.ID, RuleID: null.ID(a.RuleID), Kind: string(a.Fact.Kind), Title: title, Text: text,
		CreatedAt: a.CreatedAt, Deliveries: []AlertDelivery{},
	}
	for i := range a.Deliveries {
		d := &a.Deliveries[i]
		delivery := AlertDelivery{DestinationID: d.DestinationID, State: string(d.State), Attempts: d.Attempts,
			Error: d.Error, EndedAt: null.Time(d.EndedAt)}
		if d.State == alert.Waiting {
			delivery.NextAttemptAt = null.Time(d.DueAt)
		}
		body.Deliveries = append(body.Deliveries, delivery)
	}
	return body
}

func registerHistory(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listAlerts", Method: http.MethodGet, Path: "/alerts", Tag: "alerts", Scope: token.ReadUsage,
		Summary: "List alerts with their deliveries",
		Description: "Newest first. Alerts are kept for 400 days. For admins and owners those of their " +
			"organization, for operators those of the platform.",
		Errors: []int{http.StatusForbidden},
	}, h.listAlerts)
	api.Register(h.API, api.Operation{
		ID: "retryAlert", Method: http.MethodPost, Path: "/alerts/{id}/retry", Tag: "alerts",
		Summary:     "Send an alert again where its delivery failed",
		Description: "The alert keeps its id.", Status: http.StatusAccepted,
		Errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
	}, h.retry)
}

func (h *handlers) listAlerts(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[Alert]], error) {
	page, err := h.Store.Alert.Alerts(ctx, api.ScopeOf(ctx), in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(a *alert.Alert) Alert { return alertOf(ctx, a) }), nil
}

func (h *handlers) retry(ctx context.Context, in *api.ByID) (*struct{}, error) {
	if err := h.Store.Alert.Retry(ctx, api.ScopeOf(ctx), in.ID); err != nil {
		return nil, err
	}
	h.wake(ctx)
	return nil, nil
}
