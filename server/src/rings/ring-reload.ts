/** The channel on which fronts are asked to replace the process of a ring. */
export const reloadChannel = 'chowk_ring_reload';

/** The channel on which each front that has the ring says, as JSON, how far it is. */
export const reloadReportChannel = 'chowk_ring_reload_report';

export interface ReloadReport {
  readonly ring: string;
  /** Host and process of the front. */
  readonly front: string;
  /** `failed`: the new process did not start, and the earlier one goes on. */
  readonly status: 'starting' | 'ready' | 'failed';
}
