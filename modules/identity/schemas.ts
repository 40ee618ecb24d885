import { Nullable, type Static, Timestamp, Type, Uuid } from '@chowk/kit';

/** No control characters: a name stands in mails and lists. */
export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\p{Cc}]*$' });
export const Email = Type.String({ format: 'email', maxLength: 254 });
/** A password that is only compared. */
export const Password = Type.String({ minLength: 1, maxLength: 1000 });

export const UserSummary = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
});
export type UserSummary = Static<typeof UserSummary>;

export const TokenAnswer = Type.Object({
  token_type: Type.Literal('Bearer'),
  access_token: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
});

export const Me = Type.Object({
  ...UserSummary.properties,
  tenants: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() })),
  role: Type.Optional(Type.String({ description: 'In tenant context.' })),
  permissions: Type.Optional(Type.Array(Type.String(), { description: 'In tenant context.' })),
});

export const Profile = Type.Object({
  ...UserSummary.properties,
  locale: Nullable(Type.String()),
  timezone: Nullable(Type.String()),
  has_password: Type.Boolean(),
  created_at: Timestamp,
});

export const ProfileChanges = Type.Object({
  name: Type.Optional(Name),
  locale: Type.Optional(Nullable(Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', maxLength: 35 }))),
  timezone: Type.Optional(Nullable(Type.String({ format: 'time-zone' }))),
});

export const SessionItem = Type.Object({
  id: Uuid,
  kind: Type.String({ description: '`login`, or `device` for a program that was let in by a code' }),
  name: Nullable(Type.String()),
  ip: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Nullable(Timestamp),
  current: Type.Boolean(),
});

export const TokenItem = Type.Object({
  id: Uuid,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
});

export const NewToken = Type.Object({
  name: Name,
  scopes: Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: 200,
    default: ['*'],
    description: 'Permissions the token is limited to; `*` is all that you may do.',
  }),
  expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'Absent: until it is revoked.' })),
});
