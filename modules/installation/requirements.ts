import type { SystemCtx, SystemServices } from '@chowk/kit';
import { inspectMachine, type Machine } from './machine.ts';
import type { Requirement, Requirements } from './schemas.ts';
import { recordRequirements } from './steps.ts';

interface Check {
  readonly key: string;
  readonly label: string;
  /** Instructions for the operator if it is not met. */
  readonly remedy: string;
  /** Returns a description of the result. Throws if the requirement is not met. */
  find(machine: Machine): Promise<string>;
}

const minNode = 24;
const minPostgres = 15;
const requiredExtensions = ['pg_trgm', 'unaccent'];
const minFreeBytes = 500 * 2 ** 20;
const hindi = '१२,३४,५६७ जनवरी';

export const checks: readonly Check[] = [
  {
    key: 'node',
    label: `Node.js ${minNode} or newer`,
    remedy: 'Run npm install again and start with ./chowkd, which brings its own Node.js.',
    async find({ nodeVersion }) {
      if (Number.parseInt(nodeVersion, 10) >= minNode) return `Node.js ${nodeVersion}`;
      throw new Error(`this is Node.js ${nodeVersion}`);
    },
  },
  {
    key: 'typescript',
    label: 'TypeScript loading',
    remedy: 'Run npm install again and start with ./chowkd, whose Node.js runs TypeScript.',
    async find(machine) {
      assert((await machine.runTypeScript()) === '42', 'a TypeScript program gave a wrong result');
      return 'a TypeScript program ran';
    },
  },
  {
    key: 'rsa',
    label: 'RSA signatures',
    remedy: 'Use a Node.js whose OpenSSL allows RSA with SHA-256; see its OPENSSL_CONF.',
    async find(machine) {
      assert(await machine.signs(), 'a forged signature was accepted, or a valid one refused');
      return 'signed and verified';
    },
  },
  {
    key: 'aes_gcm',
    label: 'AES-256-GCM encryption',
    remedy: 'Use a Node.js whose OpenSSL has aes-256-gcm.',
    async find(machine) {
      assert(await machine.encrypts(), 'encrypted data was not decrypted, or was after tampering');
      return 'encrypted and decrypted';
    },
  },
  {
    key: 'bcrypt',
    label: 'Password hashing with bcrypt',
    remedy: 'Run npm install again on this machine: the package @node-rs/bcrypt is built for each kind of machine.',
    async find(machine) {
      assert(await machine.hashes(), 'the password was refused, or a wrong one accepted');
      return 'hashed and verified';
    },
  },
  {
    key: 'icu',
    label: 'All languages (full ICU)',
    remedy: 'Use a Node.js with full ICU, as the one that npm install brings, and unset NODE_ICU_DATA.',
    async find(machine) {
      const text = machine.inHindi();
      assert(text === hindi, `Hindi is formatted as ${text}`);
      return `Hindi is formatted as ${text}`;
    },
  },
  {
    key: 'database_driver',
    label: 'Database driver',
    remedy: 'Run npm install again, and let DATABASE_URL name a PostgreSQL database in UTF-8.',
    async find(machine) {
      const sent = { text: 'चौक – naïve', number: 2 ** 53 - 1, at: '2001-02-03T04:05:06.789Z' };
      const { text, number, at } = (await machine.echo(sent)) ?? {};
      const same = text === sent.text && number === sent.number && Date.parse(at ?? '') === Date.parse(sent.at);
      assert(same, 'the database returns changed values');
      return 'text, numbers and times are returned unchanged';
    },
  },
  {
    key: 'postgresql',
    label: `PostgreSQL ${minPostgres} or newer`,
    remedy: `Upgrade the server that DATABASE_URL names to PostgreSQL ${minPostgres} or newer.`,
    async find(machine) {
      const { version = 0 } = (await machine.databaseServer()) ?? {};
      assert(version >= minPostgres, `this is PostgreSQL ${version}`);
      return `PostgreSQL ${version}`;
    },
  },
  {
    key: 'postgresql_extensions',
    label: `PostgreSQL extensions ${requiredExtensions.join(' and ')}`,
    remedy: "Install PostgreSQL's contrib package on the database server.",
    async find(machine) {
      const { extensions = [] } = (await machine.databaseServer()) ?? {};
      const missing = requiredExtensions.filter((name) => !extensions.includes(name));
      assert(missing.length === 0, `${missing.join(' and ')} cannot be installed`);
      return 'all available';
    },
  },
  {
    key: 'database_rights',
    label: 'Right to create databases',
    remedy: 'Give the user of DATABASE_URL the right: ALTER ROLE <user> CREATEDB.',
    async find(machine) {
      const { may_create = false } = (await machine.databaseServer()) ?? {};
      assert(may_create, 'the database user may not create databases, and every tenant needs one');
      return 'granted';
    },
  },
  {
    key: 'database_query',
    label: 'Database connection and query',
    remedy: 'Make sure that the database server runs, accepts writes (is not a standby) and has free disk space.',
    async find(machine) {
      assert((await machine.writeToDatabase('probe')) === 'probe', 'the written row was not found');
      return 'written and read';
    },
  },
  {
    key: 'cache',
    label: 'Cache',
    remedy: 'Start the Redis server that REDIS_URL names, or unset REDIS_URL to run without one.',
    async find(machine) {
      const { up, name } = await machine.pingCache();
      assert(up, `${name} does not answer`);
      return name === 'Redis' ? 'Redis answers' : `${name}, without Redis`;
    },
  },
  {
    key: 'storage_writable',
    label: 'Storage folder',
    remedy: 'Make the folder that STORAGE_PATH names writable for the user that runs chowkd.',
    async find(machine) {
      await machine.writeInto(machine.folders.storage);
      return 'writable';
    },
  },
  {
    key: 'cache_writable',
    label: 'Cache folder',
    remedy: 'Make the folder cache under STORAGE_PATH writable for the user that runs chowkd, or remove it.',
    async find(machine) {
      await machine.writeInto(machine.folders.cache);
      return 'writable';
    },
  },
  {
    key: 'disk_space',
    label: `${inMegabytes(minFreeBytes)} of free disk`,
    remedy: 'Free space on the disk of STORAGE_PATH, or move STORAGE_PATH to a larger disk.',
    async find(machine) {
      const free = await machine.freeBytes(machine.folders.storage);
      assert(free >= minFreeBytes, `only ${inMegabytes(free)} are free`);
      return `${inMegabytes(free)} are free`;
    },
  },
];

/** Checks that are running, by platform. */
const running = new WeakMap<SystemServices, Promise<Requirements>>();

/** Anyone may call it before the installation, and checks are expensive: concurrent calls share one. */
export function checkRequirementsOnce(ctx: SystemCtx): Promise<Requirements> {
  const { system } = ctx;
  const check = running.get(system) ?? checkRequirements(ctx).finally(() => running.delete(system));
  running.set(system, check);
  return check;
}

/** Step 1: completed while the last check has passed. */
export async function checkRequirements(ctx: SystemCtx, machine = inspectMachine(ctx)): Promise<Requirements> {
  const requirements = await Promise.all(checks.map((check) => runCheck(check, machine)));
  const passed = requirements.every((requirement) => requirement.passed);
  await recordRequirements(ctx, passed);
  return { passed, requirements };
}

async function runCheck({ key, label, remedy, find }: Check, machine: Machine): Promise<Requirement> {
  try {
    return { key, label, passed: true, detail: await find(machine) };
  } catch (error) {
    return { key, label, passed: false, detail: `${reason(error)}. ${remedy}` };
  }
}

/** Anyone may read it before the installation, and messages of system calls name folders. */
function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `it failed with ${code}`;
}

function assert(condition: boolean, problem: string): void {
  if (!condition) throw new Error(problem);
}

function inMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MB`;
}
