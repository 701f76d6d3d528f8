-- Whether the usage of every answer of the tenant's calls shows the quota that was deducted.
ALTER TABLE tenants ADD COLUMN include_quota boolean NOT NULL DEFAULT false;
