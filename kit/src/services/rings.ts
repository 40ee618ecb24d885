export interface RingAssignment {
  readonly tenantId: string;
  /** The name of the ring. */
  readonly ring: string;
  readonly operator: string;
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
}

/** The rings of the platform. */
export interface RingsService {
  /** The version of each module in the lock file of a ring, by alias; `undefined` if this process cannot read the file. */
  versions(ring: {
    readonly name: string;
    readonly manifest_path: string;
  }): Promise<Readonly<Record<string, string>> | undefined>;
  /** Assigns a tenant to a ring, from its next request on, and records it. Returns the reason why it refuses, if it does. */
  assign(assignment: RingAssignment): Promise<string | undefined>;
}
