package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/trail"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/web"
)

// watched returns a handler that records what operators read of tenants: an entry for each tenant that the request or its
// response names. So a new operation is recorded without a change here.
func watched[I, O any](a *API, op *Operation, handler func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	if op.Method != http.MethodGet || op.Public || a.trail == nil {
		return handler
	}
	what := op.Method + " /api" + op.Path
	inPath := tenantID
	if strings.HasPrefix(op.Path, "/operator/tenants/{id}") {
		inPath = "ID"
	}
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if caller := CallerOf(ctx); err == nil && caller.User.Role == tenant.Operator {
			read := tenants{}
			read.find(reflect.ValueOf(in), inPath)
			read.find(reflect.ValueOf(out), tenantID)
			for id := range read {
				a.trail.Note(&trail.Event{
					Action: trail.TenantRead, TenantID: id, UserID: caller.User.ID, Actor: caller.Scope().Name(),
					Target: id.String(), Address: web.RecordOf(ctx).Address, What: what,
				})
			}
		}
		return out, err
	}
}

// tenants is a set of ids of tenants.
type tenants map[uuid.UUID]struct{}

// tenantID is the name of the fields with the id of a tenant.
const tenantID = "TenantID"

// find adds the ids in fields named TenantID, and in those that the value itself has under the given name. The value is a
// request or a response: structs, pointers to them and lists of them.
func (t tenants) find(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			t.find(v.Elem(), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			t.find(v.Index(i), tenantID)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if !field.IsExported() {
				continue
			}
			switch {
			case field.Name == tenantID || field.Name == name:
				t.add(value)
			case field.Anonymous:
				t.find(value, name)
			default:
				t.find(value, tenantID)
			}
		}
	default:
	}
}

// add adds the id, unless it is absent.
func (t tenants) add(v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return
	}
	if id, ok := v.Interface().(uuid.UUID); ok && id != uuid.Nil {
		t[id] = struct{}{}
	}
}
