-- Followers of the lists miss no change.
SELECT stamp_changes('users');
SELECT stamp_changes('memberships');
SELECT stamp_changes('oauth_clients');
SELECT stamp_changes('invitations');
SELECT stamp_changes('activity_log', 'at');
