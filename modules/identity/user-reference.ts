import { named, type Sql, sql, Type } from '@chowk/kit';

export const UserReference = named('UserReference', Type.Object({ id: Type.Integer(), name: Type.String() }));

/** The user with this id as a column, or null. */
export function userReference(id: Sql): Sql {
  return sql`(SELECT json_build_object('id', u.id, 'name', u.name) FROM users u WHERE u.id = ${id})`;
}
