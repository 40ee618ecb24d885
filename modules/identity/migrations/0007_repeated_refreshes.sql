-- Who used a refresh token: the hash of its network and program. The same client may send it again for a moment.
ALTER TABLE refresh_tokens ADD COLUMN used_by bytea;
