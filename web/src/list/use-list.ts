import type { Client } from '@chowk/client';
import { useQueries } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { keyOf } from '../api-query.ts';
import { api, useTenant } from '../session.ts';

/** Records on a page of a list. */
export const perPage = 100;

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
  /** Reads the pages of these rows. */
  show(first: number, last: number): void;
  readonly error: Error | null;
  /** The rows are still those of the previous filters. */
  readonly isOutdated: boolean;
}

type ReadPage<Row> = (client: Client, page: { page: number; per_page: number }) => Promise<Page<Row>>;

/** `name` has everything that the list depends on: `['customers', 'list', filters]`. */
export function useList<Row>(name: readonly unknown[], read: ReadPage<Row>): List<Row> {
  const tenant = useTenant();
  const identity = JSON.stringify([tenant, ...name]);
  const [shown, setShown] = useState({ identity, pages: [1] });
  const pages = shown.identity === identity ? shown.pages : [1];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(tenant, ...name, page),
      queryFn: () => read(api(), { page, per_page: perPage }),
    })),
  });
  const last = useRef<{ pages: ReadonlyMap<number, Page<Row>>; tenant: string | undefined }>(undefined);
  const loaded = new Map(pages.flatMap((page, index) => (results[index]?.data ? [[page, results[index].data]] : [])));
  const error = results.find((one) => one.error)?.error ?? null;
  const isOutdated = loaded.size === 0 && !error && last.current !== undefined && last.current.tenant === tenant;
  if (loaded.size > 0) last.current = { pages: loaded, tenant };
  const current = isOutdated ? (last.current as { pages: ReadonlyMap<number, Page<Row>> }).pages : loaded;
  return {
    identity,
    total: [...current.values()][0]?.total,
    rowAt: (index) => current.get(Math.floor(index / perPage) + 1)?.rows[index % perPage],
    show(first, final) {
      const from = Math.floor(first / perPage) + 1;
      const wanted = Array.from({ length: Math.floor(final / perPage) + 2 - from }, (_, index) => from + index);
      if (wanted.join() !== pages.join()) setShown({ identity, pages: wanted });
    },
    error,
    isOutdated,
  };
}
