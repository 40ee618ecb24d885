/** Everything a module may import. */
export {
  type Action,
  type Actions,
  action,
  type Method,
  type OperationsOf,
  permissionsFor,
  signedIn,
  systemAction,
} from './action.ts';
export { Answer } from './answer.ts';
export type {
  AddJobOptions,
  Bus,
  DemoShares,
  Emit,
  EmitAll,
  Events,
  Helpers,
  JobQueue,
  Jobs,
  Operations,
  Settings,
} from './catalogue.ts';
export { type Changes, changesBetween, removalOf } from './changes.ts';
export { assignmentsOf, columnsFor, insertRecords, namesOf, pickFields } from './columns.ts';
export { type CommandForm, type CommandInput, type ModuleCommand, type Terminal, UsageError } from './command.ts';
export type {
  Cache,
  Ctx,
  DeclaredEvent,
  DeclaredNotificationType,
  ModuleOptions,
  ModuleSecrets,
  SystemCtx,
  Tenant,
} from './context.ts';
export { Counts, counter, readCounters } from './counter.ts';
export { csvLine, escapeFormula, unescapeFormula } from './csv.ts';
export { type CsvRow, ImportReport, type RowErrors, readCell, readCsv } from './csv-import.ts';
export { type Db, violatedIndex } from './database.ts';
export { deleteInBatches } from './delete-in-batches.ts';
export {
  batchesOf,
  type Demo,
  type DemoPlan,
  DemoTotals,
  demoId,
  fillTables,
  pick,
  pickByShare,
  type Random,
} from './demo.ts';
export { cell, DownloadFormat, download, fileTypes } from './download.ts';
export {
  commonErrors,
  defineErrors,
  type ErrorKind,
  Failure,
  type FailureExtras,
  type FieldError,
  type FieldErrorCode,
  type FieldErrors,
  failureBody,
  forbidden,
  Issues,
  invalid,
  notFound,
  preconditionFailed,
  readValid,
  taken,
} from './errors.ts';
export {
  afterCommit,
  type Delivery,
  defineEvent,
  type EventDefinition,
  type EventsOf,
  inTransaction,
  type Listener,
  matchesEvent,
} from './event.ts';
export {
  type Files,
  type FileType,
  listTypes,
  type StoredFile,
  type Upload,
  UploadedFile,
  type UploadRules,
  uploadField,
  type WrittenFile,
} from './files.ts';
export {
  between,
  containsWords,
  eitherByUnion,
  equals,
  type Filter,
  filter,
  hasTags,
  isOneOf,
  isShortWord,
  maxMoney,
  minMoney,
  moneyBetween,
  search,
  since,
  splitList,
  until,
  wordsOf,
} from './filter.ts';
export type { Connection, Resolver, ResolverContext, Resolvers, SchemaProvider } from './graphql.ts';
export { atMost, GuardedCache } from './guarded-cache.ts';
export { type Helper, type HelpersOf, helper, systemHelper } from './helper.ts';
export { Html, html } from './html.ts';
export { formField, htmlPage } from './html-page.ts';
export type { HttpClient, HttpDownload, HttpRequest, HttpResponse } from './http-client.ts';
export type { Caller, Client, Identity, IdentityChange, Membership, Session, SessionKind, User } from './identity.ts';
export { inWords } from './in-words.ts';
export { type Job, type JobsOf, job, systemJob } from './job.ts';
export { Json } from './json.ts';
export { type List, list } from './list.ts';
export { byInteger, byNumber, byText, byTime, type Sort } from './list-definition.ts';
export type { Log } from './log.ts';
export { greet, layoutMail, type MailContent, nameInMail } from './mail-layout.ts';
export { defineModule, type Module } from './module.ts';
export { Currency, fromCents, Money, MoneyInput, NullableMoneyInput, toCents, toMoney } from './money.ts';
export { NewNotification, type NotificationType, type Recipients, Severity } from './notification.ts';
export { isOwnHost, isOwnOrigin } from './own-host.ts';
export { cursorAt, limitTo, Pagination, type Paging, pageOf, paging } from './paging.ts';
export { NewPassword, passwordProblem } from './password.ts';
export { maskDigits, type PersonalData, type PersonalRows } from './personal-data.ts';
export { platformState } from './platform-state.ts';
export type { PushMessage, PushResult, PushService } from './push.ts';
export { rankedRows, SearchQuery } from './ranked-search.ts';
export {
  ById,
  changesOf,
  Default,
  extend,
  Message,
  NamedObject,
  Nullable,
  named,
  outputOf,
  type Sent,
  type Static,
  Timestamp,
  TimestampInput,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  toTimestamp,
  UserId,
  Uuid,
} from './schema.ts';
export { type Setting, type SettingDefinition, type SettingsOf, setting, settingDefinitions } from './settings.ts';
export { slugOf } from './slug.ts';
export { and, empty, join, raw, Sql, sql } from './sql.ts';
export type {
  ActionGateway,
  BrokenQuery,
  CallableAction,
  DeclaredPermission,
  DomainsService,
  GraphqlEngine,
  GraphqlError,
  GraphqlOperation,
  GraphqlResult,
  GraphqlSubscription,
  Limits,
  Mail,
  Mails,
  NewTenant,
  SchemaChange,
  SchemaComparison,
  Secrets,
  SignalListener,
  SignalSource,
  StoredMail,
  SystemCache,
  SystemOptions,
  SystemServices,
  TenantDomain,
  TenantSteps,
  Tenants,
} from './system-services.ts';
export { Email, Line, NullableEmail, NullableLine, NullableText, Tags, Text } from './text.ts';
export { newWebhookSecret, webhookHeaders } from './webhook-signature.ts';
