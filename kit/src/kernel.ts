/** Everything a module may import, and what only the kernel and tests import. */

export { type Action, type Actions, type Method, permissionsFor } from './action.ts';
export { apiVersions, defaultApiVersion } from './api-version.ts';
export type { BulkMode, BulkResult, PlannedCall } from './bulk-result.ts';
export type { ModuleOptions, Settings } from './catalogue.ts';
export type { CommandForm, CommandInput } from './command.ts';
export type { ConsoleAction, ConsoleContent, ConsoleEntry, ConsoleField, DescribedEntry } from './console.ts';
export type {
  Audience,
  Bus,
  Cache,
  DeclaredEvent,
  DeclaredNotificationType,
  Emit,
  EmitAll,
  JobQueue,
  ModuleSecrets,
  Tenant,
  TenantLimits,
} from './context.ts';
export { readCell } from './csv-import.ts';
export { cell } from './download.ts';
export {
  commonErrors,
  type ErrorKind,
  type FieldErrorCode,
  type FieldErrors,
  fieldErrorCodes,
  preconditionFailed,
} from './errors.ts';
export type { EventDefinition, Listener } from './event.ts';
export {
  type Files,
  type FileType,
  type ImageType,
  listTypes,
  type StoredFile,
  type UploadRules,
  uploadField,
  type WrittenImage,
} from './files.ts';
export type { Connection, Resolver, Resolvers } from './graphql.ts';
export type {
  BrokenQuery,
  GraphqlEngine,
  GraphqlError,
  GraphqlOperation,
  GraphqlResult,
  GraphqlSubscription,
  SchemaChange,
  SchemaComparison,
} from './graphql-engine.ts';
export { atMost } from './guarded-cache.ts';
export type { HttpClient, HttpDownload, HttpRequest, HttpResponse, RequestSignature } from './http-client.ts';
export type { Client, IdentityChange, Membership, Session, User } from './identity.ts';
export { inWords } from './in-words.ts';
export type { Job } from './job.ts';
export { Json } from './json.ts';
export * from './kit.ts';
export type { Log } from './log.ts';
export type { Letter, MailOutcome, ReadMail, StoredMail } from './mail.ts';
export type { Module } from './module.ts';
export type { AboutCustomer, Recipients } from './notification.ts';
export { backwardMark, cursorAt } from './paging.ts';
export type { PersonalData, PersonalRows } from './personal-data.ts';
export type { PushMessage, PushResult, PushService } from './push.ts';
export type { Sent, TObject, TProperties } from './schema.ts';
export type { ActionGateway, CallableAction } from './services/actions.ts';
export type { DomainsService, TenantDomain } from './services/domains.ts';
export type { Limits } from './services/limits.ts';
export type { ModulesService, TenantModule } from './services/modules.ts';
export type { DeclaredPermission } from './services/permissions.ts';
export type { FigureSample, PlatformService, WaitingJob } from './services/platform.ts';
export type { Promotion } from './services/promotion.ts';
export type { RingAssignment, RingsService } from './services/rings.ts';
export type { Secrets } from './services/secrets.ts';
export type { SignalListener, SignalSource } from './services/signals.ts';
export type { NewTenant, TenantSteps } from './services/tenants.ts';
export { type SettingDefinition, settingDefinitions } from './settings.ts';
export { empty } from './sql.ts';
