/* The pages of a list, apart from React: which of them to read, and what to show until they have been read. */

/** Records on a page of a list. */
export const perPage = 100;
/** A page is read when the screen is this many rows away from it. */
const margin = 30;

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** Pages that have been read, by their number, and the total as of the last one. */
export interface Snapshot<Row> {
  /** The filters of the list. */
  readonly identity: string;
  readonly tenant: string | undefined;
  readonly pages: ReadonlyMap<number, Page<Row>>;
  readonly total: number;
}

export interface PageResult<Row> {
  readonly page: number;
  readonly data: Page<Row> | undefined;
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
}

interface Source<Row> extends Pick<Snapshot<Row>, 'identity' | 'tenant'> {
  readonly results: readonly PageResult<Row>[];
  /** The snapshot of the previous render. */
  readonly previous: Snapshot<Row> | undefined;
}

interface ListState<Row> {
  /** To show, and to pass as `previous` the next time. */
  readonly snapshot: Snapshot<Row> | undefined;
  readonly pages: Snapshot<Row>['pages'];
  readonly total: number | undefined;
  readonly error: Error | null;
  /** The rows are still those of the previous filters. */
  readonly isOutdated: boolean;
}

/** Until the first page of other filters has been read, the rows of the previous ones stay. */
export function resolveList<Row>({ identity, tenant, results, previous }: Source<Row>): ListState<Row> {
  const pages = new Map(results.flatMap(({ page, data }) => (data ? [[page, data] as const] : [])));
  const error = results.find((one) => one.error)?.error ?? null;
  // The page that was read last has the current total.
  const newest = results.reduce((best, one) => (one.dataUpdatedAt > best.dataUpdatedAt ? one : best));
  const snapshot = newest.data ? { identity, tenant, pages, total: newest.data.total } : previous;
  const isOutdated = pages.size === 0 && !error && snapshot?.tenant === tenant && snapshot?.identity !== identity;
  const isShown = isOutdated || snapshot?.identity === identity;
  return {
    snapshot: snapshot && previous && isSameSnapshot(snapshot, previous) ? previous : snapshot,
    pages: isOutdated && snapshot ? snapshot.pages : pages,
    total: isShown ? snapshot?.total : undefined,
    error,
    isOutdated,
  };
}

function isSameSnapshot<Row>(one: Snapshot<Row>, other: Snapshot<Row>): boolean {
  return (
    one.identity === other.identity &&
    one.tenant === other.tenant &&
    one.total === other.total &&
    one.pages.size === other.pages.size &&
    [...one.pages].every(([page, data]) => other.pages.get(page) === data)
  );
}

/** The pages of the rows on the screen, and of those close to it. */
export function pagesAround(first: number, last: number, total: number): readonly number[] {
  const end = Math.max(Math.min(last + margin, Math.max(total - 1, 0)), first);
  const [from, to] = [pageNumber(Math.max(first - margin, 0)), pageNumber(end)];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export function rowAt<Row>(pages: Snapshot<Row>['pages'], index: number): Row | undefined {
  return pages.get(pageNumber(index))?.rows[index % perPage];
}

function pageNumber(index: number): number {
  return Math.floor(index / perPage) + 1;
}
