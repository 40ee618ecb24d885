-- The login in which the user decided. Whoever ends it, as with a new password, ends what it has let in and is not yet there.
ALTER TABLE device_codes ADD COLUMN decided_in uuid REFERENCES sessions ON DELETE CASCADE;
