import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { boot } from '../server/src/boot.ts';
import { readConfig } from '../server/src/config/config.ts';
import { withConnection } from '../server/src/db/connection.ts';
import { openEmbedded } from '../server/src/db/embedded/embedded-server.ts';
import { openApiDocument } from '../server/src/http/openapi/document.ts';
import { SecretBox } from '../server/src/secrets.ts';
import { cliCommands } from './cli-commands.ts';
import { configurationDoc } from './configuration-doc.ts';
import { errorsDoc } from './errors-doc.ts';
import { addChecksums, checksumsFile, findMigrations, readChecksums } from './migration-sources.ts';
import { schemaDump } from './schema-dump.ts';
import { typedClient } from './typed-client.ts';
import { typedOperations } from './typed-operations.ts';

/** Writes the generated files; with `--check`, lists those that are out of date and fails. */
const root = resolve(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const stale: string[] = [];
await update(await generate());
if (check && stale.length > 0) {
  console.error(`out of date: ${stale.join(', ')}; run 'npm run fix'`);
  process.exitCode = 1;
}

async function update(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    const current = await readFile(file, 'utf8').catch(() => undefined);
    if (current === content) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function generate(): Promise<Record<string, string>> {
  const storagePath = await mkdtemp(join(tmpdir(), 'chowk-generate-'));
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
  const server = await openEmbedded({ storagePath, onProgress: () => {}, settings });
  try {
    const { address } = server;
    const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };
    await withConnection(address, 'postgres', limits, (connection) => connection.script('CREATE DATABASE chowk'));
    const config = readConfig({ APP_ENV: 'testing', SPARE_DATABASES: '0' });
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const kernel = await boot({
      config,
      log,
      secrets: new SecretBox(randomBytes(32)),
      server: { address, centralDatabase: 'chowk', embedded: false, close: server.close },
    });
    await kernel.databases.copyTemplate('tenantsample');
    const dump = (database: string) => withConnection(address, database, limits, schemaDump);
    const schema = kernel.services.graphql.composeAll();
    const files = {
      'docs/openapi.json': `${JSON.stringify(openApiDocument(kernel.actions, kernel.modules), null, 2)}\n`,
      'docs/configuration.md': configurationDoc(),
      'docs/errors.md': errorsDoc(kernel.modules.map(({ definition }) => definition)),
      'docs/schema.graphql': schema,
      ...(await typedOperations(schema)),
      ...typedClient(kernel.actions, kernel.modules),
      ...cliCommands(kernel.actions),
      [checksumsFile]: `${JSON.stringify(addChecksums(await readChecksums(), await findMigrations()), null, 2)}\n`,
      'docs/schema/central.sql': await dump('chowk'),
      'docs/schema/tenant.sql': await dump('tenantsample'),
    };
    await kernel.close();
    return files;
  } finally {
    await server.close();
    await rm(storagePath, { recursive: true, force: true });
  }
}
