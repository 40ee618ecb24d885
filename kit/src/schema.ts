import { type Static, type TObject, type TSchema, Type } from 'typebox';

export type { Static, TObject, TSchema };
export { Type };

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with Z' });
/** What may be null. */
export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Message = Type.Object({ message: Type.String() });
