-- From where and with which program the call came; empty if relays do not collect it.
ALTER TABLE refused_calls ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE refused_calls ADD COLUMN agent text NOT NULL DEFAULT '';
