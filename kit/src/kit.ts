/** Everything a module may import. */
export type {
  AddJobOptions,
  Bus,
  Emit,
  EmitOptions,
  Events,
  Helpers,
  JobQueue,
  Jobs,
  Operations,
} from './catalogue.ts';
export { type CommandForm, type CommandInput, type ModuleCommand, type Terminal, UsageError } from './command.ts';
export type { Cache, Ctx, Log, SystemCtx, Tenant, User } from './context.ts';
export { csvLine, fromInert, inert } from './csv.ts';
export type { Db } from './database.ts';
export {
  type Demo,
  type DemoOrder,
  type DemoPlan,
  type DemoProduct,
  type DemoStatistics,
  demoId,
  pick,
  type Random,
} from './demo.ts';
export { DownloadFormat, download } from './download.ts';
export {
  defineErrors,
  type ErrorKind,
  Failure,
  type FailureExtras,
  type FieldErrors,
  forbidden,
  forbiddenCall,
  invalid,
  invalidInput,
  notFound,
  nothingThere,
} from './errors.ts';
export { after, type Delivery, type Listener, within } from './event.ts';
export type { Resolver, Resolvers } from './graphql.ts';
export type { Helper, HelpersOf } from './helper.ts';
export { type Job, type JobsOf, job, platformJob } from './job.ts';
export { defineModule, type Module } from './module.ts';
export { Moment, since, until } from './moment.ts';
export { Money, MoneyInput, NullableMoneyInput, readAmounts, toMoney } from './money.ts';
export { type Operation, type OperationsOf, operation } from './operation.ts';
export { offsetOf, Pagination, Paging, pageJson, paginationOf, paging } from './paging.ts';
export { NewPassword, passwordProblem } from './password.ts';
export { maskPhone, type PersonalData, type PersonalRows } from './personal-data.ts';
export type {
  Accounts,
  Client,
  FoundSession,
  KeptMail,
  Limits,
  Mail,
  NewAccount,
  NewSession,
  NewTenant,
  Passwords,
  Permission,
  Permissions,
  Platform,
  PlatformOptions,
  PublicKey,
  Secrets,
  SeedCounts,
  Session,
  SessionKind,
  Sessions,
  Tenants,
  Tokens,
} from './platform.ts';
export { Answer, type Method, type Route, type RouteInput, route, signedIn, systemRoute } from './route.ts';
export { Message, Nullable, type Static, Timestamp, type TObject, type TSchema, Type, Uuid } from './schema.ts';
export type { SettingDefinition, Settings } from './settings.ts';
export { and, empty, join, raw, Sql, sql } from './sql.ts';
export { distinct, readTags, Tags, TagsFilter } from './tags.ts';
export { containsWords, isShortWord, wordsOf } from './words.ts';
