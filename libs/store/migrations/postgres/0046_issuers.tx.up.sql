-- The OpenID Connect issuer of a tenant. The role of tenants writes the secret and cannot read it.
CREATE TABLE issuers (
	tenant_id uuid PRIMARY KEY REFERENCES tenants,
	url text NOT NULL,
	client_id text NOT NULL,
	client_secret bytea NOT NULL, -- sealed for the tenant
	create_members boolean NOT NULL,
	default_role text NOT NULL,
	default_group_id uuid NOT NULL REFERENCES groups,
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL
);
SELECT tollgate_wall('issuers', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT (tenant_id, url, client_id, create_members, default_role, default_group_id, created_at, updated_at), INSERT, UPDATE, DELETE');

-- The domains of the addresses that an issuer signs in. Several tenants may name a domain, and operators approve it for one.
CREATE TABLE issuer_domains (
	tenant_id uuid NOT NULL REFERENCES tenants,
	domain text NOT NULL,
	approved_at timestamptz, -- null: the sign-in page does not send addresses of the domain to the issuer
	PRIMARY KEY (tenant_id, domain)
);
CREATE UNIQUE INDEX issuer_domains_approved ON issuer_domains (domain) WHERE approved_at IS NOT NULL;
SELECT tollgate_wall('issuer_domains', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT, INSERT (tenant_id, domain), DELETE');

-- Whether the users of the tenant, except owners, must sign in with the tenant's issuer.
ALTER TABLE tenants ADD COLUMN require_issuer boolean NOT NULL DEFAULT false;
GRANT UPDATE (require_issuer) ON tenants TO tollgate_tenant;
