package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/service"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/erase"
)

// erasing holds the flags of the commands erase-user and erase-tenant.
type erasing struct{ yes bool }

// flags defines the flags.
func (e *erasing) flags(f *flag.FlagSet) {
	f.BoolVar(&e.yes, "yes", false, "Erase. Without it, the command prints what it would delete and changes nothing.")
}

// eraseUserCommand returns the command erase-user.
func eraseUserCommand() service.Command {
	e := &erasing{}
	return service.Command{Name: "erase-user", Arg: "EMAIL|ID",
		Help: "Delete the personal data of a user, and keep the bills.", Flags: e.flags, Run: e.user}
}

// eraseTenantCommand returns the command erase-tenant.
func eraseTenantCommand() service.Command {
	e := &erasing{}
	return service.Command{Name: "erase-tenant", Arg: "SLUG|ID",
		Help:  "Disable a tenant and delete the personal data of all its users, and keep the bills.",
		Flags: e.flags, Run: e.tenant}
}

// staying says what an erasure does not delete.
const staying = `stays: usage logs, sums, quota, budgets and the ledger, under the same ids; end users and tags of calls, with the usage logs
stays: entries of the audit log, with the address, until TOLLGATE_AUDIT_RETENTION ends
`

// user erases the one user with an address or an id.
func (e *erasing) user(p *service.Program, who string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	ctx, scope := context.Background(), tenant.SystemScope("erase")
	users, err := rt.Store.Erase.Users(ctx, scope, who)
	if err != nil {
		return err
	}
	if len(users) == 0 {
		return fmt.Errorf("no user has the address or id %s", who)
	}
	if len(users) > 1 {
		return fmt.Errorf("%d users have the address %s: name one of them by its id:\n%s", len(users), who,
			list(ctx, rt.Store, users))
	}
	record, err := rt.Store.Erase.User(ctx, scope, users[0].ID, e.request(rt))
	if err != nil {
		return err
	}
	return p.Print(func() ([]byte, error) { return []byte(e.report([]erase.Erased{record})), nil })
}

// tenant erases the tenant with a slug or an id.
func (e *erasing) tenant(p *service.Program, which string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	ctx, scope := context.Background(), tenant.SystemScope("erase")
	read := func() (tenant.Tenant, error) { return rt.Store.Identity.TenantBySlug(ctx, scope, which) }
	if id, notID := uuid.Parse(which); notID == nil {
		read = func() (tenant.Tenant, error) { return rt.Store.Identity.Tenant(ctx, scope, id) }
	}
	t, err := read()
	if err != nil {
		return err
	}
	var records []erase.Erased
	record, err := rt.Store.Erase.Tenant(ctx, scope, t.ID, e.request(rt),
		func(r erase.Erased) { records = append(records, r) })
	if err != nil {
		return fmt.Errorf("%d users are erased; repeat the command to continue: %w", len(records), err)
	}
	return p.Print(func() ([]byte, error) { return []byte(e.report(append(records, record))), nil })
}

// request returns how to erase.
func (e *erasing) request(rt *service.Runtime) erase.Request {
	sealer := rt.Config.Sealer()
	return erase.Request{DryRun: !e.yes, Recipient: func(id uuid.UUID, ciphertext []byte) string {
		return mailer.Recipient(sealer, id, ciphertext)
	}}
}

// list returns a line for each user, with the tenant.
func list(ctx context.Context, s *store.Store, users []tenant.User) string {
	var text strings.Builder
	for _, u := range users {
		tenantName := "the platform"
		if t, err := s.Identity.Tenant(ctx, tenant.SystemScope("erase"), u.TenantID); err == nil {
			tenantName = t.Slug
		}
		fmt.Fprintf(&text, "%s, %s of %s\n", u.ID, u.Role, tenantName)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// report says what was deleted, or would be, and what stays.
func (e *erasing) report(records []erase.Erased) string {
	var text strings.Builder
	if !e.yes {
		text.WriteString("a dry run, which changes nothing: --yes erases\n")
	}
	for i := range records {
		r := &records[i]
		fmt.Fprintf(&text, "%s %s, %s\n", r.Title(), r.Name, r.ID)
		for _, rows := range r.Rows {
			fmt.Fprintf(&text, "  %d %s\n", rows.N, rows.What)
		}
		if len(r.Rows) == 0 {
			text.WriteString("  nothing is left to erase\n")
		}
		if r.Elsewhere > 0 {
			fmt.Fprintf(&text, "  stays: %s of other tenants to this address\n",
				counted(int(r.Elsewhere), "invitation"))
		}
	}
	return text.String() + staying
}
