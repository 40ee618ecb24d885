import {
  Default,
  Email,
  extend,
  Line,
  NamedObject,
  NewPassword,
  Nullable,
  NullableLine,
  named,
  type Static,
  Text,
  Timestamp,
  TimestampInput,
  Type,
  UploadedFile,
  Uuid,
  updateSchema,
} from '@chowk/kit';

export const ApplicationStatus = Type.Enum(['pending', 'provisioning', 'completed', 'failed', 'rejected']);
const KycStatus = Type.Enum(['not_required', 'pending', 'submitted', 'verified', 'rejected']);
export const TenantRole = Type.Enum(['merchant', 'reseller']);

/** The steps of provisioning, in order. */
export const stepNames = [
  'tenant_id',
  'database',
  'primary_domain',
  'alias',
  'owner',
  'modules',
  'products',
  'complete',
] as const;
export type StepName = (typeof stepNames)[number];

const Progress = NamedObject('ProvisioningStep', {
  step: Type.Enum([...stepNames]),
  status: Type.Enum(['pending', 'running', 'completed', 'failed']),
  at: Nullable(Timestamp),
});
export type Progress = Static<typeof Progress>;

/** What an applicant must upload if the referral code asks for it. */
export const requiredDocuments = ['government_id', 'selfie'] as const;
const DocumentTypes = Type.Array(Type.String({ examples: [...requiredDocuments] }));

export const NewApplication = NamedObject('NewApplication', {
  referral_code: Line(64, { examples: ['ASHA-2026'] }),
  business_name: Line(255, { examples: ['Tea House'] }),
  contact_name: Line(255, { examples: ['Asha Rao'] }),
  email: Email,
  phone: Type.Optional(NullableLine(32, { examples: ['+91 98765 43210'] })),
  preferred_domain: Type.Optional(
    NullableLine(63, { description: 'The subdomain that the business would like to have.', examples: ['tea-house'] }),
  ),
  password: Type.Optional(
    Type.Unsafe<string>({ ...NewPassword, description: 'Without one, the owner gets a mail to choose it.' }),
  ),
});
export type NewApplication = Static<typeof NewApplication>;

export const Submitted = NamedObject('SubmittedApplication', {
  application_id: Uuid,
  status: ApplicationStatus,
  kyc_required: Type.Boolean(),
  required_documents: DocumentTypes,
  upload_token: Type.String({
    description: 'Send it as `X-Upload-Token` with documents. Also in the mailed link; not shown again.',
  }),
  tenant_id: Type.Optional(Type.String({ description: 'Present if the application is completed.' })),
});
export type Submitted = Static<typeof Submitted>;

export const ApplicationForm = NamedObject('ApplicationForm', {
  address: Type.String({
    description: 'The address of an organization, with `{domain}` in place of its subdomain.',
    examples: ['https://{domain}.example.com'],
  }),
});
export type ApplicationForm = Static<typeof ApplicationForm>;

const state = {
  application_id: Uuid,
  status: ApplicationStatus,
  kyc_status: KycStatus,
  kyc_required: Type.Boolean(),
  required_documents: DocumentTypes,
};

export const ExistingApplication = NamedObject('ExistingApplication', {
  message: Type.String(),
  ...state,
});

const statusFields = {
  ...state,
  uploaded_documents: DocumentTypes,
  rejection_reason: Nullable(Type.String()),
  progress: Type.Array(Progress),
  tenant_id: Nullable(Type.String({ description: 'When the application is completed.' })),
};
export const PublicStatus = NamedObject('ApplicationState', {
  ...statusFields,
  url: Nullable(
    Type.String({ description: 'The address of the new organization, when the application is completed.' }),
  ),
});
export type PublicStatus = Static<typeof PublicStatus>;

export const Application = NamedObject('ResellerApplication', {
  id: Uuid,
  ...statusFields,
  referral_code: Type.String(),
  parent_tenant_id: Type.String(),
  tenant_role: TenantRole,
  business_name: Type.String(),
  contact_name: Type.String(),
  email: Type.String(),
  phone: Nullable(Type.String()),
  preferred_domain: Nullable(Type.String()),
  domains: Type.Array(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Application = Static<typeof Application>;

export const NewDocument = named(
  'NewApplicationDocument',
  Type.Object({
    id: Uuid,
    type: Type.Enum([...requiredDocuments], { description: 'Which of the required documents the file is.' }),
    file: UploadedFile({ types: ['image/jpeg', 'image/png', 'application/pdf'], maxBytes: 10 * 1024 * 1024 }),
  }),
);
export type NewDocument = Static<typeof NewDocument>;

export const DocumentUploaded = NamedObject('ApplicationDocumentUploaded', {
  type: Type.String(),
  kyc_status: KycStatus,
  uploaded_documents: DocumentTypes,
});
export type DocumentUploaded = Static<typeof DocumentUploaded>;

const Document = NamedObject('ApplicationDocument', {
  id: Uuid,
  type: Type.String(),
  content_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  uploaded_at: Timestamp,
  url: Type.String({ description: 'A download for five minutes, for everyone who has the link.' }),
});
export type Document = Static<typeof Document>;
export const Documents = Type.Object({ documents: Type.Array(Document) });

export const Rejection = Type.Object({ id: Uuid, reason: Text(1_000, { examples: ['The selfie is not readable.'] }) });
export const Provisioning = Type.Object({ status: ApplicationStatus });

const codeFields = {
  code: Type.Optional(
    Line(64, {
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
      minLength: 3,
      description: 'Case-insensitive. Default: a random code.',
      examples: ['ASHA-2026'],
    }),
  ),
  parent_tenant_id: Type.Optional(
    Line(63, { description: "The reseller whose catalogue new tenants get. Default: the caller's tenant." }),
  ),
  tenant_role: Default(TenantRole, 'merchant'),
  kyc_required: Default(Type.Boolean(), true),
  auto_approve: Default(
    Type.Boolean({ description: 'Applications need no approval, except for the review of documents.' }),
    false,
  ),
  expires_at: Default(Nullable(TimestampInput), null),
  max_uses: Default(Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })), null),
};
export const NewReferralCode = named('NewReferralCode', Type.Object(codeFields));
export type NewReferralCode = Static<typeof NewReferralCode>;

const { code: _, parent_tenant_id: __, ...changeable } = codeFields;
export const ReferralCodeChanges = named(
  'ReferralCodeChanges',
  extend(updateSchema(Type.Object(changeable)), { id: Uuid }),
);
export type ReferralCodeChanges = Static<typeof ReferralCodeChanges>;

export const ReferralCode = NamedObject('ReferralCode', {
  id: Uuid,
  code: Type.String(),
  parent_tenant_id: Type.String(),
  tenant_role: TenantRole,
  kyc_required: Type.Boolean(),
  auto_approve: Type.Boolean(),
  expires_at: Nullable(Timestamp),
  max_uses: Nullable(Type.Integer()),
  uses: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ReferralCode = Static<typeof ReferralCode>;
