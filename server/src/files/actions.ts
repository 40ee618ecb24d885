import { type Actions, Answer, systemAction, Type } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { downloadHeader, downloadPath, isValidLink } from './file-link.ts';
import { type FileStore, publicKey } from './file-store.ts';
import { fromStorage } from './storage-driver.ts';

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const PublicFile = Type.Object({
  tenant: Type.String({ pattern: '^[a-z0-9-]{1,63}$', examples: ['acme-stores'] }),
  module: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$', examples: ['products'] }),
  name: Type.String({ pattern: `^${uuid}\\.[a-z]{3,4}$`, examples: ['7d3b2c9e-5f0a-4c1d-8e2b-9a6f4d3c2b1a.webp'] }),
});

const SignedFile = Type.Object({
  key: Type.String({ maxLength: 300 }),
  type: Type.String({ maxLength: 100 }),
  name: Type.String({ maxLength: 1_000 }),
  expires: Type.Integer({ minimum: 0 }),
  signature: Type.String({ maxLength: 100 }),
});

/** If a browser renders such a file as a page, it runs in an origin of its own and loads nothing. */
const sandbox = { 'content-security-policy': "default-src 'none'; sandbox", 'x-content-type-options': 'nosniff' };
/** The content at such an address never changes. */
const cachedForever = 'public, max-age=31536000, immutable';

const common = { tag: 'Files', public: true, root: true, webPage: true, tenant: 'none', graphql: false } as const;

/** Serves public files, and private ones through signed links where the storage does not serve these itself. */
export function fileActions(store: FileStore): Actions {
  return {
    'files.showPublic': systemAction({
      ...common,
      summary: 'Read a public file',
      http: 'GET /media/:tenant/:module/:name',
      input: PublicFile,
      errors: ['files.not_found'],
      run: async ({ client }, { tenant: tenantId, module, name }) => {
        const headers = {
          ...sandbox,
          'cache-control': cachedForever,
          etag: `"${name}"`,
          'content-disposition': 'inline',
          'cross-origin-resource-policy': 'cross-origin',
        };
        if (client.header('if-none-match') === headers.etag) return new Answer('', { status: 304, headers });
        return serve(store, publicKey({ tenantId, module, name }), headers);
      },
    }),
    'files.download': systemAction({
      ...common,
      summary: 'Download a file',
      http: `GET ${downloadPath}`,
      input: SignedFile,
      errors: ['files.not_found', 'files.link_invalid'],
      run: async (ctx, link) => {
        if (!isValidLink(ctx.system.secrets, link, ctx.now())) throw fail('files.link_invalid');
        const { key, type, name } = link;
        return serve(store, key, { ...sandbox, 'content-type': type, 'content-disposition': downloadHeader(name) });
      },
    }),
  };
}

async function serve(store: FileStore, key: string, headers: Record<string, string>): Promise<Answer> {
  const { driver } = await store.storage;
  const { contentLength, contentType = 'application/octet-stream' } = await fromStorage(driver.getMetaData(key));
  const content = { 'content-length': String(contentLength), 'content-type': contentType };
  return new Answer(await fromStorage(driver.getStream(key)), { headers: { ...content, ...headers } });
}
