-- Whether the users of the tenant need a second factor.
ALTER TABLE tenants ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false;
GRANT UPDATE (require_second_factor) ON tenants TO tollgate_tenant;
