/** An error is one line. */
const maxNamed = 5;

/** A change of a ring that would break something, unless it is forced. */
export class Refusal extends Error {
  readonly problems: readonly string[];

  constructor(what: string, problems: readonly string[]) {
    const more = problems.length > maxNamed ? [`and ${problems.length - maxNamed} more`] : [];
    super(`${what}: ${[...problems.slice(0, maxNamed), ...more].join('; ')}; --force overrides this`);
    this.problems = problems;
  }
}
