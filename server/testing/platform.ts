import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller, Ctx } from '@chowk/kit';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, inject } from 'vitest';
import type { RegisteredAction } from '../src/actions/registry.ts';
import { boot, type Parts } from '../src/boot.ts';
import { Context } from '../src/context.ts';
import { withConnection } from '../src/db/connection.ts';
import type { ServerAddress } from '../src/db/server-address.ts';
import { errorCodes } from '../src/http/openapi/responses.ts';
import { createHttpServer } from '../src/http/server.ts';
import type { Kernel } from '../src/kernel.ts';
import type { TenantEntry } from '../src/tenancy/directory.ts';
import { createTenant, type NewTenant } from '../src/tenancy/tenants.ts';
import { recordErrors } from './logged-errors.ts';
import { testConfig, testSecrets } from './test-config.ts';
import { TestIdentity } from './test-identity.ts';

export interface TestAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any;
  readonly headers: Record<string, string>;
}

/** A tenant with callers of its own: `await acme.caller('settings.view').get('/api/v1/settings')`. */
export interface TestTenant extends TenantEntry {
  caller(...permissions: string[]): TestCaller;
  /** The context of a module in this tenant, as a job of the module gets it. */
  context(module: string): Ctx;
}

export interface TestCaller {
  readonly user: Caller;
  readonly token: string;
  request(options: InjectOptions): Promise<TestAnswer>;
  get(url: string, headers?: Record<string, string>): Promise<TestAnswer>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  patch(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  delete(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
}

export interface TestPlatform {
  readonly kernel: Kernel;
  readonly app: FastifyInstance;
  readonly identity: TestIdentity;
  /** A new tenant; its id is unique on the server that all test files share. */
  tenant(wanted?: Partial<NewTenant>): Promise<TestTenant>;
  /** A request from nobody in particular. */
  request(options: InjectOptions): Promise<TestAnswer>;
}

export interface TestOptions extends Parts {
  readonly environment?: Record<string, string>;
  /** Another process of the same installation. */
  readonly beside?: TestPlatform;
}

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

async function newCentralDatabase(address: ServerAddress): Promise<string> {
  const name = `central_${randomBytes(6).toString('hex')}`;
  await withConnection(address, 'postgres', limits, (connection) =>
    connection.script(`CREATE DATABASE ${name} TEMPLATE ${inject('centralTemplate')}`),
  );
  return name;
}

/** A whole platform on a central database of its own, closed after the test file. */
export async function startPlatform({ environment = {}, beside, ...parts }: TestOptions = {}): Promise<TestPlatform> {
  const address = inject('server');
  const centralDatabase = beside?.kernel.central.database ?? (await newCentralDatabase(address));
  const identity = new TestIdentity();
  const server = { address, centralDatabase, embedded: false, close: async () => {} };
  const storage = beside?.kernel.config.storagePath ?? (await mkdtemp(join(tmpdir(), 'chowk-storage-')));
  const config = testConfig({ STORAGE_PATH: storage, ...environment });
  const errors = recordErrors();
  const kernel = await boot({ config, log: errors.log, server, secrets: testSecrets }, { identity, ...parts });
  const app = await createHttpServer(kernel);
  afterAll(async () => {
    await app.close();
    await kernel.close();
    await rm(storage, { recursive: true, force: true });
  });
  const actionOf = recordActions(app);
  const request = async (options: InjectOptions) => {
    const answer = readAnswer(await app.inject(options));
    if (answer.status === 500) errors.show(String(answer.headers['x-request-id']));
    mustBeDeclared(kernel, actionOf(answer), answer);
    return answer;
  };
  return {
    kernel,
    app,
    identity,
    request,
    async tenant({ id = uniqueId(), ...wanted } = {}) {
      await createTenant(kernel.central.db, kernel.databases, { name: id, ...wanted, id });
      const entry = (await kernel.directory.find(id)) as TenantEntry;
      return {
        ...entry,
        caller: (...permissions) => makeCaller(identity, entry.id, permissions, request),
        context: (module) => moduleContext(kernel, entry, module),
      };
    },
  };
}

function moduleContext(kernel: Kernel, tenant: TenantEntry, module: string): Ctx {
  const aliases = kernel.modules.map(({ alias }) => alias);
  if (!aliases.includes(module)) throw new Error(`there is no module ${module}; loaded are ${aliases.join(', ')}`);
  return new Context(kernel, { requestId: 'test', module, tenant, system: true });
}

/** An id that no other test file uses: tenant databases of all files stand on one server. */
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
    (method: 'POST' | 'PATCH' | 'DELETE') =>
    (url: string, body?: unknown, headers = {}) =>
      request({ method, url, headers, ...(body === undefined ? {} : { payload: body as object }) });
  return {
    user,
    token,
    request,
    get: (url, headers = {}) => request({ method: 'GET', url, headers }),
    post: withBody('POST'),
    patch: withBody('PATCH'),
    delete: withBody('DELETE'),
  };
}

/** Tells which action has answered, if one was found. */
function recordActions(app: FastifyInstance): (answer: TestAnswer) => RegisteredAction | undefined {
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

/** What any request can meet, whatever it asks for. */
const ofTheServer = new Set(['http.not_found', 'http.bad_request', 'http.malformed_json', 'http.method_not_allowed']);

/** So that the whole suite proves that the API description lists the failures that really happen. */
function mustBeDeclared({ modules }: Kernel, action: RegisteredAction | undefined, { status, body }: TestAnswer): void {
  const code = body?.code;
  if (!action || status < 400 || status >= 500 || typeof code !== 'string' || ofTheServer.has(code)) return;
  const errors = Object.assign({}, ...modules.map(({ parts }) => parts.errors ?? {}));
  if (!errorCodes(action, errors).includes(code)) {
    throw new Error(`${action.name} answered ${status} ${code}, which its declaration does not list`);
  }
}

function readAnswer(response: Awaited<ReturnType<FastifyInstance['inject']>>): TestAnswer {
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: isJson && response.body !== '' ? response.json() : response.body,
  };
}
