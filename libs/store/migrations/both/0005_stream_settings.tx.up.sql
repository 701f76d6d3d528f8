-- Policy for a stream whose quota is used up before its end: 'hard' ends the stream, 'soft' lets it finish.
ALTER TABLE tenants ADD COLUMN quota_mode text NOT NULL DEFAULT 'hard';

-- Policy for a response whose client disconnects: 'cancel' the upstream request, or 'drain' it to learn its usage.
ALTER TABLE channels ADD COLUMN on_disconnect text NOT NULL DEFAULT 'cancel';
