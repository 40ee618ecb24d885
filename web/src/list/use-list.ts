import type { Client } from '@chowk/client';
import { useQueries } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { keyOf } from '../api/use-api.ts';
import { api, useTenant } from '../session/session.ts';

/** Records on a page of a list. */
export const perPage = 100;
/** A page is read when the screen is this many rows away from it. */
const margin = 30;
/** Between two changes of the pages that are read, while the user scrolls. */
const pauseMs = 80;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

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

interface Shown<Row> {
  readonly identity: string;
  readonly tenant: string | undefined;
  readonly pages: ReadonlyMap<number, Page<Row>>;
  readonly total: number;
}

/** `name` has everything that the list depends on: `['customers', 'list', filters]`. */
export function useList<Row>(name: readonly unknown[], read: ReadPage<Row>): List<Row> {
  const tenant = useTenant();
  const identity = JSON.stringify([tenant, ...name]);
  const [shown, setShown] = useState<{ identity: string; pages: readonly number[] }>({ identity, pages: [1] });
  const pages = shown.identity === identity ? shown.pages : [1];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(tenant, ...name, page),
      queryFn: ({ signal }: { signal: AbortSignal }) => read(api(), { page, per_page: perPage }, signal),
    })),
  });
  const last = useRef<Shown<Row>>(undefined);
  const wanted = useRef(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const loaded = new Map(pages.flatMap((page, index) => (results[index]?.data ? [[page, results[index].data]] : [])));
  const error = results.find((one) => one.error)?.error ?? null;
  // The page that was read last knows the total best.
  const newest = results.reduce((best, one) => (one.dataUpdatedAt > best.dataUpdatedAt ? one : best));
  if (newest.data) last.current = { identity, tenant, pages: loaded, total: newest.data.total };
  const previous = last.current;
  const isOutdated = loaded.size === 0 && !error && previous?.tenant === tenant && previous?.identity !== identity;
  const current = isOutdated && previous ? previous.pages : loaded;
  return {
    identity,
    total: isOutdated || previous?.identity === identity ? previous?.total : undefined,
    rowAt: (index) => current.get(Math.floor(index / perPage) + 1)?.rows[index % perPage],
    get loaded() {
      return [...current.values()].flatMap(({ rows }) => rows);
    },
    show(first, final) {
      const to = Math.min(final + margin, Math.max((previous?.total ?? 0) - 1, 0));
      const [from, until] = [Math.max(first - margin, 0), Math.max(to, first)].map(pageOf) as [number, number];
      const next = Array.from({ length: until - from + 1 }, (_, index) => from + index);
      wanted.current = { identity, pages: next };
      if (next.join() === pages.join()) return;
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setShown(wanted.current);
      }, pauseMs);
    },
    error,
    isOutdated,
  };
}

function pageOf(index: number): number {
  return Math.floor(index / perPage) + 1;
}
