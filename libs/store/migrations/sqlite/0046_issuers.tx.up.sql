-- The OpenID Connect issuer of a tenant.
CREATE TABLE issuers (
	tenant_id text PRIMARY KEY REFERENCES tenants,
	url text NOT NULL,
	client_id text NOT NULL,
	client_secret blob NOT NULL, -- sealed for the tenant
	create_members boolean NOT NULL,
	default_role text NOT NULL,
	default_group_id text NOT NULL REFERENCES groups,
	created_at timestamp NOT NULL,
	updated_at timestamp NOT NULL
);

-- The domains of the addresses that an issuer signs in. Several tenants may name a domain, and operators approve it for one.
CREATE TABLE issuer_domains (
	tenant_id text NOT NULL REFERENCES tenants,
	domain text NOT NULL,
	approved_at timestamp, -- null: the sign-in page does not send addresses of the domain to the issuer
	PRIMARY KEY (tenant_id, domain)
);
CREATE UNIQUE INDEX issuer_domains_approved ON issuer_domains (domain) WHERE approved_at IS NOT NULL;

-- Whether the users of the tenant, except owners, must sign in with the tenant's issuer.
ALTER TABLE tenants ADD COLUMN require_issuer boolean NOT NULL DEFAULT false;
