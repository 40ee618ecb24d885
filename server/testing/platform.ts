import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, type Ctx, sql } from '@chowk/kit/kernel';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, inject } from 'vitest';
import type { RegisteredAction } from '../src/actions/registry.ts';
import { boot, type Overrides } from '../src/boot.ts';
import { Context } from '../src/context/context.ts';
import { errorCodes } from '../src/http/openapi/responses.ts';
import { createHttpServer } from '../src/http/server.ts';
import type { Kernel } from '../src/kernel.ts';
import type { SecretBox } from '../src/secrets.ts';
import type { TenantEntry } from '../src/tenancy/directory.ts';
import { createTenant, type NewTenant } from '../src/tenancy/tenants.ts';
import { recordErrors } from './logged-errors.ts';
import { repositoryModules } from './repository-modules.ts';
import { onSeparateConnection } from './scratch-database.ts';
import { testConfig, testSecrets } from './test-config.ts';
import { TestIdentity } from './test-identity.ts';

export interface TestResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  readonly body: any;
  readonly headers: Record<string, string>;
}

/** A tenant with callers of its own: `await acme.caller('settings.view').get('/api/v1/settings')`. */
export interface TestTenant extends TenantEntry {
  caller(...permissions: string[]): TestCaller;
  /** The context of a module, or of the kernel, in this tenant, as a job gets it. */
  context(module?: string): Ctx;
}

export interface TestCaller {
  readonly user: Caller;
  readonly token: string;
  request(options: InjectOptions): Promise<TestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  patch(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  delete(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
}

export interface TestPlatform {
  readonly kernel: Kernel;
  readonly app: FastifyInstance;
  readonly identity: TestIdentity;
  /** Creates a tenant. The default id is unique on the server, which all test files share. */
  tenant(values?: Partial<NewTenant>): Promise<TestTenant>;
  /** Sends a request without a token. */
  request(options: InjectOptions): Promise<TestResponse>;
}

export interface TestOptions extends Overrides {
  readonly environment?: Record<string, string>;
  /** A platform whose databases and storage are used: the new one is a second process of the same installation. */
  readonly sharedWith?: TestPlatform;
  /** The key of another installation or, with `sharedWith`, that of the new process. */
  readonly secrets?: SecretBox;
}

async function newCentralDatabase(): Promise<string> {
  const name = `central_${randomBytes(6).toString('hex')}`;
  await onSeparateConnection('postgres', (connection) =>
    connection.script(`CREATE DATABASE ${name} TEMPLATE ${inject('centralTemplate')} STRATEGY file_copy`),
  );
  return name;
}

/** The test server is in memory, and a run creates a thousand databases. */
async function dropDatabases(centralDatabase: string): Promise<void> {
  const { rows } = await onSeparateConnection(centralDatabase, (connection) =>
    connection.query<{ name: string }>(sql`SELECT database_name AS name FROM tenants`),
  );
  await onSeparateConnection('postgres', async (connection) => {
    for (const name of [...rows.map((row) => row.name), centralDatabase]) {
      await connection.script(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    }
  });
}

async function becomeAnother(database: string): Promise<void> {
  await onSeparateConnection(database, (connection) =>
    connection.script('UPDATE installation SET id = gen_random_uuid(), key_id = NULL; DELETE FROM sealing_keys'),
  );
}

/** Starts a platform on a new central database. Closed after the test file. */
export async function startPlatform({
  environment = {},
  sharedWith,
  secrets,
  ...overrides
}: TestOptions = {}): Promise<TestPlatform> {
  const address = inject('server');
  const centralDatabase = sharedWith?.kernel.central.database ?? (await newCentralDatabase());
  if (secrets && !sharedWith) await becomeAnother(centralDatabase);
  const identity = new TestIdentity();
  const server = { address, centralDatabase, embedded: false, close: async () => {} };
  const storage = sharedWith?.kernel.config.storagePath ?? (await mkdtemp(join(tmpdir(), 'chowk-storage-')));
  const config = testConfig({ STORAGE_PATH: storage, ...environment });
  const errors = recordErrors();
  const modules = overrides.modules ?? (await repositoryModules());
  const options = { config, log: errors.log, server, secrets: secrets ?? testSecrets };
  const kernel = await boot(options, { identity, ...overrides, modules });
  const app = await createHttpServer(kernel);
  afterAll(async () => {
    await app.close();
    await kernel.close();
    if (sharedWith) return;
    await dropDatabases(centralDatabase);
    await rm(storage, { recursive: true, force: true });
  });
  const findAction = recordActions(app);
  const assertDeclared = declaredErrors(kernel);
  const request = async (options: InjectOptions) => {
    const response = readResponse(await app.inject(options));
    if (response.status === 500) errors.show(String(response.headers['x-request-id']));
    assertDeclared(findAction(response), response);
    return response;
  };
  return {
    kernel,
    app,
    identity,
    request,
    async tenant({ id = uniqueId(), ...values } = {}) {
      await createTenant(kernel.central.db, kernel.databases, { name: id, ...values, id });
      const entry = (await kernel.directory.find(id)) as TenantEntry;
      return {
        ...entry,
        caller: (...permissions) => makeCaller(identity, entry.id, permissions, request),
        context: (module) => moduleContext(kernel, entry, module),
      };
    },
  };
}

function moduleContext(kernel: Kernel, tenant: TenantEntry, module: string | undefined): Ctx {
  const aliases = kernel.modules.map(({ alias }) => alias);
  if (module !== undefined && !aliases.includes(module))
    throw new Error(`there is no module ${module}; loaded are ${aliases.join(', ')}`);
  return new Context(kernel, { requestId: 'test', module, tenant, system: true });
}

/** An id that no other test file uses: all files share one PostgreSQL server. */
export function uniqueId(): string {
  return `t${randomBytes(5).toString('hex')}`;
}

function makeCaller(
  identity: TestIdentity,
  tenantId: string,
  permissions: readonly string[],
  send: TestPlatform['request'],
): TestCaller {
  const { caller: user, token } = identity.mint();
  identity.join(user, tenantId, permissions);
  const request = (options: InjectOptions) =>
    send({ ...options, headers: { authorization: `Bearer ${token}`, 'x-tenant': tenantId, ...options.headers } });
  const withBody =
    (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    (url: string, body?: unknown, headers = {}) =>
      request({ method, url, headers, ...(body === undefined ? {} : { payload: body as object }) });
  return {
    user,
    token,
    request,
    get: (url, headers = {}) => request({ method: 'GET', url, headers }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: withBody('DELETE'),
  };
}

/** Returns a function that finds the action of a response. */
function recordActions(app: FastifyInstance): (response: TestResponse) => RegisteredAction | undefined {
  const actions = new Map<string, RegisteredAction>();
  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (request.exchange) actions.set(request.id, request.exchange.route.action);
    done();
  });
  return ({ headers }) => {
    const id = String(headers['x-request-id']);
    const action = actions.get(id);
    actions.delete(id);
    return action;
  };
}

/** Errors of any request, which actions do not declare. */
const serverErrors = new Set(['http.not_found', 'http.bad_request', 'http.malformed_json', 'http.method_not_allowed']);

/** Throws for a 4xx response whose code the action does not declare, so that all tests check the API description. */
function declaredErrors({ modules }: Kernel): (action: RegisteredAction | undefined, response: TestResponse) => void {
  const errors = Object.assign({}, ...modules.map(({ definition }) => definition.errors ?? {}));
  const codesByAction = new Map<RegisteredAction, readonly string[]>();
  return (action, { status, body }) => {
    const code = body?.code;
    if (!action || status < 400 || status >= 500 || typeof code !== 'string' || serverErrors.has(code)) return;
    const codes = codesByAction.get(action) ?? errorCodes(action, errors);
    codesByAction.set(action, codes);
    if (!codes.includes(code)) {
      throw new Error(`${action.name} answered ${status} ${code}, which its declaration does not list`);
    }
  };
}

function readResponse(response: Awaited<ReturnType<FastifyInstance['inject']>>): TestResponse {
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: isJson && response.body !== '' ? response.json() : response.body,
  };
}
