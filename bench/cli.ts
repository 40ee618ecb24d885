import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { figure, median, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { node, onStage, repository, type Stage } from './stage.ts';

/* What does the command-line client add to the start of its runtime, and to a request? `BUN` is the path of Bun 1.3 or later. */

const tenant = 'bench';
const rounds = 30;
const customers = 20;
/** Bytecode needs no parsing, and with split code only the part of the command is loaded. */
const options = ['--compile', '--minify', '--bytecode', '--splitting', '--format=esm'];
const program = join(repository, 'cli/src/main.ts');
const { BUN: bun } = process.env;

type Command = readonly [file: string, ...args: string[]];

await onStage(async (stage) => {
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    environment: { SPARE_DATABASES: '0' },
  });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  await createCustomers(platform);
  const environment = {
    CHOWK_CONFIG_DIR: await stage.folder(),
    CHOWK_API_URL: `http://127.0.0.1:${platform.port}`,
    CHOWK_TENANT: tenant,
    CHOWK_TOKEN: platform.token,
    NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/chowkd'),
  };
  const address = `${environment.CHOWK_API_URL}/api/v1/customers?limit=${customers}`;
  const headers = Object.entries(platform.headers(tenant)).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const curl: Command = ['curl', '-s', ...headers, address];
  const runtimes = [
    ['Node', [node, '-e', "console.log('chowk')"], [node, program]] as const,
    ...(bun === undefined ? [] : [['compiled', ...(await compile(stage, bun))] as const]),
  ];
  const rows = [];
  for (const [name, bare, chowk] of runtimes) rows.push(...(await measure(name, { bare, chowk, curl, environment })));
  printTable(
    `The command-line client: ${rounds} rounds, alternating, medians of the time from start to exit`,
    ['', 'chowk', 'compared with', '', 'ratio', 'target'],
    rows,
  );
  if (bun === undefined) console.log('Only on Node: set BUN to the path of Bun to measure the compiled program too.\n');
});

async function createCustomers(platform: Platform): Promise<void> {
  for (let index = 0; index < customers; index += 1) {
    await fetch(`http://127.0.0.1:${platform.port}/api/v1/customers`, {
      method: 'POST',
      headers: { ...platform.headers(tenant), 'content-type': 'application/json' },
      body: JSON.stringify({ first_name: `Customer ${index}` }),
    });
  }
}

/** A program that does nothing, and the client, compiled with the options of the release. */
async function compile(stage: Stage, bun: string): Promise<[bare: Command, chowk: Command]> {
  const folder = await stage.folder();
  const source = join(folder, 'bare.ts');
  await writeFile(source, "console.log('chowk');\n");
  const build = async (entry: string, name: string): Promise<Command> => {
    const target = join(folder, name);
    await promisify(execFile)(bun, ['build', ...options, entry, '--outfile', target]);
    return [target];
  };
  return [await build(source, 'bare'), await build(program, 'chowk')];
}

interface Compared {
  readonly bare: Command;
  readonly chowk: Command;
  readonly curl: Command;
  readonly environment: Readonly<Record<string, string>>;
}

async function measure(name: string, { bare, chowk, curl, environment }: Compared): Promise<string[][]> {
  const commands = { bare, version: [...chowk, 'version'], curl, list: [...chowk, 'customers', 'list'] } as const;
  const times: Record<string, number[]> = { bare: [], version: [], curl: [], list: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [key, command] of Object.entries(commands))
      times[key]?.push(await time(command as Command, environment));
  }
  const [bareMs, version, curlMs, list] = ['bare', 'version', 'curl', 'list'].map((key) => median(times[key] ?? []));
  const row = (title: string, own = 0, other = 0, against: string, target: string) => [
    `${name}: ${title}`,
    figure(own, 'ms'),
    against,
    figure(other, 'ms'),
    (own / other).toFixed(2),
    target,
  ];
  return [
    row('chowk version', version, bareMs, 'a bare program', '≤ 1.5'),
    row('chowk customers list', list, (curlMs ?? 0) + (version ?? 0), 'curl and chowk version', '≤ 1.2'),
  ];
}

async function time([file, ...args]: Command, environment: Readonly<Record<string, string>>): Promise<number> {
  const { PATH = '', HOME = '' } = process.env;
  const startedAt = performance.now();
  const child = spawn(file, args, { env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${code}`);
  return performance.now() - startedAt;
}
