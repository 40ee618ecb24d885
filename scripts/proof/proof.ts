import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../run.ts';
import { type ProofPart, parts, promises } from './parts.ts';

/*
 * `npm run proof` runs all parts in their long form, which takes hours, and writes the results to `docs/proof.md`. `npm run proof
 * tenants malformed` runs these two and keeps the other results. `npm test` has a short form of each.
 */

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface PartResult extends Counts {
  readonly name: string;
  readonly date: string;
  readonly seconds: number;
  readonly machine: string;
  readonly command: string;
  /** What the tests have counted. */
  readonly figures: readonly Readonly<Record<string, number>>[];
  readonly files: Readonly<Record<string, Counts>>;
}

interface TestFile {
  readonly name: string;
  readonly assertionResults: readonly { readonly status: 'passed' | 'failed' | 'pending' | 'skipped' | 'todo' }[];
}

const resultsFile = join(root, 'scripts/proof/results.json');
const document = join(root, 'docs/proof.md');

const requested = process.argv.slice(2);
const unknown = requested.find((name) => !parts.some((part) => part.name === name));
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}; choose from ${parts.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const results = new Map<string, PartResult>(
  (JSON.parse(await readFile(resultsFile, 'utf8').catch(() => '[]')) as PartResult[]).map((result) => [
    result.name,
    result,
  ]),
);
for (const part of parts) {
  if (requested.length > 0 && !requested.includes(part.name)) continue;
  const result = await run(part);
  results.set(part.name, result);
  console.log(`${part.name}: ${describeCounts(result)} in ${Math.round(result.seconds)} s`);
  if (result.failed > 0 || result.passed === 0) process.exitCode = 1;
  const kept = parts.flatMap(({ name }) => results.get(name) ?? []);
  await writeFile(resultsFile, `${JSON.stringify(kept, undefined, 2)}\n`);
  await writeFile(document, write());
}

async function run({ name, tests, environment = {} }: ProofPart): Promise<PartResult> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-proof-'));
  const [report, proofFile] = [join(folder, 'report.json'), join(folder, 'figures.jsonl')];
  const startedAt = performance.now();
  const child = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', ...tests, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment, PROOF_FILE: proofFile } },
  );
  await once(child, 'close');
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as { testResults: TestFile[] };
  const figures = await readFile(proofFile, 'utf8').catch(() => '');
  await rm(folder, { recursive: true });
  const files = Object.fromEntries(testResults.map((file) => [relative(root, file.name), count([file])]));
  return {
    name,
    date: new Date().toISOString().slice(0, 10),
    seconds: (performance.now() - startedAt) / 1_000,
    machine: `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release().split('.').slice(0, 2).join('.')} ${arch()}`,
    command: `npm run proof ${name}`,
    ...count(testResults),
    figures:
      figures === ''
        ? []
        : figures
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
    files,
  };
}

function count(files: readonly TestFile[]): Counts {
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed, skipped: statuses.length - passed - failed };
}

function describeCounts({ passed, failed, skipped }: Counts): string {
  return [`${passed} passed`, failed > 0 ? `${failed} failed` : '', skipped > 0 ? `${skipped} skipped` : '']
    .filter((text) => text !== '')
    .join(', ');
}

function write(): string {
  const done = parts.map((part) => ({ part, result: results.get(part.name) }));
  return `# Proof

Written by \`npm run proof\`, which runs every part in its long form; \`npm run proof tenants malformed\` runs two of them. \`npm test\` has a
short form of each. Faults under load are measured by \`bench/outages.ts\`; see [bench/README.md](../bench/README.md).

| part | what it shows | result |
|---|---|---|
${done.map(({ part, result }) => `| \`${part.name}\` | ${part.shows} | ${describeResult(result)} |`).join('\n')}

${done.flatMap(({ result }) => (result ? [describeRun(result)] : [])).join('\n\n')}

## What must hold under attack and under failure

| about | what holds | tests |
|---|---|---|
${promises.map(({ about, holds, tests }) => `| ${about} | ${holds} | ${tests.map(linkTo).join('<br>')} |`).join('\n')}
`;
}

function describeResult(result: PartResult | undefined): string {
  return result ? `${describeCounts(result)} (${result.date})` : 'not run in its long form yet';
}

function describeRun({ name, date, machine, command, seconds, figures }: PartResult): string {
  const counted = figures.map((all) =>
    Object.entries(all)
      .map(([what, value]) => `${what}: ${value.toLocaleString('en')}`)
      .join(', '),
  );
  const minutes = Math.max(1, Math.round(seconds / 60));
  return `**${name}**, ${date}, \`${command}\`, ${minutes} min on ${machine}.${counted.length > 0 ? ` ${counted.join('; ')}.` : ''}`;
}

function linkTo(file: string): string {
  const result = results.get('promises')?.files[file];
  return `[${file}](../${file})${result ? ` (${describeCounts(result)})` : ''}`;
}
