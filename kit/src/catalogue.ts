/**
 * Names and types that modules share. Each module adds its own, so that callers in other modules are typed without an
 * import:
 *
 *     declare module '@chowk/kit/catalogue' {
 *       interface Operations {
 *         products: OperationTypes<typeof actions & typeof operations>;
 *       }
 *       interface Events extends EventTypes<typeof events> {}
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

/** Configuration that the operator sets in the environment and modules read: the value by name. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the modules
export interface ModuleOptions {}
