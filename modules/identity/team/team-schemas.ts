import { Default, extend, Line, Nullable, named, type Static, Timestamp, Type, UserId, updateSchema } from '@chowk/kit';
import { UserSummary } from '../schemas.ts';

export const ById = Type.Object({ id: UserId });
export type Key = Static<typeof ById>;

/** One schema instead of a union, for clearer error messages. */
export const RoleReference = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  minLength: 1,
  maxLength: 255,
  trim: true,
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The name or the id of a role.',
  examples: ['Agent'],
});

export const Member = named(
  'Member',
  extend(UserSummary, {
    role: Type.String({ examples: ['Agent'] }),
    joined_at: Timestamp,
    updated_at: Timestamp,
    last_active_at: Nullable(Timestamp),
  }),
);
export type Member = Static<typeof Member>;

export const MemberRemoval = extend(ById, {
  api_clients: Default(
    Type.Enum(['delete', 'take_over'], {
      description:
        'What happens to the API clients that the member has made. `take_over` makes the caller their maker; their secrets ' +
        'stay valid for 24 hours and must be replaced. Needs `settings.api_clients`.',
    }),
    'delete',
  ),
});
export type MemberRemoval = Static<typeof MemberRemoval>;

export const MemberChanges = named('MemberChanges', Type.Object({ id: UserId, role: RoleReference }));
export type MemberChanges = Static<typeof MemberChanges>;

export const Role = named(
  'Role',
  Type.Object({
    id: Type.Integer(),
    name: Type.String({ examples: ['Cashier'] }),
    description: Type.String(),
    is_system: Type.Boolean({ description: 'Whether it is one of the five roles that every tenant has.' }),
    permissions: Type.Array(Type.String(), { examples: [['orders.view']] }),
    members: Type.Integer({ description: 'The number of members with the role.' }),
    updated_at: Timestamp,
  }),
);
export type Role = Static<typeof Role>;

export const NewRole = named(
  'NewRole',
  Type.Object({
    name: Line(255, {
      pattern: '^(?!\\d+$)[^\\p{Cc}\\p{Cs}]*$',
      description: 'A line of text that is not just a number.',
      examples: ['Cashier'],
    }),
    description: Default(Line(500, { minLength: 0 }), ''),
    permissions: Type.Array(Line(100), { maxItems: 500, distinct: true, examples: [['orders.view']] }),
  }),
);
export type NewRole = Static<typeof NewRole>;

export const RoleChanges = named('RoleChanges', extend(updateSchema(NewRole), { id: UserId }));
export type RoleChanges = Static<typeof RoleChanges>;

export const Permission = named(
  'Permission',
  Type.Object({
    name: Type.String({ examples: ['customers.export'] }),
    category: Type.String({ examples: ['customers'] }),
    description: Type.String({ examples: ['Export customers'] }),
    is_sensitive: Type.Boolean({
      description: 'Whether it allows damage that cannot be undone, or access to private data.',
    }),
  }),
);
