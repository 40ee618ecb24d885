/**
 * Names and types that modules share. Each module adds its own, so that callers in other modules are typed without an
 * import:
 *
 *     declare module '@chowk/kit/catalogue' {
 *       interface Operations extends OperationsOf<typeof actions> {}
 *       interface Events extends EventsOf<typeof events> {}
 *       interface Helpers {
 *         products: HelpersOf<typeof helpers>;
 *       }
 *     }
 */

/** Operations on the bus: `{ input, output }` by name. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface Operations {}

/** Events: the payload by name. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface Events {}

/** Background jobs: the data by name. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface Jobs {}

/** Settings: the value by key. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the kernel and the modules
export interface Settings {}

/** Data that the demo of a module shares with the demos of other modules, by alias. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface DemoShares {}

/** Helpers: by the alias of the module that declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface Helpers {}

/** Calls operations of other modules, for the same tenant and user and in the same transaction. */
export interface Bus {
  call<Name extends keyof Operations>(
    name: Name,
    input: Operations[Name] extends { input: infer Input } ? Input : never,
  ): Promise<Operations[Name] extends { output: infer Output } ? Output : never>;
}

/** Emits an event that the module declares in `events`, in the current transaction or in a new one. */
export type Emit = <Name extends keyof Events>(name: Name, payload: Events[Name]) => Promise<void>;

/** Emits several events of one name, in order. */
export type EmitAll = <Name extends keyof Events>(name: Name, payloads: readonly Events[Name][]) => Promise<void>;

export interface AddJobOptions {
  /** Runs after this many seconds at the earliest. */
  readonly delaySeconds?: number;
}

export interface JobQueue {
  /** Adds a job for this tenant; inside a transaction, when it commits. */
  add<Name extends keyof Jobs>(name: Name, data: Jobs[Name], options?: AddJobOptions): Promise<void>;
}
