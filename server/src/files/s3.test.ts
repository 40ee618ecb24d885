import { text } from 'node:stream/consumers';
import { type Ctx, type SystemCtx, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { startS3Server } from '../../testing/s3-server.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { testModule } from '../../testing/test-module.ts';
import { Context } from '../context/context.ts';
import { archiveServices } from '../operator/archive-services.ts';
import { cloneTenant } from '../tenancy/archive-import.ts';

const url = await startS3Server();
const platform = await startPlatform({
  environment: { OBJECT_STORAGE_URL: url },
  modules: [testModule({ alias: 'vault' })],
});
const { kernel } = platform;
const acme = await platform.tenant();
const ctx = acme.context('vault');
const pdf = 'application/pdf';

const store = async ({ files }: Ctx, content = '%PDF-1') =>
  files.keep(await files.write(Buffer.from(content), { type: pdf }));

/** The keys of all objects of the tenant. */
async function objects(tenantId = acme.id): Promise<string[]> {
  const { driver } = await kernel.files.storage;
  const keys: string[] = [];
  for (const access of ['private', 'public']) {
    let paginationToken: string | undefined;
    do {
      const options = { recursive: true, ...(paginationToken ? { paginationToken } : {}) };
      const page = await driver.listAll(`${access}/tenants/${tenantId}/`, options);
      for (const object of page.objects) if (object.isFile) keys.push(object.key);
      paginationToken = page.paginationToken;
    } while (paginationToken);
  }
  return keys;
}

test('files are stored in the bucket, and nothing on the disk', async () => {
  const { id } = await store(ctx, '%PDF-1 passport');
  expect(await objects()).toEqual([`private/tenants/${acme.id}/vault/${id}`]);
  expect(await text(await ctx.files.read(id))).toBe('%PDF-1 passport');
  expect(await storedFiles(kernel)).toEqual([]);
  await ctx.files.remove(id);
  expect(await objects()).toEqual([]);
});

test('a link leads to the bucket, which serves a download', async () => {
  const { id } = await store(ctx, '%PDF-1 passport');
  const link = await ctx.files.link(id, { seconds: 60, fileName: 'passport.pdf' });
  expect(link.startsWith(`http://127.0.0.1:`)).toBe(true);
  expect(new URL(link).searchParams.get('X-Amz-Expires')).toBe('60');
  const response = await fetch(link);
  expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '%PDF-1 passport' });
  expect(response.headers.get('content-type')).toBe(pdf);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="passport.pdf"/);
  for (const forged of [
    link.replace('passport', 'invoice'),
    link.replace('Expires=60', 'Expires=86400'),
    link.replace(/\?.*/, ''),
  ]) {
    expect((await fetch(forged)).status).toBe(403);
  }
  await ctx.files.remove(id);
});

test('a link expires', async () => {
  const { id } = await store(ctx);
  const link = await ctx.files.link(id, { seconds: 1 });
  await expect.poll(async () => (await fetch(link)).status).toBe(403);
  await ctx.files.remove(id);
});

test('a public file is served by the platform', async () => {
  const written = await ctx.files.write(Buffer.from('RIFF....WEBP'), { type: 'image/webp', isPublic: true });
  const file = await ctx.files.keep(written);
  const { status, body, headers } = await platform.request({ method: 'GET', url: ctx.files.publicUrl(file) });
  expect({ status, body, type: headers['content-type'] }).toEqual({
    status: 200,
    body: 'RIFF....WEBP',
    type: 'image/webp',
  });
  await ctx.files.remove(file.id);
  expect((await platform.request({ method: 'GET', url: ctx.files.publicUrl(file) })).status).toBe(404);
});

test('a file whose transaction fails leaves nothing in the bucket', async () => {
  const work = ctx.tx(async (tx) => {
    await store(tx);
    expect(await objects()).toHaveLength(1);
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await objects()).toEqual([]);
});

test('all files of a tenant can be deleted, and not those of a tenant whose id begins alike', async () => {
  const other = await platform.tenant({ id: `${acme.id}-2` });
  for (const tenant of [acme, acme, acme, acme, acme, other]) await store(tenant.context('vault'));
  expect(await objects()).toHaveLength(5);
  const kernelContext = new Context(kernel, { requestId: 'test', system: true }) as SystemCtx;
  await kernelContext.system.files.removeTenant(acme.id);
  expect(await objects()).toEqual([]);
  expect(await objects(other.id)).toHaveLength(1);
});

test('a copy of a tenant has copies of its files in the bucket', async () => {
  const modules = [...(await repositoryModules('identity', 'administration')), testModule({ alias: 'vault' })];
  const own = await startPlatform({ environment: { OBJECT_STORAGE_URL: url }, modules });
  const [tenant, id] = [await own.tenant(), uniqueId()];
  const file = await store(tenant.context('vault'), '%PDF-1 passport');
  await cloneTenant(await archiveServices(own.kernel), tenant.id, { id });
  expect(await objects(id)).toEqual([`private/tenants/${id}/vault/${file.id}`]);
  const { driver } = await kernel.files.storage;
  expect(await driver.get(`private/tenants/${id}/vault/${file.id}`)).toBe('%PDF-1 passport');
});

test('with a wrong secret, the bucket refuses files', async () => {
  const environment = { OBJECT_STORAGE_URL: url.replace('secret', 'other') };
  const own = await startPlatform({ environment, modules: [testModule({ alias: 'vault' })] });
  const tenant = await own.tenant();
  await expect(store(tenant.context('vault'))).rejects.toMatchObject({ code: 'files.unavailable', status: 503 });
});

test('while the bucket cannot be reached, files are refused clearly, and nothing of them is kept', async () => {
  const environment = { OBJECT_STORAGE_URL: 's3://key:secret@127.0.0.1:1/files?tls=false' };
  const own = await startPlatform({ environment, modules: [testModule({ alias: 'vault' })] });
  const tenant = await own.tenant();
  const unavailable = { code: 'files.unavailable', status: 503 };
  await expect(store(tenant.context('vault'))).rejects.toMatchObject(unavailable);
  expect(await tenant.db.rows(sql`SELECT id FROM stored_files`)).toEqual([]);
  const path = `/media/${tenant.id}/vault/0190a000-0000-7000-8000-000000000000.webp`;
  expect(await own.request({ method: 'GET', url: path })).toMatchObject({
    status: 503,
    body: { code: unavailable.code },
  });
});
