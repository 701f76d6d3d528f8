-- A keyed hash of the address and the User-Agent of the client. See usage.Log.
ALTER TABLE usage_logs ADD COLUMN client bigint;
