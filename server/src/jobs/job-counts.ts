export type JobOutcome = 'completed' | 'failed';

interface JobCount {
  readonly job: string;
  readonly outcome: JobOutcome;
  count: number;
  seconds: number;
}

/** How many tasks this process has performed, and how long they took, since it started. A failed one may be tried again. */
export class JobCounts {
  readonly #counts = new Map<string, JobCount>();

  add(job: string, outcome: JobOutcome, seconds: number): void {
    const key = `${outcome} ${job}`;
    const count = this.#counts.get(key) ?? { job, outcome, count: 0, seconds: 0 };
    count.count += 1;
    count.seconds += seconds;
    this.#counts.set(key, count);
  }

  list(): readonly Readonly<JobCount>[] {
    return [...this.#counts.values()];
  }
}
