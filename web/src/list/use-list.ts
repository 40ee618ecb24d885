import type { Client } from '@chowk/client';
import { useQueries } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Key } from '../api/query-keys.ts';
import { tenantKey } from '../api/use-api.ts';
import { api, useTenant } from '../session/session.ts';
import { type Page, pagesAround, perPage, resolveList, rowAt, type Snapshot } from './list-pages.ts';

/** Between two changes of the pages that are read, while the user scrolls. */
const pauseMs = 80;

/** Some of the rows of a list, which may be very long: pages are read as they are shown. */
export interface List<Row> {
  /** Changes with the filters. */
  readonly identity: string;
  /** `undefined` until the first page has been read. */
  readonly total: number | undefined;
  /** `undefined` until its page has been read. */
  rowAt(index: number): Row | undefined;
  /** The rows that have been read, in order. */
  readonly loaded: readonly Row[];
  /** Reads the pages of these rows. */
  show(first: number, last: number): void;
  readonly error: Error | null;
  /** The rows are still those of the previous filters. */
  readonly isOutdated: boolean;
}

/** The signal aborts when the page is no longer shown. */
type ReadPage<Row> = (
  client: Client,
  page: { page: number; per_page: number },
  signal: AbortSignal,
) => Promise<Page<Row>>;

/** `name` has everything that the list depends on: `keys.customers.list(filters)`. */
export function useList<Row>(name: Key, read: ReadPage<Row>): List<Row> {
  const tenant = useTenant();
  const identity = JSON.stringify([tenant, ...name]);
  const [shown, setShown] = useState<{ identity: string; pages: readonly number[] }>({ identity, pages: [1] });
  const pages = shown.identity === identity ? shown.pages : [1];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...tenantKey(tenant, name), page],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(api(), { page, per_page: perPage }, signal),
    })),
  }).map(({ data, error, dataUpdatedAt }, index) => ({ page: pages[index] as number, data, error, dataUpdatedAt }));
  const [previous, setPrevious] = useState<Snapshot<Row>>();
  const wanted = useRef(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const list = resolveList({ identity, tenant, results, previous });
  if (list.snapshot !== previous) setPrevious(list.snapshot);
  return {
    identity,
    total: list.total,
    rowAt: (index) => rowAt(list.pages, index),
    get loaded() {
      return [...list.pages.values()].flatMap(({ rows }) => rows);
    },
    show(first, last) {
      const next = pagesAround(first, last, list.snapshot?.total ?? 0);
      wanted.current = { identity, pages: next };
      if (next.join() === pages.join()) return;
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setShown(wanted.current);
      }, pauseMs);
    },
    error: list.error,
    isOutdated: list.isOutdated,
  };
}
