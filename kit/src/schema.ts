import { type Static, type TObject, type TSchema, Type } from 'typebox';

export type { Static, TObject, TSchema };
export { Type };

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with Z' });
export const Message = Type.Object({ message: Type.String() });

export const Pagination = Type.Object({
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
});
