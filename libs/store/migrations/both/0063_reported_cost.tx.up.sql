-- What the upstream says it charges for a call, in nano-dollars; NULL if it states nothing.
ALTER TABLE usage_logs ADD COLUMN reported_cost bigint;
