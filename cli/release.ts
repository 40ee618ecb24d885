import { execFileSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildRelease } from './release/build-release.ts';
import { publicKey, readReleaseKeys, readSigningKey } from './release/keys.ts';
import { isTarget, type Target, targets } from './release/targets.ts';
import { isVersion } from './src/upgrade/version.ts';

const usage = `Usage: npm run cli:release -- [--targets=${targets.join(',')}] [--min-supported=<version>] [--notes=<Markdown file>] [--notes-url=<url>]`;
const folder = join(import.meta.dirname, '../dist/cli');
const variables = process.env;

try {
  await release();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  const options = readOptions();
  const version = (await readFile(join(import.meta.dirname, 'VERSION'), 'utf8')).trim();
  if (!isVersion(version)) throw new Error(`cli/VERSION must hold a version such as 1.0.0, not ${version}`);
  checkTag(version);
  const signingKey = variables.CHOWK_SIGNING_KEY ? await readSigningKey(variables.CHOWK_SIGNING_KEY) : undefined;
  const own = signingKey ? [publicKey(signingKey).toString('base64')] : [];
  const releaseKeys = [...new Set([...readReleaseKeys(variables.CHOWK_RELEASE_KEYS ?? ''), ...own])];
  if (!signingKey) say('The release is not signed: CHOWK_SIGNING_KEY is not set.');
  await rm(folder, { recursive: true, force: true });
  const assets = await buildRelease({
    version,
    targets: options.targets,
    folder,
    time: releaseTime(),
    mirror: { apiBaseUrl: variables.APIBaseURL || undefined, projectPath: variables.ProjectPath || undefined },
    releaseKeys,
    signingKey,
    // A breaking change has a new major version.
    minSupported: options['min-supported'] ?? `${version.split('.')[0]}.0.0`,
    notes: options.notes === undefined ? '' : await readFile(options.notes, 'utf8'),
    notesUrl: options['notes-url'] ?? '',
  });
  for (const { filename, size, sha256 } of assets) say(`${sha256}  ${filename}  ${(size / 1e6).toFixed(1)} MB`);
  say(`Wrote ${folder}. The tag of this release is cli/v${version}.`);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      targets: { type: 'string', default: targets.join(',') },
      'min-supported': { type: 'string' },
      notes: { type: 'string' },
      'notes-url': { type: 'string' },
    },
  });
  const names = values.targets.split(',');
  const unknown = names.find((name) => !isTarget(name));
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}.\n${usage}`);
  return { ...values, targets: names as Target[] };
}

/** A commit that is tagged as a release must be the one of its version. */
function checkTag(version: string): void {
  const tags = git('tag', '--points-at', 'HEAD', '--list', 'cli/v*').split('\n').filter(Boolean);
  if (tags.length > 0 && !tags.includes(`cli/v${version}`)) {
    throw new Error(`this commit has the tag ${tags.join(', ')}, but cli/VERSION is ${version}`);
  }
}

/** `SOURCE_DATE_EPOCH`, else the time of the commit: the same sources give the same archives. */
function releaseTime(): Date {
  const seconds = Number(variables.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct') || 0);
  const earliest = Date.UTC(1980, 0, 1);
  if (!Number.isFinite(seconds)) throw new Error('SOURCE_DATE_EPOCH must be a number of seconds');
  return new Date(Math.max(seconds * 1000, earliest));
}

/** The output of Git; nothing outside of a repository. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
