package api

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/web"
)

// recordingReads returns a handler that records what operators read of tenants: an entry for each tenant that the
// request or its response names, or whose users, tokens or access keys they name by id. So a new operation is recorded
// without a change here. It watches operations that read: those with the method GET, and those for which an access key
// needs a scope to read.
func recordingReads[I, O any](a *API, op *Operation,
	handler func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	reads := op.Method == http.MethodGet || strings.HasSuffix(string(op.Scope), ":read")
	if !reads || op.Public || a.events == nil {
		return handler
	}
	endpoint := op.Method + " /api" + op.Path
	inPath := tenantID
	if strings.HasPrefix(op.Path, "/operator/tenants/{id}") {
		inPath = "ID"
	}
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if caller := CallerOf(ctx); err != nil || caller.User.Role != tenant.Operator {
			return out, err
		}
		scan := named{tenants: ids{}, others: ids{}}
		scan.find(reflect.ValueOf(in), inPath)
		scan.find(reflect.ValueOf(out), tenantID)
		owners, err := a.ownersOf(ctx, slices.Collect(maps.Keys(scan.others)))
		if err != nil {
			return nil, err
		}
		for _, id := range owners {
			scan.tenants[id] = struct{}{}
		}
		a.noteRead(ctx, endpoint, slices.Collect(maps.Keys(scan.tenants)))
		return out, nil
	}
}

// NoteReads records that an operator read data of the tenants to which the users, tokens and access keys with the ids
// belong. It does nothing for other callers.
func (a *API) NoteReads(ctx context.Context, event string, ids []uuid.UUID) error {
	if CallerOf(ctx).User.Role != tenant.Operator {
		return nil
	}
	owners, err := a.ownersOf(ctx, ids)
	a.noteRead(ctx, event, owners)
	return err
}

// ownersOf returns the tenants to which the users, tokens and access keys with the ids belong.
func (a *API) ownersOf(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return a.tenantsOf(ctx, ScopeOf(ctx), ids)
}

// NoteReadOfAll records that an operator read data of every tenant. It does nothing for other callers.
func (a *API) NoteReadOfAll(ctx context.Context, event string) error {
	if CallerOf(ctx).User.Role != tenant.Operator {
		return nil
	}
	tenants, err := a.tenantsOf(ctx, ScopeOf(ctx), nil)
	a.noteRead(ctx, event, tenants)
	return err
}

func (a *API) noteRead(ctx context.Context, event string, tenants []uuid.UUID) {
	for _, id := range tenants {
		a.Note(ctx, auditbuffer.Event{Action: auditbuffer.TenantRead, TenantID: id, Target: id.String(), What: event})
	}
}

// Note counts an event of the caller for the audit log.
func (a *API) Note(ctx context.Context, e auditbuffer.Event) {
	caller := CallerOf(ctx)
	e.UserID, e.Actor, e.Address = caller.User.ID, caller.Scope().Name(), web.RecordOf(ctx).Address
	a.events.Note(&e)
}

// ids is a set of ids.
type ids map[uuid.UUID]struct{}

// named holds the ids in a request and its response: those of tenants, and all others.
type named struct{ tenants, others ids }

// tenantID is the name of the fields with the id of a tenant.
const tenantID = "TenantID"

// find adds the ids in the value, which is a request or a response: structs, pointers to them, lists and maps of them.
// Those in fields named TenantID are tenants, and those in fields that the value itself has under the given name.
func (n named) find(v reflect.Value, name string) {
	if !v.IsValid() {
		return
	}
	if v.Type() == reflect.TypeFor[uuid.UUID]() {
		n.add(v, n.others)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		n.find(v.Elem(), name)
	case reflect.String: // such as the value of a row of a summary by user
		if id, err := uuid.Parse(v.String()); err == nil {
			n.others[id] = struct{}{}
		}
	case reflect.Slice:
		for i := range v.Len() {
			n.find(v.Index(i), tenantID)
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			n.find(entry.Key(), tenantID)
			n.find(entry.Value(), tenantID)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			switch {
			case !field.IsExported() && !field.Anonymous:
			case field.Name == tenantID || field.Name == name:
				n.add(value, n.tenants)
			case field.Anonymous:
				n.find(value, name)
			default:
				n.find(value, tenantID)
			}
		}
	default:
	}
}

// add adds the id to a set, unless it is absent.
func (n named) add(v reflect.Value, to ids) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() || !v.CanInterface() {
		return
	}
	if id, ok := v.Interface().(uuid.UUID); ok && id != uuid.Nil {
		to[id] = struct{}{}
	}
}
