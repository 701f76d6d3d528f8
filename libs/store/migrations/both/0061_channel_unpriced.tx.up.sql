-- Whether calls go to the channel that could cause a charge without a price: 'allow' or 'refuse'. Channels that exist, and
-- those that a console of the previous release creates, keep serving such calls. This release creates channels that refuse.
ALTER TABLE channels ADD COLUMN unpriced text NOT NULL DEFAULT 'allow';
