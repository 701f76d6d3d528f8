-- No program of the previous release reads or writes the column.
ALTER TABLE tenants DROP COLUMN optional_tools;
