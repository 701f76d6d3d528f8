-- Relays, consoles and workers have read and written prices.rates alone since step 0087, and no program reads upgrades.
ALTER TABLE prices DROP COLUMN input_rate;
ALTER TABLE prices DROP COLUMN cached_input_rate;
ALTER TABLE prices DROP COLUMN cache_write_rate;
ALTER TABLE prices DROP COLUMN audio_input_rate;
ALTER TABLE prices DROP COLUMN output_rate;
ALTER TABLE prices DROP COLUMN reasoning_rate;
ALTER TABLE prices DROP COLUMN audio_output_rate;
ALTER TABLE prices DROP COLUMN request_rate;
DROP TABLE upgrades;
