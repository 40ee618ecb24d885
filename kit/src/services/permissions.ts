/** A permission that a module declares in its `module.json`. */
export interface DeclaredPermission {
  readonly name: string;
  /** The allowed operation: `Export customers`. */
  readonly description: string;
  /** Allows damage that cannot be undone, or access to private data. */
  readonly isSensitive: boolean;
  /** The system roles that the module grants it to. */
  readonly roles: readonly string[];
}
