import { paging, type Static, Timestamp, Type } from '@chowk/kit';
import { Email, UserSummary } from '../schemas.ts';

export const ById = Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) });

/** A role by its name or its id. */
export const RoleReference = Type.Union([
  Type.String({ minLength: 1, maxLength: 255 }),
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
]);

export const Member = Type.Object({
  ...UserSummary.properties,
  role: Type.String(),
  joined_at: Timestamp,
  last_active_at: Type.Union([Timestamp, Type.Null()]),
});
export type Member = Static<typeof Member>;

export const TeamQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of a name or an address.' })),
  role: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "A role's name or id." })),
  sort_by: Type.Enum(['name', 'email', 'role', 'joined_at', 'last_active_at'], { default: 'name' }),
  sort_order: Type.Enum(['asc', 'desc'], { default: 'asc' }),
  ...paging,
});
export type TeamQuery = Static<typeof TeamQuery>;

export const NewInvitation = Type.Object({ email: Email, role: RoleReference });
export type NewInvitation = Static<typeof NewInvitation>;
