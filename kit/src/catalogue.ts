/**
 * What modules offer each other, by name. Each module adds its own, so that every caller in every module is typed
 * without importing it:
 *
 *     declare module '@chowk/kit/catalogue' {
 *       interface Operations extends OperationsOf<typeof actions> {}
 *       interface Events {
 *         'product.created': { product: Product };
 *       }
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

/** What the demo of a module shares with the demos of other modules, by alias. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface DemoShares {}

/** Helpers: by the alias of the module that declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface Helpers {}

/** Calls other modules. The callee sees the same tenant, user and transaction, and knows who calls. */
export interface Bus {
  call<Name extends keyof Operations>(
    name: Name,
    input: Operations[Name] extends { input: infer Input } ? Input : never,
  ): Promise<Operations[Name] extends { output: infer Output } ? Output : never>;
}

export interface EmitOptions {
  /** What the event is about, e.g. an order's id: events about one thing reach each listener in order. */
  readonly about?: string;
}

export type Emit = <Name extends keyof Events>(
  name: Name,
  payload: Events[Name],
  options?: EmitOptions,
) => Promise<void>;

export interface AddJobOptions {
  /** Not before so many seconds from now. */
  readonly delaySeconds?: number;
}

export interface JobQueue {
  /** Asks for a job, for this tenant. It is not undone when a transaction around it is rolled back. */
  add<Name extends keyof Jobs>(name: Name, data: Jobs[Name], options?: AddJobOptions): Promise<void>;
}
