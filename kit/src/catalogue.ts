/**
 * Names and types that modules share. Each module adds its own, so that callers in other modules are typed without an
 * import:
 *
 *     declare module '@chowk/kit/catalogue' {
 *       interface Operations {
 *         products: OperationsOf<typeof actions & typeof operations>;
 *       }
 *       interface Events extends EventsOf<typeof events> {}
 *     }
 */

/** Operations on the bus: by the first part of the name, and `{ input, output }` by the whole name. */
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

type Operation<Name extends string> = Name extends `${infer Prefix}.${string}`
  ? Prefix extends keyof Operations
    ? Name extends keyof Operations[Prefix]
      ? Operations[Prefix][Name]
      : never
    : never
  : never;
type Input<Name extends string> = Operation<Name> extends { input: infer Sent } ? Sent : never;
type Output<Name extends string> = Operation<Name> extends { output: infer Returned } ? Returned : never;

/**
 * Calls operations of other modules that `api.consumes` in `module.json` declares, for the same tenant and user and in the
 * same transaction. Names are written as string literals: the loader refuses a module with a call that is not declared.
 */
export interface Bus {
  /** 404 if the tenant does not have the module. */
  call<const Name extends string>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  /** `undefined` if the tenant does not have the module. */
  callIfInstalled<const Name extends string>(name: Name, input: Input<Name>): Promise<Output<Name> | undefined>;
  /** Whether the tenant has the module of the operation. */
  isInstalled(name: string): Promise<boolean>;
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
