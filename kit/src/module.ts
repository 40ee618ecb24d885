import type { Actions } from './action.ts';
import type { ModuleCommand } from './command.ts';
import type { ConsoleEntry } from './console.ts';
import type { Ctx, SystemCtx } from './context.ts';
import type { Demo } from './demo.ts';
import type { ErrorKind } from './errors.ts';
import type { EventDefinition, Listener } from './event.ts';
import type { Identity } from './identity.ts';
import type { Job } from './job.ts';
import type { NotificationType } from './notification.ts';
import type { Setting } from './settings.ts';
import type { SystemServices } from './system-services.ts';

/** Everything that a module declares in code. `module.ts` exports it as `module`. */
export interface Module {
  /** By name, the module's alias first: `products.create`. System modules may use other prefixes. */
  readonly actions?: Actions;
  /** Descriptions of the groups that actions name in `tag`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Operations for other modules only, by name, the module's alias first: `customers.findOrCreate`. */
  readonly operations?: Actions;
  /** By key, the module's alias first: `products.low_stock_threshold`. */
  readonly settings?: Readonly<Record<string, Setting>>;
  /** Events that it emits, by name: `product.created`. */
  readonly events?: Readonly<Record<string, EventDefinition>>;
  /** Types of notifications that it sends, by name: `conversation.assigned`. Users choose the channels of each. */
  readonly notifications?: Readonly<Record<string, NotificationType>>;
  readonly listeners?: readonly Listener[];
  /** By name, the module's alias first: `products.import`. */
  readonly jobs?: Readonly<Record<string, Job>>;
  /** Authenticates all requests; one system module has it. Called once, before the first request. */
  readonly identity?: (system: SystemServices) => Promise<Identity>;
  /**
   * Checks of all requests below a path such as `/install`, with or without a route, which throw to refuse a request. Only
   * in system modules.
   */
  readonly gates?: Readonly<Record<`/${string}`, (ctx: SystemCtx) => Promise<void>>>;
  /** The path that a page of the console redirects to, such as `/install` before the installation. Only in system modules. */
  readonly redirectPage?: (ctx: SystemCtx, path: string) => Promise<string | undefined>;
  /** Lines that `chowkd serve` prints when it is ready at `url`. Only in system modules. */
  readonly greeting?: (ctx: SystemCtx, url: string) => Promise<readonly string[]>;
  /** What it shows in the console, by name: `board` is at `/modules/notes/board`. */
  readonly console?: Readonly<Record<string, ConsoleEntry>>;
  /** Commands of `chowkd`. */
  readonly commands?: readonly ModuleCommand[];
  readonly errors?: Readonly<Record<string, ErrorKind>>;
  /** Demo data for `chowkd demo:seed`. */
  readonly demo?: Demo;
  readonly hooks?: ModuleHooks;
}

/**
 * Code that `module:install`, `module:upgrade` and `module:remove` run once for each active tenant of the ring that has the module,
 * in a process of its own. It must be possible to run it again: if it fails, the operator repeats the command. Tenants that get
 * the module later are set up by a listener of `tenant.database_migrated`.
 */
export interface ModuleHooks {
  install?(ctx: Ctx): Promise<void>;
  upgrade?(ctx: Ctx, change: { readonly from: string; readonly to: string }): Promise<void>;
  /** Also for tenants that have disabled the module. Its data stays. */
  uninstall?(ctx: Ctx): Promise<void>;
}

export function defineModule(module: Module): Module {
  return module;
}
