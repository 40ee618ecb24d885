import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { afterAll, expect } from 'vitest';
import { withConnection } from '../src/db/connection.ts';
import { fillTenant } from '../src/demo/fill-tenant.ts';
import type { Kernel } from '../src/kernel.ts';
import { copyStatement, kernelRules, readTables } from '../src/tenancy/archive-tables.ts';
import type { AccountsPlatform, Person } from './accounts.ts';
import { eventually } from './eventually.ts';
import type { TestTenant } from './platform.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

/** Texts that the format of COPY must escape. */
const awkwardTexts = ['\\N', '\\.', 'a\\tb', 'back\\\\slash', "O'Neil; DROP", 'नमस्ते 👋🏽', ' edge ', '{"a":1}'];

/** A folder that is deleted after the test file. */
export async function archiveFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-archives-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface FilledTenant {
  readonly tenant: TestTenant;
  readonly owner: Person;
  readonly webhook: { readonly id: string; readonly secret: string };
  /** The id of a private file with the content `%PDF-1 invoice`. */
  readonly file: string;
}

/** A tenant with demo data, settings, a role of its own, members, a webhook, a provider, a notification and files. */
export async function filledTenant(platform: AccountsPlatform, { size = 40, seed = 1 } = {}): Promise<FilledTenant> {
  const { kernel } = platform;
  const tenant = await platform.tenant({ name: 'Acme Traders' });
  const owner = await platform.person({ tenant });
  await fillTenant(kernel, {
    tenant,
    database: `tenant${tenant.id}`,
    size,
    seed,
    now: new Date(),
    onRows() {},
    onStep() {},
  });
  await kernel.settings.change(tenant.id, { 'general.timezone': 'Europe/Berlin' }, () => true);
  await owner.post('/api/v1/roles', { name: 'Packer', permissions: ['orders.view', 'orders.edit'] });
  const { body } = await owner.post('/api/v1/webhooks', { url: 'https://example.com/hook', events: ['order.*'] });
  const account = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32), sms_from: '+15005550006' };
  const saved = await owner.put('/api/v1/message-providers/twilio', account);
  if (saved.status !== 200 || body.secret === undefined) throw new Error(JSON.stringify([saved.body, body]));
  for (const [index, text] of awkwardTexts.entries()) {
    await owner.post('/api/v1/customers', { first_name: text, email: `awkward${index}@example.com`, notes: text });
  }
  const ctx = tenant.context('products');
  await ctx.notify(owner.id, { type: 'test', title: 'Hello' });
  const { id: file } = await ctx.files.keep(
    await ctx.files.write(Buffer.from('%PDF-1 invoice'), { type: 'application/pdf' }),
  );
  const picture = await ctx.files.keep(
    await ctx.files.write(Buffer.from('RIFF....WEBP'), { type: 'image/webp', isPublic: true }),
  );
  const images = [{ id: ctx.newId(), alt: '', url: ctx.files.publicUrl(picture), width: 1, height: 1, sizes: [] }];
  await tenant.db.run(sql`
    UPDATE products SET images = ${JSON.stringify(images)}::jsonb WHERE id = (SELECT min(id::text)::uuid FROM products)`);
  await kernel.audit.flush();
  await eventually(async () => {
    expect(await tenant.db.row(sql`SELECT FROM event_deliveries UNION ALL SELECT FROM added_jobs`)).toBeUndefined();
  });
  return { tenant, owner, webhook: { id: body.webhook.id, secret: body.secret }, file };
}

/** A fingerprint of the archived rows of each table. */
export async function dumpTenant(
  kernel: Kernel,
  tenantId: string,
  normalize: (text: string) => string = (text) => text,
): Promise<Record<string, string>> {
  const rules = new Map([
    ...Object.entries(kernelRules),
    ...kernel.modules.flatMap(({ manifest }) => Object.entries(manifest.data ?? {})),
  ]);
  return withConnection(kernel.central.address, `tenant${tenantId}`, limits, async (connection) => {
    const content: Record<string, string> = {};
    for (const table of await readTables(connection)) {
      if (rules.get(table.name)?.omit === true) continue;
      let text = '';
      for await (const block of connection.copyOut(copyStatement(table, rules))) text += block.toString();
      content[table.name] = normalize(text).split('\n').sort().join('\n');
    }
    return content;
  });
}

/** What the triggers count must be what a count finds. */
export async function readAllCounters(kernel: Kernel, tenantId: string): Promise<{ name: string; value: number }[]> {
  return withConnection(kernel.central.address, `tenant${tenantId}`, limits, async (connection) => {
    const { rows } = await connection.query<{ name: string; value: number }>(
      sql`SELECT name, sum(value)::bigint AS value FROM counters GROUP BY name HAVING sum(value) <> 0 ORDER BY name`,
    );
    return rows;
  });
}
