import { Message, NewPassword, type Static, Type } from '@chowk/kit';

const StepState = Type.Enum(['completed', 'pending']);

export const Steps = Type.Object({
  requirements: StepState,
  database: StepState,
  seed: StepState,
  owner: StepState,
});
export type Steps = Static<typeof Steps>;

export const Status = Type.Object({
  installed: Type.Boolean(),
  current_step: Type.Integer({ minimum: 1, maximum: 4, description: 'The step the wizard resumes from.' }),
  steps: Steps,
});
export type Status = Static<typeof Status>;

export const Requirement = Type.Object({
  key: Type.String(),
  label: Type.String(),
  passed: Type.Boolean(),
  detail: Type.String({ description: 'What was found and, if that is not enough, what to do about it.' }),
});
export type Requirement = Static<typeof Requirement>;

export const Requirements = Type.Object({ passed: Type.Boolean(), requirements: Type.Array(Requirement) });
export type Requirements = Static<typeof Requirements>;

export const DatabaseSetUp = Type.Object({
  ...Message.properties,
  applied: Type.Integer({ description: 'Migrations applied now.' }),
  skipped: Type.Integer({ description: 'Migrations that were there already.' }),
  keys_created: Type.Boolean({ description: 'Whether the keys that sign access tokens were made now.' }),
});
export type DatabaseSetUp = Static<typeof DatabaseSetUp>;

export const Seeded = Type.Object({
  ...Message.properties,
  roles: Type.Integer(),
  permissions: Type.Integer(),
  modules: Type.Integer(),
  settings: Type.Integer(),
});

/** No control characters: a name stands in mails and lists. */
const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\p{Cc}]*$' });

/** What no schema can say clearly is in `owner-form.ts`. */
export const OwnerForm = Type.Object({
  organization_name: Name,
  organization_slug: Type.String({
    minLength: 1,
    maxLength: 50,
    description: "Lower-case letters, digits and inner hyphens: the tenant's id and address, for good.",
  }),
  name: Name,
  email: Type.String({ format: 'email', maxLength: 254 }),
  password: NewPassword,
  password_confirmation: Type.String(),
});
export type OwnerForm = Static<typeof OwnerForm>;

export const OwnerCreated = Type.Object({
  ...Message.properties,
  tenant_id: Type.String(),
  user: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    email_verified: Type.Boolean(),
    two_factor_enabled: Type.Boolean(),
  }),
  redirect: Type.Literal('/login'),
});
export type OwnerCreated = Static<typeof OwnerCreated>;
