/** Everything a module may import. */
export type { Ctx, Log, SystemCtx, Tenant, User } from './context.ts';
export type { Db } from './database.ts';
export { defineErrors, type ErrorKind, Failure, type FailureExtras } from './errors.ts';
export { Answer, type Method, type Route, type RouteInput, route, signedIn } from './route.ts';
export { Message, Pagination, type Static, Timestamp, type TObject, type TSchema, Type, Uuid } from './schema.ts';
export type { SettingDefinition, Settings } from './settings.ts';
export { empty, join, raw, Sql, sql } from './sql.ts';
