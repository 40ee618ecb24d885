import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Ctx, type Db, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { causeWork, crashMail, crashModule } from '../testing/crash-module.ts';
import { startPlatform, type TestTenant } from '../testing/platform.ts';

/*
 * Whichever process is killed, a committed change has its event, its job and its mail, each once, and a rolled-back one has
 * none. The tests kill a process of the platform, or its connections to PostgreSQL.
 */

const receivedEvents: string[] = [];
const done: string[] = [];
const record = (list: string[]) => async (ctx: Ctx) => void list.push(ctx.tenant.id);

const platform = await startPlatform({ modules: [crashModule({ event: record(receivedEvents), job: record(done) })] });
const { central, deliveries, services } = platform.kernel;
await platform.kernel.work();
const mark = (id: string) => sql`INSERT INTO crash_marks VALUES (${id})`;
await central.db.run(sql`CREATE TABLE crash_marks (id text)`);
const eventually = { timeout: 30_000 };

type Effect = 'work' | 'mail';

/** Delays the commit of a transaction that writes to the table. */
async function delayCommits(db: Db, table: 'crash_notes' | 'crash_marks'): Promise<void> {
  await db.run(sql`
    CREATE FUNCTION delay_commit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END'`);
  const on = table === 'crash_notes' ? sql`crash_notes` : sql`crash_marks`;
  await db.run(sql`
    CREATE CONSTRAINT TRIGGER delay_commit AFTER INSERT ON ${on} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION delay_commit()`);
}

/** The backend that is committing; `undefined` if there is none yet. */
async function committingBackend(): Promise<number | undefined> {
  const row = await central.db.row<{ pid: number }>(sql`
    SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`);
  return row?.pid;
}

/** What remains and what has happened, when nothing is left to do. */
async function effects({ id, db }: TestTenant, effect: Effect) {
  await deliveries.sweep();
  if (effect === 'mail') {
    const marks = await central.db.rows(sql`SELECT FROM crash_marks WHERE id = ${id}`);
    const mails = (await services.mail.listStored()).filter(({ to }) => to === `${id}@example.com`);
    return { changes: marks.length, mails: mails.length };
  }
  const [notes, waiting, jobs] = await Promise.all([
    db.rows(sql`SELECT FROM crash_notes`),
    db.rows(sql`SELECT FROM event_deliveries`),
    db.rows(sql`SELECT FROM added_jobs`),
  ]);
  const count = (list: string[]) => list.filter((tenant) => tenant === id).length;
  return {
    changes: notes.length,
    left: waiting.length + jobs.length,
    events: count(receivedEvents),
    jobs: count(done),
  };
}

const exactlyOnce = { work: { changes: 1, left: 0, events: 1, jobs: 1 }, mail: { changes: 1, mails: 1 } };
const never = { work: { changes: 0, left: 0, events: 0, jobs: 0 }, mail: { changes: 0, mails: 0 } };

function startProcess(tenant: TestTenant, effect: Effect, moment: string) {
  const { user, password, port } = central.address;
  const child = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../testing/crash-process.ts'), tenant.id, effect, moment],
    {
      env: {
        ...process.env,
        APP_ENV: 'testing',
        SPARE_DATABASES: '0',
        STORAGE_PATH: platform.kernel.config.storagePath,
        DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return { child, exited: once(child, 'exit') };
}

for (const effect of ['work', 'mail'] as const) {
  test(`a process that is killed before the commit leaves nothing: ${effect}`, { timeout: 60_000 }, async () => {
    const tenant = await platform.tenant();
    const [, signal] = await startProcess(tenant, effect, 'before').exited;
    expect(signal).toBe('SIGKILL');
    expect(await effects(tenant, effect)).toEqual(never[effect]);
  });

  test(`what a process committed before it was killed happens once: ${effect}`, { timeout: 60_000 }, async () => {
    const tenant = await platform.tenant();
    const [, signal] = await startProcess(tenant, effect, 'after').exited;
    expect(signal).toBe('SIGKILL');
    await expect.poll(() => effects(tenant, effect), eventually).toEqual(exactlyOnce[effect]);
  });

  test(`a process that is killed inside the commit has committed all or nothing: ${effect}`, {
    timeout: 60_000,
  }, async () => {
    const tenant = await platform.tenant();
    const db = effect === 'mail' ? central.db : tenant.db;
    await delayCommits(db, effect === 'mail' ? 'crash_marks' : 'crash_notes');
    const { child, exited } = startProcess(tenant, effect, 'inside');
    await expect.poll(committingBackend, eventually).toBeDefined();
    child.kill('SIGKILL');
    await exited;
    await expect.poll(committingBackend, eventually).toBeUndefined();
    // Depending on when PostgreSQL notices that the process is gone, it completes the commit or not.
    await expect
      .poll(() => effects(tenant, effect), eventually)
      .toSatisfy((now: object) =>
        [exactlyOnce[effect], never[effect]].some((outcome) => isDeepStrictEqual(now, outcome)),
      );
    if (effect === 'mail') await central.db.run(sql`DROP TRIGGER delay_commit ON crash_marks`);
  });

  test(`a connection that PostgreSQL ends before or inside the commit leaves nothing: ${effect}`, async () => {
    for (const moment of ['before', 'inside']) {
      const tenant = await platform.tenant();
      const db = effect === 'mail' ? central.db : tenant.db;
      if (moment === 'inside') {
        if (effect === 'mail') await central.db.run(sql`DROP FUNCTION IF EXISTS delay_commit CASCADE`);
        await delayCommits(db, effect === 'mail' ? 'crash_marks' : 'crash_notes');
      }
      const cause = async (ctx: Ctx, tx: Db) => {
        if (effect === 'work') await causeWork(ctx);
        else {
          await tx.run(mark(tenant.id));
          await services.mail.send(crashMail(`${tenant.id}@example.com`), tx);
        }
        if (moment === 'inside') return;
        const own = await tx.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
        await central.db.run(sql`SELECT pg_terminate_backend(${own?.pid})`);
      };
      const work =
        effect === 'work'
          ? tenant.context('crash').tx((ctx) => cause(ctx, ctx.db))
          : central.db.tx((tx) => cause(tenant.context('crash'), tx));
      const failed = expect(work).rejects.toThrow();
      if (moment === 'inside') {
        await expect.poll(committingBackend, eventually).toBeDefined();
        await central.db.run(sql`SELECT pg_terminate_backend(${await committingBackend()})`);
      }
      await failed;
      expect(await effects(tenant, effect)).toEqual(never[effect]);
    }
  });
}

test('an event whose listener was running in a killed process is delivered by another', {
  timeout: 60_000,
}, async () => {
  const tenant = await platform.tenant();
  await deliveries.close();
  const { child, exited } = startProcess(tenant, 'work', 'listening');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await exited;
  await deliveries.work();
  await expect.poll(() => effects(tenant, 'work'), eventually).toEqual(exactlyOnce.work);
});
