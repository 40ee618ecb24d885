export interface PromotionRequest {
  /** The module. */
  readonly alias: string;
  /** The ring that gets the version. */
  readonly to: string;
  /** The ring whose version is taken over. */
  readonly from?: string | undefined;
  /** The version, if no ring is given. */
  readonly version?: string | undefined;
  /** How long the version must have served the ring `from`, such as `48h`. */
  readonly soak?: string | undefined;
}

interface PromotionDifference {
  readonly gained: readonly string[];
  readonly changed: readonly { readonly name: string; readonly problem: string | null }[];
  readonly lost: readonly string[];
}

/** What another version of a module means for a ring. */
export interface Promotion {
  readonly from_version: string | null;
  readonly to_version: string;
  readonly migrations: readonly string[];
  readonly operations: PromotionDifference;
  readonly permissions: PromotionDifference;
  readonly settings: PromotionDifference;
  readonly events: PromotionDifference;
  readonly graphql: readonly { readonly severity: string; readonly kind: string; readonly description: string }[];
  /** What it would break. */
  readonly refusals: readonly string[];
}
