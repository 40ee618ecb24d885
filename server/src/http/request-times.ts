const name = 'chowk_http_request_seconds';
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  readonly labels: string;
  /** How many took as long as each bound and longer than the one before; the last is for those past all bounds. */
  readonly counts: number[];
  sum: number;
}

/**
 * How long requests took, as a Prometheus histogram. Every request is counted, so counting is adding to an array; the
 * text is made when somebody asks for it.
 */
export class RequestTimes {
  /** By route, then by method and kind of outcome: none of them is made up by callers. */
  readonly #series = new Map<string, Map<string, Series>[]>();

  count(method: string, route: string, status: number, seconds: number): void {
    const series = this.#seriesOf(method, route, Math.floor(status / 100));
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += seconds;
  }

  text(): string {
    const lines = [`# HELP ${name} How long requests took, by route.`, `# TYPE ${name} histogram`];
    for (const kinds of this.#series.values()) {
      for (const methods of kinds) for (const series of methods?.values() ?? []) lines.push(...linesOf(series));
    }
    return `${lines.join('\n')}\n`;
  }

  #seriesOf(method: string, route: string, kind: number): Series {
    const known = this.#series.get(route)?.[kind]?.get(method);
    if (known) return known;
    const kinds = this.#series.get(route) ?? [];
    const methods = kinds[kind] ?? new Map<string, Series>();
    const labels = `method="${method}",route="${route}",status="${kind}xx"`;
    const series = { labels, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
    this.#series.set(route, kinds);
    kinds[kind] = methods.set(method, series);
    return series;
  }
}

function linesOf({ labels, counts, sum }: Series): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket{le="${bounds[index] ?? '+Inf'}",${labels}} ${total}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`];
}
