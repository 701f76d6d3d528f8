-- While one of these functions waits for a lock, all other statements on usage_logs wait behind it. So each call waits for a
-- short time only, and the worker calls again.
ALTER FUNCTION tollgate_make_partition(date) SET lock_timeout = '200ms';
ALTER FUNCTION tollgate_drop_partition(date) SET lock_timeout = '200ms';
