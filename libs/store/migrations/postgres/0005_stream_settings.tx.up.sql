-- What happens to a stream whose quota ends: 'hard' or 'soft'.
ALTER TABLE tenants ADD COLUMN quota_mode text NOT NULL DEFAULT 'hard';

-- What happens to an answer whose client leaves: 'cancel' or 'drain'.
ALTER TABLE channels ADD COLUMN on_disconnect text NOT NULL DEFAULT 'cancel';
