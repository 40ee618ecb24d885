-- Whose database this is, so that a restore recognizes it under any name. Empty in templates and spares.
CREATE TABLE tenant_identity (
  tenant_id text PRIMARY KEY
);
