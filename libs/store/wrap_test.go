package store_test

import (
	"errors"
	"go/ast"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// A row that waited while a partition for it was attached violates the constraint of another partition.
func TestRefusal_LeavesOutConstraintsOfPartitions(t *testing.T) {
	t.Parallel()
	conn := storetest.Need(pgx.Connect(background, storetest.Postgres(t)))(t)
	t.Cleanup(func() { storetest.OK(t, conn.Close(background)) })
	_, err := conn.Exec(background, `CREATE TABLE parts (n int CHECK (n > 0)) PARTITION BY RANGE (n);
		CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (2)`)
	storetest.OK(t, err)
	for n, refused := range map[int]bool{0: true, 3: false} {
		_, err := conn.Exec(background, "INSERT INTO part VALUES ($1)", n)
		if err == nil || errors.Is(db.Refusal(err), db.ErrRefused) != refused {
			t.Errorf("%d: got %v, want a refusal: %v", n, err, refused)
		}
	}
}

// An error of the database names the operation and is not a problem of the caller.
func TestErrors_NameTheOperation(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	storetest.OK(t, s.Close())
	ctx := t.Context()
	for operation, call := range map[string]func() error{
		"read audit log": func() error { _, err := s.Audit.List(ctx, platform, audit.Query{}); return err },
		"read channels":  func() error { _, err := s.Catalog.Channels(ctx, platform, nil, page.Page{}); return err },
		"read tenants":   func() error { _, err := s.Identity.Tenants(ctx, platform, page.Page{}); return err },
		"release leases": func() error { return s.Quota.ReleaseLeases(ctx, platform, storetest.NewID()) },
		"drain outbox":   func() error { _, err := s.Rollup.DrainOutbox(ctx, platform, 0); return err },
		"recall quota":   func() error { return s.Quota.RecallQuota(ctx, platform, storetest.NewID()) },
		"see access key": func() error { return s.Token.SeeAccessKey(ctx, platform, storetest.NewID()) },
		"see session":    func() error { return s.Signin.SeeSession(ctx, platform, storetest.NewID()) },
		"confirm session": func() error {
			_, err := s.Signin.ConfirmSession(ctx, platform, storetest.NewID(), signin.ByPassword)
			return err
		},
		"delete response": func() error {
			reach := tenant.Reach{TenantID: storetest.NewID()}
			return s.Response.DeleteResponse(ctx, platform, reach, storetest.NewID())
		},
	} {
		err := call()
		if err == nil || !strings.HasPrefix(err.Error(), operation+": ") || !db.Transient(err) {
			t.Errorf("got error %v, want a transient one of %q", err, operation)
		}
		if problem.Is(err, problem.NotFound) {
			t.Errorf("%s: an error of the database is NotFound", operation)
		}
	}
}

// Every exported method of a Store that may send a statement begins with a deferred db.Wrap. The test reads
// the source, because a linter cannot see that a deferred call wraps the error.
func TestMethods_WrapTheirErrors(t *testing.T) {
	checked := 0
	for _, folder := range storetest.Need(filepath.Glob("*"))(t) {
		for name, m := range methodsOf(t, folder, "Store") {
			if !m.Name.IsExported() || !takesContext(m.Type) {
				continue
			}
			checked++
			if !beginsWithWrap(m.Body) {
				t.Errorf("%s: %s does not begin with defer db.Wrap(&err, operation)", folder, name)
			}
		}
	}
	if checked < 100 {
		t.Errorf("got %d methods, want at least 100", checked)
	}
}

// takesContext reports whether the first parameter is a context.Context.
func takesContext(f *ast.FuncType) bool {
	return len(f.Params.List) > 0 && isSelected(f.Params.List[0].Type, "Context")
}

// beginsWithWrap reports whether the first statement is "defer db.Wrap(&err, operation)".
func beginsWithWrap(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	deferred, ok := body.List[0].(*ast.DeferStmt)
	return ok && isSelected(deferred.Call.Fun, "Wrap") && len(deferred.Call.Args) == 2
}
