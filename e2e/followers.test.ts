import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type InstalledPlatform, startInstalledPlatform } from './platform.ts';

/*
 * Followers of events and of changed records miss nothing while eight writers create, change, merge and erase customers and the
 * platform is killed. Ten runs: `FOLLOWER_RUNS=10 npm test -- e2e/followers.test.ts`.
 */

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type Any = any;

const runs = Number(process.env.FOLLOWER_RUNS ?? 2);
const writers = 8;
const rounds = 6;

/** `undefined` if there is no response, because the platform was killed: the request may have been executed or not. */
async function send(platform: InstalledPlatform, method: string, path: string, body?: object): Promise<Any> {
  const { tenant, token } = platform;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant, 'content-type': 'application/json' };
  const request = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  try {
    const response = await fetch(`${platform.url}/api/v1${path}`, request);
    const answer = await response.json();
    // The platform is stopping or starting.
    if (response.status >= 500) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Waits for the platform to answer again. */
async function read(platform: InstalledPlatform, path: string): Promise<Any> {
  for (;;) {
    const answer = await send(platform, 'GET', path);
    if (answer) return answer;
    await wait(100);
  }
}

const untilReady = (platform: InstalledPlatform) => read(platform, '/auth/me');

/** What was answered with success, as events should tell it. */
type Expected = readonly [type: string, id: string];

async function write(platform: InstalledPlatform, writer: number, expected: Expected[]): Promise<void> {
  const attempt = async (type: string, id: string, ...request: [method: string, path: string, body?: object]) => {
    const answer = await send(platform, ...request);
    if (answer) expected.push([type, id]);
    else await untilReady(platform);
  };
  for (let round = 0; round < rounds; round += 1) {
    const created: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      const answer = await send(platform, 'POST', '/customers', { first_name: `Ravi ${writer}.${round}.${number}` });
      if (!answer) await untilReady(platform);
      else created.push(answer.customer.id);
    }
    for (const id of created) expected.push(['customer.created', id]);
    const [first, second, third] = created;
    if (first) await attempt('customer.updated', first, 'PATCH', `/customers/${first}`, { last_name: `Rao ${round}` });
    if (first && second) {
      const merge = { primary_id: first, secondary_id: second };
      await attempt('customer.merged', second, 'POST', '/customers/merge', merge);
    }
    if (third) {
      const mode = ['soft', 'anonymize', 'hard'][round % 3];
      await attempt('customer.deleted', third, 'DELETE', `/customers/${third}?mode=${mode}`);
    }
  }
}

/** Reads events until it is told to stop and there are no more. */
async function followEvents(platform: InstalledPlatform, isStopping: () => boolean): Promise<Any[]> {
  const events: Any[] = [];
  for (let cursor = ''; ; ) {
    const isLast = isStopping();
    const page = await read(platform, `/events?limit=20&wait=1${cursor && `&cursor=${cursor}`}`);
    events.push(...page.events);
    cursor = page.pagination.next_cursor;
    if (isLast && page.events.length === 0) return events;
  }
}

/** Reads customers by the time of their last change, as programs that know no events do. */
async function followChanges(platform: InstalledPlatform, isStopping: () => boolean): Promise<Map<string, Any>> {
  const copy = new Map<string, Any>();
  for (let cursor = ''; ; ) {
    const isLast = isStopping();
    const query = `/customers?sort_by=updated_at&sort_order=asc&limit=20${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { customers, pagination } = await read(platform, query);
    for (const customer of customers) copy.set(customer.id, customer);
    cursor = pagination.next_cursor ?? cursor;
    if (isLast && customers.length === 0) return copy;
    if (customers.length === 0) await wait(50);
  }
}

/** Reads customers from the time of the last change that it knows, as programs that store no cursor do. */
async function followTimes(platform: InstalledPlatform, isStopping: () => boolean): Promise<Map<string, Any>> {
  const copy = new Map<string, Any>();
  for (let time = '2026-01-01'; ; ) {
    const isLast = isStopping();
    const query = `sort_by=updated_at&sort_order=asc&updated_from=${time}&`;
    const customers = await readAll(platform, `/customers?${query}`, 'customers');
    const fresh = customers.filter(({ id, updated_at }) => copy.get(id)?.updated_at !== updated_at);
    for (const customer of customers) copy.set(customer.id, customer);
    time = customers.at(-1)?.updated_at ?? time;
    if (isLast && fresh.length === 0) return copy;
    if (fresh.length === 0) await wait(50);
  }
}

async function readAll(platform: InstalledPlatform, path: string, key: string): Promise<Any[]> {
  const records: Any[] = [];
  for (let cursor = ''; ; ) {
    const page = await read(platform, `${path}limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    records.push(...page[key]);
    if (!page.pagination.has_more) return records;
    cursor = page.pagination.next_cursor;
  }
}

const about = ({ type, resource_id, data }: Any) =>
  `${type} ${type === 'customer.merged' ? data.removed_id : resource_id}`;

test('followers of events and of changes miss nothing under writers, merges, erasures and kills', {
  timeout: runs * 300_000,
}, async () => {
  const platform = await startInstalledPlatform();
  for (let run = 0; run < runs; run += 1) {
    const expected: Expected[] = [];
    let isDone = false;
    const following = Promise.all([
      followEvents(platform, () => isDone),
      followEvents(platform, () => isDone),
      followChanges(platform, () => isDone),
      followTimes(platform, () => isDone),
    ]);
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(platform, writer, expected)));
    // In the middle of the writes.
    await expect.poll(() => expected.length, { timeout: 200_000 }).toBeGreaterThan(writers * (run % 2 ? 12 : 4));
    await platform.killAndRestart();
    await writing;
    isDone = true;
    const [events, others, ...copies] = await following;

    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    // Their content may differ: erasing a customer also erases it in the events.
    expect(others.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect((await readAll(platform, '/events?', 'events')).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    const told = new Set(events.map(about));
    expect(expected.filter(([type, id]) => !told.has(`${type} ${id}`))).toEqual([]);
    expect(expected.length).toBeGreaterThan(writers * rounds);

    for (const customer of await readAll(platform, '/customers?', 'customers')) {
      for (const copy of copies) expect(copy.get(customer.id)).toEqual(customer);
    }
  }
});
