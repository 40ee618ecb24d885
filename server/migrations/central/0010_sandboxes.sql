-- The tenant whose settings and catalogue a sandbox was made from. Nothing that a sandbox sends reaches anybody. No reference: a
-- sandbox remains one if that tenant is deleted.
ALTER TABLE tenants ADD COLUMN sandbox_of text;
CREATE INDEX tenants_sandbox_of ON tenants (sandbox_of) WHERE sandbox_of IS NOT NULL;
