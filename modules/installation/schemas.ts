import { Default, Email, Line, NamedObject, NewPassword, type Static, Type } from '@chowk/kit';

const StepState = Type.Enum(['completed', 'pending']);

const Steps = NamedObject('InstallationSteps', {
  requirements: StepState,
  database: StepState,
  seed: StepState,
  owner: StepState,
});
export type Steps = Static<typeof Steps>;

export const Status = NamedObject('InstallationStatus', {
  installed: Type.Boolean(),
  current_step: Type.Integer({ minimum: 1, maximum: 4, description: 'The step to continue with.' }),
  steps: Steps,
});
export type Status = Static<typeof Status>;

const Requirement = NamedObject('Requirement', {
  key: Type.String({ examples: ['postgresql'] }),
  label: Type.String({ examples: ['PostgreSQL 15 or newer'] }),
  passed: Type.Boolean(),
  detail: Type.String({ description: 'The result of the check and, if it failed, instructions.' }),
});
export type Requirement = Static<typeof Requirement>;

export const Requirements = NamedObject('Requirements', {
  passed: Type.Boolean(),
  requirements: Type.Array(Requirement),
});
export type Requirements = Static<typeof Requirements>;

export const DatabaseSetUp = NamedObject('DatabaseSetUp', {
  applied: Type.Integer({ description: 'Migrations applied now.' }),
  skipped: Type.Integer({ description: 'Migrations applied before.' }),
  keys_created: Type.Boolean({ description: 'Whether the signing keys were created now.' }),
});
export type DatabaseSetUp = Static<typeof DatabaseSetUp>;

export const DataSeeded = NamedObject('SeededData', {
  roles: Type.Integer(),
  permissions: Type.Integer(),
  modules: Type.Integer(),
  settings: Type.Integer(),
});
export type DataSeeded = Static<typeof DataSeeded>;

export const RegionFields = {
  country: Type.Optional(
    Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2 country code.', examples: ['DE'] }),
  ),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.', examples: ['EUR'] })),
  timezone: Type.Optional(Type.String({ format: 'time-zone', examples: ['Europe/Berlin'] })),
};

export const NewOwner = NamedObject('NewOwner', {
  organization_name: Line(255, { examples: ['Acme Stores'] }),
  organization_slug: Type.String({
    maxLength: 50,
    // `xn--` marks an encoded name, which a browser would show as something else.
    pattern: '^(?!xn--)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
    description: 'Lower-case letters, digits and inner hyphens.',
    examples: ['acme'],
  }),
  name: Line(255, { examples: ['Asha Rao'] }),
  email: Email,
  password: NewPassword,
  password_confirmation: Type.String({ sameAs: 'password' }),
  ...RegionFields,
});
export type NewOwner = Static<typeof NewOwner>;

export const OwnerCreated = NamedObject('OwnerCreated', {
  tenant_id: Type.String({ examples: ['acme'] }),
  user: Type.Object({
    id: Type.Integer(),
    name: Type.String({ examples: ['Asha Rao'] }),
    email: Type.String(),
    email_verified: Type.Boolean(),
    two_factor_enabled: Type.Boolean(),
  }),
  country: Type.String({
    examples: ['DE'],
    description: 'Suggested if it was not sent, like the currency and the time zone.',
  }),
  currency: Type.String({ examples: ['EUR'] }),
  timezone: Type.String({ examples: ['Europe/Berlin'] }),
  redirect: Type.Literal('/login'),
});
export type OwnerCreated = Static<typeof OwnerCreated>;

export const NewDemoData = NamedObject('NewDemoData', {
  customers: Default(Type.Integer({ minimum: 1, maximum: 2_000 }), 300),
});
export type NewDemoData = Static<typeof NewDemoData>;

export const DemoData = NamedObject('DemoData', {
  customers: Type.Integer({ description: 'How many were created.' }),
  orders: Type.Integer(),
  products: Type.Integer(),
});
export type DemoData = Static<typeof DemoData>;
