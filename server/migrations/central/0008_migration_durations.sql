-- How long the last migration of the tenant's database took, and how many files it applied, for the estimates of `chowkd migrate --plan`.
ALTER TABLE tenant_migrations
  ADD COLUMN duration_ms integer,
  ADD COLUMN applied_count integer;
