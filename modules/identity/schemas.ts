import { Default, extend, Line, Nullable, named, type Static, Timestamp, Type, Uuid } from '@chowk/kit';
import { ConsoleEntry } from './sign-in/console-entry.ts';

export const Name = Line(255);
/** A password to verify; the rules for new passwords do not apply. */
export const Password = Type.String({ minLength: 1, maxLength: 1000 });
/** The secret in a mailed link. */
export const ByToken = Type.Object({ token: Type.String({ maxLength: 200 }) });

export const UserSummary = named(
  'User',
  Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    email_verified: Type.Boolean(),
    two_factor_enabled: Type.Boolean(),
  }),
);
export type UserSummary = Static<typeof UserSummary>;

export const TokenAnswer = named(
  'SessionTokens',
  Type.Object({
    token_type: Type.Literal('Bearer'),
    access_token: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds.', examples: [900] }),
    refresh_token: Type.String(),
  }),
);

const ownEmail = {
  sign_in_email: Nullable(
    Type.String({
      description:
        'The address to sign in with, which also receives mails. Differs from `email` until a new address is verified. Null ' +
        'if another account has verified it first.',
    }),
  ),
};

const OwnTenant = named(
  'OwnTenant',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    role: Type.String(),
    domain: Type.String({
      description: 'The main domain of the tenant, without a port.',
      examples: ['acme.example.com'],
    }),
  }),
);

export const Me = named(
  'Me',
  extend(UserSummary, {
    ...ownEmail,
    tenants: Type.Array(OwnTenant),
    tenant_id: Type.Optional(Type.String({ description: 'In tenant context.', examples: ['acme'] })),
    tenant_role: Type.Optional(
      Type.String({
        description: '`platform_owner`, `reseller` or `merchant`, in tenant context.',
        examples: ['merchant'],
      }),
    ),
    is_sandbox: Type.Optional(Type.Boolean({ description: 'Present in a sandbox, which sends nothing.' })),
    currency: Type.Optional(Type.String({ description: "The tenant's, in tenant context.", examples: ['INR'] })),
    timezone: Type.Optional(
      Type.String({ description: "The tenant's, in tenant context.", examples: ['Asia/Kolkata'] }),
    ),
    role: Type.Optional(Type.String({ description: 'In tenant context.', examples: ['Owner'] })),
    permissions: Type.Optional(Type.Array(Type.String(), { description: 'In tenant context.' })),
    console_entries: Type.Optional(
      Type.Array(ConsoleEntry, {
        description: 'What the modules of the tenant show in the console, in tenant context.',
      }),
    ),
  }),
);
export type Me = Static<typeof Me>;

export const Profile = named(
  'Profile',
  extend(UserSummary, {
    ...ownEmail,
    locale: Nullable(Type.String()),
    timezone: Nullable(Type.String({ examples: ['Asia/Kolkata'] })),
    has_password: Type.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Profile = Static<typeof Profile>;

export const ProfileChanges = named(
  'ProfileChanges',
  Type.Object({
    name: Type.Optional(Name),
    locale: Type.Optional(Nullable(Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', maxLength: 35 }))),
    timezone: Type.Optional(Nullable(Type.String({ format: 'time-zone' }))),
  }),
);
export type ProfileChanges = Static<typeof ProfileChanges>;

export const Session = named(
  'Session',
  Type.Object({
    id: Uuid,
    kind: Type.String({
      description: '`login`, or `device` for a program that was approved with a code.',
      examples: ['login'],
    }),
    name: Nullable(Type.String()),
    ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Nullable(Timestamp),
    current: Type.Boolean({ description: 'The session of this request.' }),
  }),
);
export type Session = Static<typeof Session>;

const tokenName = { examples: ['Nightly export'] };
const Scope = Type.String({ maxLength: 100, examples: ['products.view'] });

export const PersonalToken = named(
  'PersonalToken',
  Type.Object({
    id: Uuid,
    name: Type.String(tokenName),
    scopes: Type.Array(Scope),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
    expires_at: Nullable(Timestamp),
  }),
);
export type PersonalToken = Static<typeof PersonalToken>;

export const NewPersonalToken = named(
  'NewPersonalToken',
  Type.Object({
    name: Line(255, tokenName),
    scopes: Default(
      Type.Array(Scope, {
        minItems: 1,
        maxItems: 200,
        description: 'The permissions of the token; `*` means all permissions that the user holds.',
      }),
      ['*'],
    ),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Absent: the token does not expire.',
        examples: ['2099-12-31T23:59:59Z'],
      }),
    ),
  }),
);
export type NewPersonalToken = Static<typeof NewPersonalToken>;
