-- No program of the previous release reads or writes the column. SQLite keeps it, because it would rewrite the table.
ALTER TABLE usage_logs DROP COLUMN left_out;
