-- Made by 'npm run generate' from the migrations; do not edit.

CREATE TABLE chowk_installation (
  id uuid
);

CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status integer,
  content_type text,
  body text,
  locked_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE TABLE schema_migrations (
  owner text NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (owner, name)
);
