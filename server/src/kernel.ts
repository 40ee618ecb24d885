import type {
  DeclaredNotificationType,
  HttpClient,
  Identity,
  Log,
  PushService,
  SystemServices,
} from '@chowk/kit/kernel';
import type { AuditLog } from './actions/audit-log.ts';
import type { CallCounts } from './actions/call-counts.ts';
import type { RegisteredAction } from './actions/registry.ts';
import type { RequestLog } from './actions/request-log.ts';
import type { Config } from './config/config.ts';
import type { ConnectionBudget } from './db/budget.ts';
import type { Signals } from './db/signals.ts';
import type { DeliveryWorker } from './events/delivery-worker.ts';
import type { EventFeed } from './events/event-feed.ts';
import type { EventHub } from './events/event-hub.ts';
import type { EventLogSignal } from './events/event-log.ts';
import type { Figures } from './figures.ts';
import type { FileStore } from './files/file-store.ts';
import type { JobQueues } from './jobs/job-queues.ts';
import type { Installations } from './loader/installations.ts';
import type { LoadedModule } from './loader/load-modules.ts';
import type { MailReader } from './mail/mail-reader.ts';
import type { Mailer } from './mail/mailer.ts';
import type { createPersonalData } from './privacy/personal-data.ts';
import type { PubSub } from './pubsub/pubsub.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Realtime } from './realtime/realtime.ts';
import type { RingForwarder } from './rings/ring-forwarder.ts';
import type { SecretBox } from './secrets.ts';
import type { SharedCache } from './shared-cache.ts';
import type { Central } from './tenancy/central-database.ts';
import type { Directory } from './tenancy/directory.ts';
import type { SettingsStore } from './tenancy/settings.ts';
import type { TenantDatabases } from './tenancy/tenant-databases.ts';
import type { Tracer } from './tracing/tracer.ts';

/** The services of the running platform, wired by `boot`. */
export interface Kernel {
  readonly config: Config;
  readonly log: Log;
  readonly central: Central;
  readonly budget: ConnectionBudget;
  /** Measured in the last half hour. */
  readonly figures: Figures;
  readonly databases: TenantDatabases;
  readonly directory: Directory;
  /** To the processes of other rings. */
  readonly forwarder: RingForwarder;
  readonly settings: SettingsStore;
  readonly identity: Identity;
  /** `ctx.system` of system modules. */
  readonly services: SystemServices;
  readonly systemModules: ReadonlySet<string>;
  readonly secrets: SecretBox;
  readonly limiter: RateLimiter;
  readonly cache: SharedCache;
  readonly http: HttpClient;
  readonly mailer: Mailer;
  /** Absent: nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly mailReader: MailReader;
  /** `undefined` if it is not configured. */
  readonly push: PushService | undefined;
  readonly files: FileStore;
  readonly pubsub: PubSub;
  readonly realtime: Realtime;
  readonly modules: readonly LoadedModule[];
  /** Scripts of modules for the console, by their digest. */
  readonly consoleFiles: ReadonlyMap<string, Buffer>;
  readonly installations: Installations;
  /** The actions that modules can call, by name. */
  readonly operations: ReadonlyMap<string, RegisteredAction>;
  /** The operations that each module may call, with the permission that a call needs instead of the operation's own. */
  readonly consumes: ReadonlyMap<string, ReadonlyMap<string, string | null | undefined>>;
  readonly personalData: ReturnType<typeof createPersonalData>;
  readonly notificationTypes: Readonly<Record<string, DeclaredNotificationType>>;
  readonly audit: AuditLog;
  readonly requestLog: RequestLog;
  readonly calls: CallCounts;
  readonly events: EventHub;
  /** Events to subscribers in all processes. */
  readonly feed: EventFeed;
  readonly eventLog: EventLogSignal;
  readonly deliveries: DeliveryWorker;
  readonly jobs: JobQueues;
  readonly signals: Signals;
  readonly actions: readonly RegisteredAction[];
  readonly actionsByName: ReadonlyMap<string, RegisteredAction>;
  readonly now: () => Date;
  /** Performs jobs of all queues, or of some, and delivers events, until `close`. */
  work(queues?: readonly string[]): Promise<void>;
  /** Finishes background work and closes all connections. */
  close(): Promise<void>;
}
