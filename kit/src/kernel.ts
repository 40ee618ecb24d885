/** Everything a module may import, and what only the kernel and tests import. */

export { type Action, type Actions, type Method, permissionsFor } from './action.ts';
export type { ModuleOptions, Settings } from './catalogue.ts';
export type { CommandForm, CommandInput } from './command.ts';
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
} from './context.ts';
export { readCell } from './csv-import.ts';
export { cell } from './download.ts';
export { commonErrors, type ErrorKind, type FieldErrorCode, type FieldErrors, preconditionFailed } from './errors.ts';
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
export { cursorAt } from './paging.ts';
export type { PersonalData, PersonalRows } from './personal-data.ts';
export type { PushMessage, PushResult, PushService } from './push.ts';
export type { Sent, TObject, TProperties } from './schema.ts';
export { type SettingDefinition, settingDefinitions } from './settings.ts';
export { empty } from './sql.ts';
export type {
  ActionGateway,
  CallableAction,
  DeclaredPermission,
  DomainsService,
  Limits,
  ModulesService,
  NewTenant,
  RingAssignment,
  RingsService,
  Secrets,
  SignalListener,
  SignalSource,
  TenantDomain,
  TenantModule,
  TenantSteps,
} from './system-services.ts';
