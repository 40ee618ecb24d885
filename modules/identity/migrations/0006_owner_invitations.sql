-- Invitations of the platform to own a tenant: they have no inviter.
ALTER TABLE invitations ADD COLUMN by_platform boolean NOT NULL DEFAULT false;
