-- Policy for a call whose longest answer costs more than is left: 'auto' sends the upstream an output cap, 'off' refuses.
ALTER TABLE tenants ADD COLUMN output_cap text NOT NULL DEFAULT 'auto';
