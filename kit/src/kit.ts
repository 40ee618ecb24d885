/** Everything a module may import. */
export { type OperationTypes, operation, signedIn, systemAction, systemOperation } from './action.ts';
export { Answer } from './answer.ts';
export { type Changes, changesBetween, removedFields } from './changes.ts';
export { assignments, columnNames, columnsFor, insertRecords, pickFields } from './columns.ts';
export { type ModuleCommand, type Terminal, UsageError } from './command.ts';
export type { Ctx, SystemCtx } from './context.ts';
export { Counts, counter, readCounters } from './counter.ts';
export { ImportReport, readCsv } from './csv-import.ts';
export { type Db, violatedIndex } from './database.ts';
export { action } from './declare-action.ts';
export { deleteInBatches } from './delete-in-batches.ts';
export {
  batches,
  type Demo,
  type DemoPlan,
  DemoTotals,
  demoId,
  fillTables,
  pick,
  pickByShare,
  type Random,
} from './demo.ts';
export {
  defineErrors,
  Failure,
  type FieldError,
  failureBody,
  forbidden,
  Issues,
  invalid,
  notFound,
  readValid,
  taken,
} from './errors.ts';
export { afterCommit, type Delivery, defineEvent, type EventTypes, inTransaction, matchesEvent } from './event.ts';
export { type Upload, UploadedFile, type WrittenFile } from './files.ts';
export {
  between,
  containsWords,
  eitherByUnion,
  equals,
  filter,
  hasTags,
  isIn,
  isShortWord,
  moneyBetween,
  search,
  since,
  splitList,
  splitWords,
  until,
} from './filter.ts';
export type { ResolverContext, SchemaProvider } from './graphql.ts';
export { GuardedCache } from './guarded-cache.ts';
export { Html, html } from './html.ts';
export { IdSet, isAmong } from './id-set.ts';
export type { Caller, Identity } from './identity.ts';
export { type JobTypes, job, systemJob } from './job.ts';
export { list } from './list.ts';
export { byInteger, byNumber, byText, byTime } from './list-definition.ts';
export type { Mail } from './mail.ts';
export { defineModule, type ModuleHooks } from './module.ts';
export {
  Currency,
  fromCents,
  Money,
  MoneyInput,
  NullableMoneyInput,
  toCents,
  toMoney,
} from './money.ts';
export { NewNotification } from './notification.ts';
export { Pagination, pagination, paging, setCursors } from './paging.ts';
export { NewPassword } from './password.ts';
export { maskDigits } from './personal-data.ts';
export { platformState } from './platform-state.ts';
export { rankedRows, SearchQuery } from './ranked-search.ts';
export {
  ById,
  Bytes,
  Default,
  extend,
  Message,
  NamedObject,
  Nullable,
  named,
  outputFields,
  type Static,
  Timestamp,
  TimestampInput,
  type TSchema,
  Type,
  toTimestamp,
  UserId,
  Uuid,
  updateSchema,
} from './schema.ts';
export { type SettingTypes, setting } from './settings.ts';
export { slugify } from './slug.ts';
export { and, join, raw, Sql, sql } from './sql.ts';
export type { SystemServices } from './system-services.ts';
export { Email, Line, NullableEmail, NullableLine, NullableText, Tags, Text, TextMap } from './text.ts';
export { type MaybePromise, whenReady } from './when-ready.ts';
