-- Who joined with an invitation, so that undoing a takeover can end memberships that the intruder gave away.
ALTER TABLE invitations ADD COLUMN accepted_by bigint REFERENCES users ON DELETE SET NULL;
UPDATE invitations i SET accepted_by = u.id FROM users u WHERE u.email = i.email AND i.accepted_at IS NOT NULL;
CREATE INDEX invitations_by_inviter ON invitations (invited_by, created_at);
