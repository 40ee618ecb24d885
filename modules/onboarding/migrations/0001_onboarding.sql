-- Codes that resellers give to businesses they recruit.
CREATE TABLE referral_codes (
  id uuid PRIMARY KEY,
  code text NOT NULL,
  -- The reseller, or the owner of the platform, whose catalogue new tenants get.
  parent_tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  tenant_role text NOT NULL CHECK (tenant_role IN ('merchant', 'reseller')),
  kyc_required boolean NOT NULL,
  auto_approve boolean NOT NULL,
  expires_at timestamptz,
  max_uses integer CHECK (max_uses > 0),
  uses integer NOT NULL DEFAULT 0,
  created_by bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX referral_codes_by_code ON referral_codes (lower(code));
CREATE INDEX referral_codes_by_parent ON referral_codes (parent_tenant_id, created_at DESC, id DESC);

CREATE TABLE reseller_applications (
  -- Random: whoever knows it may read the status and upload documents.
  id uuid PRIMARY KEY,
  referral_code_id uuid NOT NULL REFERENCES referral_codes,
  parent_tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  tenant_role text NOT NULL,
  kyc_required boolean NOT NULL,
  auto_approve boolean NOT NULL,
  business_name text NOT NULL,
  contact_name text NOT NULL,
  email text NOT NULL,
  phone text,
  preferred_domain text,
  -- Removed when the owner exists.
  password_hash text,
  status text NOT NULL CHECK (status IN ('pending', 'provisioning', 'completed', 'failed', 'rejected')),
  kyc_status text NOT NULL CHECK (kyc_status IN ('not_required', 'pending', 'submitted', 'verified', 'rejected')),
  rejection_reason text,
  -- The tenant in the making. No foreign key: the id is chosen before the tenant exists.
  tenant_id text UNIQUE,
  owner_user_id bigint,
  -- Failed attempts of the current provisioning.
  attempts integer NOT NULL DEFAULT 0,
  reviewed_by bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- An address has one application, unless it was rejected.
CREATE UNIQUE INDEX reseller_applications_by_email ON reseller_applications (email) WHERE status <> 'rejected';
CREATE INDEX reseller_applications_by_parent ON reseller_applications (parent_tenant_id, created_at DESC, id DESC);
CREATE INDEX reseller_applications_by_status ON reseller_applications (status, created_at DESC, id DESC);
CREATE INDEX reseller_applications_in_progress ON reseller_applications (updated_at) WHERE status = 'provisioning';
CREATE INDEX reseller_applications_by_code ON reseller_applications (referral_code_id);

-- The recorded steps of provisioning.
CREATE TABLE provisioning_steps (
  application_id uuid NOT NULL REFERENCES reseller_applications ON DELETE CASCADE,
  step text NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
  at timestamptz NOT NULL,
  PRIMARY KEY (application_id, step)
);

-- Identity documents. The files are stored outside the database.
CREATE TABLE application_documents (
  id uuid PRIMARY KEY,
  application_id uuid NOT NULL REFERENCES reseller_applications ON DELETE CASCADE,
  type text NOT NULL,
  file text NOT NULL,
  content_type text NOT NULL,
  size integer NOT NULL,
  uploaded_at timestamptz NOT NULL,
  UNIQUE (application_id, type)
);
