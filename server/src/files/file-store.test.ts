import { text } from 'node:stream/consumers';
import { type Ctx, type SystemCtx, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { testModule } from '../../testing/test-module.ts';
import { Context } from '../context/context.ts';

const system = testModule({ alias: 'papers' });
const modules = [
  testModule({ alias: 'vault' }),
  testModule({ alias: 'thief' }),
  { ...system, manifest: { ...system.manifest, system: true } },
];
let clock = Date.now();
const platform = await startPlatform({ modules, now: () => new Date(clock) });
const { kernel } = platform;
const papers = new Context(kernel, { requestId: 'test', module: 'papers', system: true }) as SystemCtx;
const pdf = 'application/pdf';

/** A tenant with no files yet, and the context of the module in it. */
async function newVault(): Promise<{ tenant: TestTenant; ctx: Ctx; files: () => Promise<string[]> }> {
  const tenant = await platform.tenant();
  const files = async () => (await storedFiles(kernel)).filter((path) => path.includes(`/${tenant.id}/`));
  return { tenant, ctx: tenant.context('vault'), files };
}

const store = async (ctx: Ctx, content = '%PDF-1') =>
  ctx.files.keep(await ctx.files.write(Buffer.from(content), { type: pdf }));
const read = async (ctx: Ctx, id: string) => text(await ctx.files.read(id));
const unsettled = () => kernel.central.db.rows<{ file_id: string }>(sql`SELECT file_id FROM unsettled_files`);

test('a stored file has a generated name and can be read until it is removed', async () => {
  const { tenant, ctx, files } = await newVault();
  const file = await store(ctx, '%PDF-1 passport');
  expect(file).toEqual({ id: expect.any(String), type: pdf, size: 15 });
  expect(await files()).toEqual([`files/private/tenants/${tenant.id}/vault/${file.id}`]);
  expect(await read(ctx, file.id)).toBe('%PDF-1 passport');
  expect(await ctx.files.remove(file.id)).toBe(true);
  expect(await ctx.files.remove(file.id)).toBe(false);
  await expect(ctx.files.read(file.id)).rejects.toMatchObject({ code: 'files.not_found', status: 404 });
  expect(await files()).toEqual([]);
  expect(await unsettled()).toEqual([]);
});

test('no other module and no other tenant can reach a file', async () => {
  const { tenant, ctx, files } = await newVault();
  const { id } = await store(ctx);
  const other = await newVault();
  for (const stranger of [tenant.context('thief'), other.ctx, papers]) {
    for (const name of [id, `../vault/${id}`, `../../${tenant.id}/vault/${id}`, '..', '']) {
      await expect(stranger.files.read(name)).rejects.toMatchObject({ code: 'files.not_found' });
      await expect(stranger.files.link(name)).rejects.toMatchObject({ code: 'files.not_found' });
      expect(await stranger.files.remove(name)).toBe(false);
    }
  }
  expect(await files()).toHaveLength(1);
});

test('a file whose transaction fails leaves nothing', async () => {
  const { ctx, files } = await newVault();
  const work = ctx.tx(async (tx) => {
    await store(tx);
    expect(await files()).toHaveLength(1);
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await files()).toEqual([]);
  expect(await unsettled()).toEqual([]);
});

test('a file that was written before its transaction is gone if that fails', async () => {
  const { ctx, files } = await newVault();
  const written = await ctx.files.write(Buffer.from('%PDF-1'), { type: pdf });
  await expect(ctx.files.read(written.id)).rejects.toMatchObject({ code: 'files.not_found' });
  const work = ctx.tx(async (tx) => {
    await tx.files.keep(written);
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await files()).toEqual([]);
  expect(await unsettled()).toEqual([]);
});

test('a removed file stays until the transaction commits, and stays if it is rolled back', async () => {
  const { ctx, files } = await newVault();
  const { id } = await store(ctx);
  const work = ctx.tx(async (tx) => {
    await tx.files.remove(id);
    await expect(tx.files.read(id)).rejects.toMatchObject({ code: 'files.not_found' });
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await read(ctx, id)).toBe('%PDF-1');
  await ctx.tx(async (tx) => {
    await tx.files.remove(id);
    expect(await files()).toHaveLength(1);
  });
  expect(await files()).toEqual([]);
});

test('rolling back a savepoint removes its files and no others', async () => {
  const { ctx, files } = await newVault();
  const kept = await ctx.tx(async (tx) => {
    const inner = tx.tx(async (savepoint) => {
      await store(savepoint);
      throw new Error('undo');
    });
    await expect(inner).rejects.toThrow('undo');
    return store(tx, '%PDF-2');
  });
  expect(await files()).toEqual([expect.stringContaining(kept.id)]);
  expect(await read(ctx, kept.id)).toBe('%PDF-2');
});

test('a transaction that is tried again keeps only the files of the last attempt', async () => {
  const { ctx, files } = await newVault();
  const ids: string[] = [];
  await ctx.tx(async (tx) => {
    ids.push((await store(tx)).id);
    if (ids.length === 1) throw Object.assign(new Error('try again'), { code: '40001' });
  });
  expect(ids).toHaveLength(2);
  expect(await files()).toEqual([expect.stringContaining(String(ids[1]))]);
});

test('what a crashed process has left is settled by the hourly job', async () => {
  const { tenant, ctx, files } = await newVault();
  const [kept, lost] = [await store(ctx), await store(ctx)];
  // The process has died after COMMIT: before the content of a removed file was deleted, and after a file was stored.
  await tenant.db.run(sql`DELETE FROM stored_files WHERE id = ${lost.id}`);
  const recordedAt = async (hours: number, id: string) =>
    kernel.central.db.run(sql`
      INSERT INTO unsettled_files (id, file_id, key, tenant_id, since)
      VALUES (${ctx.newId()}, ${id}, ${`private/tenants/${tenant.id}/vault/${id}`}, ${tenant.id},
        now() - make_interval(hours => ${hours}))`);
  await recordedAt(0, lost.id);
  expect(await kernel.files.settleOld()).toBe(0);
  expect(await files()).toHaveLength(2);
  await recordedAt(2, lost.id);
  await recordedAt(2, kept.id);
  expect(await kernel.files.settleOld()).toBe(2);
  expect(await files()).toEqual([expect.stringContaining(kept.id)]);
  expect(await read(ctx, kept.id)).toBe('%PDF-1');
});

test('a transaction that may have been committed is left to the hourly job', async () => {
  const { tenant, ctx, files } = await newVault();
  const id = await ctx.tx(async (tx) => (await store(tx)).id);
  const work = ctx.tx(async (tx) => {
    await tx.files.remove(id);
    const { pid } = (await tx.db.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)) as { pid: number };
    await kernel.central.db.run(sql`SELECT pg_terminate_backend(${pid})`);
  });
  await expect(work).rejects.toThrow();
  expect(await files()).toHaveLength(1);
  expect((await unsettled()).map(({ file_id }) => file_id)).toContain(id);
  expect(await tenant.db.row(sql`SELECT id FROM stored_files WHERE id = ${id}`)).toEqual({ id });
});

test('a link needs no token, works until it expires, and is always a download in a sandbox', async () => {
  const { ctx } = await newVault();
  const { id } = await store(ctx, '%PDF-1 passport');
  const link = await ctx.files.link(id, { seconds: 60, fileName: 'Päss "1"\r\nX-Evil: 1/../a.pdf' });
  expect(link.startsWith(`${kernel.config.appUrl}/files/download?`)).toBe(true);
  const url = link.slice(kernel.config.appUrl.length);
  const { status, body, headers } = await platform.request({
    method: 'GET',
    url,
    headers: { 'accept-encoding': 'br' },
  });
  expect({ status, body }).toEqual({ status: 200, body: '%PDF-1 passport' });
  expect(headers).toMatchObject({
    'content-type': pdf,
    'content-length': '15',
    'content-disposition': `attachment; filename="P_ss _1___X-Evil_ 1_.._a.pdf"; filename*=UTF-8''P%C3%A4ss%20%221%22__X-Evil%3A%201_.._a.pdf`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  expect(headers).not.toHaveProperty('content-encoding');
  const other = await store(ctx, '%PDF-1 secret');
  for (const forged of [
    url.replace(id, other.id),
    url.replace('pdf&', 'html&'),
    url.replace(/expires=\d+/, 'expires=99999999999'),
    url.replace(/signature=.*/, 'signature=AAAA'),
    url.replace('vault', 'thief'),
  ]) {
    expect(forged).not.toBe(url);
    expect(await platform.request({ method: 'GET', url: forged })).toMatchObject({
      status: 403,
      body: { code: 'files.link_invalid' },
    });
  }
  clock += 61_000;
  expect((await platform.request({ method: 'GET', url })).body.code).toBe('files.link_invalid');
});

test('the link of a removed file leads nowhere', async () => {
  const { ctx } = await newVault();
  const { id } = await store(ctx);
  const url = (await ctx.files.link(id)).slice(kernel.config.appUrl.length);
  await ctx.files.remove(id);
  expect(await platform.request({ method: 'GET', url })).toMatchObject({
    status: 404,
    body: { code: 'files.not_found' },
  });
  await expect(ctx.files.link(id, { seconds: 86_401 })).rejects.toThrow('1 to 86400 seconds');
});

test('a public file has an address that cannot be guessed and may be cached forever', async () => {
  const { tenant, ctx } = await newVault();
  const written = await ctx.files.write(Buffer.from('RIFF....WEBP'), { type: 'image/webp', isPublic: true });
  const file = await ctx.files.keep(written);
  const url = ctx.files.publicUrl(file);
  expect(url).toBe(`/media/${tenant.id}/vault/${file.id}.webp`);
  const { status, body, headers } = await platform.request({ method: 'GET', url });
  expect({ status, body }).toEqual({ status: 200, body: 'RIFF....WEBP' });
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  const again = { method: 'GET', url, headers: { 'if-none-match': String(headers.etag) } } as const;
  expect(await platform.request(again)).toMatchObject({ status: 304, body: '' });
  await ctx.files.remove(file.id);
  expect((await platform.request({ method: 'GET', url })).status).toBe(404);
});

test('a private file is published as a copy, which replaces it in a transaction', async () => {
  const { ctx } = await newVault();
  const { id } = await store(ctx);
  const content = await read(ctx, id);
  const publish = async (fails: boolean) => {
    const written = await ctx.files.publish(id);
    return ctx.tx(async (tx) => {
      await tx.files.remove(id);
      const file = await tx.files.keep(written);
      if (fails) throw new Error('undo');
      return file;
    });
  };
  await expect(publish(true)).rejects.toThrow('undo');
  expect(await read(ctx, id)).toBe(content);
  const file = await publish(false);
  const answer = await platform.request({ method: 'GET', url: ctx.files.publicUrl(file) });
  expect(answer).toMatchObject({ status: 200, body: content });
  await expect(read(ctx, id)).rejects.toMatchObject({ code: 'files.not_found' });
  await expect(ctx.files.publish(id)).rejects.toMatchObject({ code: 'files.not_found' });
});

test('a private file has no public address', async () => {
  const { tenant, ctx } = await newVault();
  const { id } = await store(ctx);
  for (const path of [
    `${tenant.id}/vault/${id}`,
    `${tenant.id}/vault/${id}.pdf`,
    `${tenant.id}/vault/..%2f..%2f..%2fprivate%2ftenants%2f${tenant.id}%2fvault%2f${id}`,
    `..%2fprivate/vault/${id}.pdf`,
  ]) {
    const { status } = await platform.request({ method: 'GET', url: `/media/${path}` });
    expect([404, 422]).toContain(status);
  }
  const hidden = ctx.files.write(Buffer.from('<b>'), { type: 'application/octet-stream', isPublic: true });
  await expect(hidden).rejects.toThrow('private');
});

test("a system module's files belong to no tenant and to its central transaction", async () => {
  const central = async () => (await storedFiles(kernel)).filter((path) => path.includes('/central/'));
  const failed = papers.centralTx(async (db, files) => {
    const { id } = await files.keep(await files.write(Buffer.from('%PDF-1'), { type: pdf }));
    expect(await db.row(sql`SELECT module FROM stored_files WHERE id = ${id}`)).toEqual({ module: 'papers' });
    throw new Error('undo');
  });
  await expect(failed).rejects.toThrow('undo');
  expect(await central()).toEqual([]);
  const written = await papers.files.write(Buffer.from('%PDF-1'), { type: pdf });
  const { id } = await papers.centralTx((_, files) => files.keep(written));
  expect(await central()).toEqual([`files/private/central/papers/${id}`]);
  expect(await read(papers, id)).toBe('%PDF-1');
  const { tenant } = await newVault();
  await expect(tenant.context('vault').files.read(id)).rejects.toMatchObject({ code: 'files.not_found' });
  const published = papers.files.write(Buffer.from('x'), { type: 'image/webp', isPublic: true });
  await expect(published).rejects.toThrow('private');
  await papers.files.remove(id);
  expect(await central()).toEqual([]);
});

test('all files of a tenant can be deleted, and only its own', async () => {
  const id = `t${Date.now().toString(36)}`;
  const [one, other] = [await platform.tenant({ id }), await platform.tenant({ id: `${id}-2` })];
  for (const tenant of [one, other]) {
    await store(tenant.context('vault'));
    const { files } = tenant.context('thief');
    await files.keep(await files.write(Buffer.from('RIFF'), { type: 'image/webp', isPublic: true }));
  }
  await papers.system.files.removeTenant(id);
  const left = (await storedFiles(kernel)).filter((path) => path.includes(`/${id}`));
  expect(left).toHaveLength(2);
  expect(left.every((path) => path.includes(`/${id}-2/`))).toBe(true);
});
