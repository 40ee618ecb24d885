import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { storedFiles } from '../../server/testing/stored-files.ts';
import { testModule } from '../../server/testing/test-module.ts';

const faces = testModule({
  alias: 'faces',
  migration: `
    CREATE TABLE faces (customer_id uuid UNIQUE, photo uuid, gallery jsonb, updated_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE papers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer_id uuid NOT NULL, scans uuid[]);`,
});
const data = {
  faces: { customer: 'customer_id', unique_by: [], columns: { photo: 'file', gallery: 'file' } },
  papers: { customer: 'customer_id', anonymize: 'delete', columns: { scans: 'file' } },
} as const;
const manifest = { ...faces.manifest, data: data as never };
const platform = await startPlatform({ modules: [...(await repositoryModules()), { ...faces, manifest }] });
const acme = await platform.tenant();
const merchant = acme.caller('customers.create', 'customers.delete', 'customers.merge');
const ctx = acme.context('faces');

const store = async () =>
  ctx.files.keep(await ctx.files.write(Buffer.from('photo'), { type: 'image/png', isPublic: true }));

/** A customer with a photo, a gallery of URLs and scanned papers: four files. */
async function someone() {
  const { id } = (await merchant.post('/api/v1/customers', { first_name: 'Asha' })).body.customer;
  const [photo, picture, one, other] = await Promise.all([store(), store(), store(), store()]);
  const gallery = JSON.stringify([{ url: ctx.files.publicUrl(picture) }]);
  await acme.db.run(
    sql`INSERT INTO faces (customer_id, photo, gallery) VALUES (${id}, ${photo.id}, ${gallery}::jsonb)`,
  );
  await acme.db.run(sql`INSERT INTO papers (customer_id, scans) VALUES (${id}, ${[one.id, other.id]}::uuid[])`);
  const files = [photo, picture, one, other];
  return { id: id as string, files, urls: files.map((file) => ctx.files.publicUrl(file)) };
}

const statuses = ({ urls }: { urls: readonly string[] }) =>
  Promise.all(urls.map(async (url) => (await platform.request({ url })).status));

test.each(['hard', 'anonymize'])('%s removes the files of the customer and no others', async (mode) => {
  const [asha, ravi] = [await someone(), await someone()];
  expect(await statuses(asha)).toEqual([200, 200, 200, 200]);
  expect((await merchant.delete(`/api/v1/customers/${asha.id}?mode=${mode}`)).status).toBe(200);
  expect(await statuses(asha)).toEqual([404, 404, 404, 404]);
  expect(await statuses(ravi)).toEqual([200, 200, 200, 200]);
  const kept = await storedFiles(platform.kernel);
  for (const { id } of asha.files) expect(kept.filter((path) => path.includes(id))).toEqual([]);
});

test('a refused erasure keeps the files', async () => {
  const asha = await someone();
  const refused = ctx.tx(async (tx) => {
    await tx.personalData.remove(asha.id);
    throw new Error('undo');
  });
  await expect(refused).rejects.toThrow('undo');
  expect(await statuses(asha)).toEqual([200, 200, 200, 200]);
});

test('a merge keeps the files of moved rows and removes those of a row that goes', async () => {
  const [asha, ravi] = [await someone(), await someone()];
  const merged = { primary_id: asha.id, secondary_id: ravi.id };
  expect((await merchant.post('/api/v1/customers/merge', merged)).status).toBe(200);
  expect(await statuses(asha)).toEqual([200, 200, 200, 200]);
  expect(await statuses(ravi)).toEqual([404, 404, 200, 200]);
});
