-- Whether an address counts as verified of which the tenant's issuer does not say so, and the claims that its ID tokens must have.
ALTER TABLE issuers ADD COLUMN trust_email boolean NOT NULL DEFAULT false;
ALTER TABLE issuers ADD COLUMN required_claims text NOT NULL DEFAULT '[]';
