import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type PackedFile, writeTar } from '../../release/tar.ts';
import { writeZip } from '../../release/zip.ts';
import { certificate } from '../../testing/certificate.ts';
import { type InstalledProgram, installProgram } from '../../testing/installed-program.ts';
import {
  archive,
  asset,
  manifest,
  packed,
  program,
  release,
  signed,
  strangeKey,
  type TestAsset,
  type TestRelease,
} from '../../testing/release-files.ts';
import { type Answer, body, json, platformAnswers, releasesPath, serve, status } from '../../testing/release-server.ts';
import type { CommandInput } from '../command.ts';

const patient = {
  text: { maxBytes: 200_000, timeoutMs: 60_000, idleMs: 60_000 },
  archive: { maxBytes: 300_000, timeoutMs: 60_000, idleMs: 60_000 },
  unpackedBytes: 500_000,
  probeMs: 5_000,
};
/** For servers that are too slow. */
const hasty = {
  ...patient,
  text: { ...patient.text, timeoutMs: 1_500, idleMs: 700 },
  archive: { ...patient.archive, timeoutMs: 1_500, idleMs: 700 },
};
const time = new Date('2026-11-01T09:00:00Z');
const good = archive('1.1.0');
const file = '/files/chowk_1.1.0_linux_x64.tar.gz';

type Answers = Record<string, Answer>;
/** The exit code, and what the servers answer. */
type Row = [name: string, code: number, answers: Answers, options?: CommandInput['options'] | undefined];

async function expectUnchanged(installed: InstalledProgram, before: Buffer): Promise<void> {
  expect(await readFile(installed.path)).toEqual(before);
  expect(await installed.files()).toEqual(['chowk']);
  expect(await installed.version()).toBe('chowk 1.0.0');
}

async function expectRefusal(
  [, code, answers, options = {}]: Row,
  platform = { os: 'linux', arch: 'x64' },
): Promise<void> {
  const server = await serve(answers);
  const installed = await installProgram({
    apiUrl: server.url,
    mirrorUrl: server.url,
    limits: code === 5 ? hasty : patient,
  });
  const before = await readFile(installed.path);
  const result = await installed.upgrade(options, { platform });
  expect(result.code, result.errors || result.output).toBe(code);
  if (code !== 0) expect(result.errors).toMatch(/^[^\n]+\.$/);
  await expectUnchanged(installed, before);
}

const endless: Answer = (response) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(50_000, 'a');
  const more = () => void (response.destroyed || response.write(chunk, more));
  more();
};
const silent: Answer = () => {};
const trickle: Answer = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};
const stall: Answer = (response) => void response.writeHead(200, { 'content-length': '1000' }).write('a');
const reset: Answer = (response) => void response.destroy();
const resetLater: Answer = (response) => {
  response.writeHead(200).write('{', () => response.destroy());
};
const truncated =
  (content: string | Buffer, length: number): Answer =>
  (response) => {
    response.writeHead(200, { 'content-length': String(content.length) });
    response.write(content.slice(0, length), () => response.destroy());
  };
const redirect = (location: string) => status(302, { location });

const answered = (answer: Answer): Answers => ({ [releasesPath]: answer });
const listed = (changes: object, one: TestRelease = release('1.1.0', good)) => answered(json(manifest([one], changes)));

describe('a list of releases that', () => {
  const rows: Row[] = [
    ['fails', 6, answered(status(500))],
    ['is behind a broken gateway', 6, answered(status(502))],
    ['is in maintenance', 6, answered((response) => void response.writeHead(503).end('<html>'))],
    ['is forbidden', 4, answered(status(403))],
    ['is limited', 4, answered(status(429))],
    ['has no content', 6, answered(status(204))],
    ['is not JSON', 6, answered(body('releases: []'))],
    ['is a page', 6, answered(body('<!doctype html>', { 'content-type': 'text/html' }))],
    ['is empty', 6, answered(body(''))],
    ['is null', 6, answered(json(null))],
    ['is a list', 6, answered(json([]))],
    ['is nested a hundred thousand times', 6, answered(body('['.repeat(100_000)))],
    ['has another schema', 6, listed({ schema_version: 2 })],
    ['has no schema', 6, listed({ schema_version: undefined })],
    ['has a schema in words', 6, listed({ schema_version: '1' })],
    ['names no latest version', 6, listed({ latest: undefined })],
    ['names no version as the latest', 6, listed({ latest: 'newest' })],
    ['names a path as the latest', 6, listed({ latest: '../../1.1.0' })],
    ['names a latest version with terminal codes', 6, listed({ latest: '1.1.0\u001b[2J' })],
    ['names a latest version that is not there', 6, listed({ latest: '1.2.0' })],
    ['names no supported version', 6, listed({ min_supported: null })],
    ['has no releases', 6, listed({ releases: undefined })],
    ['has releases that are no list', 6, listed({ releases: { '1.1.0': {} } })],
    [
      'has a release without files',
      6,
      listed({}, { ...release('1.1.0', good), assets: undefined as unknown as TestAsset[] }),
    ],
    ['is huge', 6, answered(body(Buffer.alloc(1_000_000, ' ')))],
    ['is endless', 6, answered(endless)],
    ['is a compressed bomb', 6, answered(body(gzipSync(Buffer.alloc(5_000_000, ' ')), { 'content-encoding': 'gzip' }))],
    ['never comes', 5, answered(silent)],
    ['comes too slowly', 5, answered(trickle)],
    ['stops', 5, answered(stall)],
    ['is cut off before it starts', 5, answered(reset)],
    ['is cut off', 5, answered(resetLater)],
    ['is shorter than announced', 5, answered(truncated(JSON.stringify(manifest([release('1.1.0', good)])), 100))],
    ['redirects to itself', 6, answered(redirect(releasesPath))],
    ['redirects to nowhere', 6, answered(status(302))],
    ['redirects to a file', 6, answered(redirect('file:///etc/passwd'))],
    ['redirects to another protocol', 6, answered(redirect('ftp://127.0.0.1/manifest'))],
    ['is older than the program', 0, platformAnswers([[release('0.9.0', archive('0.9.0')), archive('0.9.0')]])],
    ['is older than the program, with --force', 2, platformAnswers([[release('0.9.0', good), good]]), { force: true }],
    ['has no such version', 6, platformAnswers([[release('1.1.0', good), good]]), { target: '1.4.0' }],
  ];
  test.each(rows)('%s: exit code %i', async (name, code, answers, options) => {
    await expectRefusal([name, code, answers, options]);
  });
});

/** The release 1.1.0 with the archive, changed before or after it is signed. */
function offered(change: (one: TestRelease) => TestRelease, content = good): Answers {
  return platformAnswers([[change(release('1.1.0', content)), content]]);
}
const withAsset = (changes: Partial<TestAsset>) => (one: TestRelease) =>
  signed({ ...one, assets: one.assets.map((each) => ({ ...each, ...changes })) });

describe('a release that', () => {
  const other = release('1.0.5', archive('1.0.5'));
  const attack = archive('6.6.6');
  const rows: Row[] = [
    ['has no digest', 6, offered(withAsset({ sha256: undefined }))],
    [
      'has no digest, though unsigned is allowed',
      6,
      offered(withAsset({ sha256: undefined })),
      { 'allow-unsigned': true },
    ],
    ['has a wrong digest', 6, offered(withAsset({ sha256: '0'.repeat(64) }))],
    ['has a digest in capitals', 6, offered(withAsset({ sha256: 'A'.repeat(64) }))],
    ['has a short digest', 6, offered(withAsset({ sha256: 'abc' }))],
    ['is not signed', 6, offered((one) => ({ ...one, signatures: undefined }))],
    ['has an empty list of signatures', 6, offered((one) => ({ ...one, signatures: [] }))],
    ['is signed with a strange key', 6, offered((one) => signed(one, strangeKey))],
    [
      'claims a known key for a strange signature',
      6,
      offered((one) => ({
        ...one,
        signatures: [
          { key: one.signatures?.[0]?.key ?? '', signature: signed(one, strangeKey).signatures?.[0]?.signature ?? '' },
        ],
      })),
    ],
    ['has the signature of another release', 6, offered((one) => ({ ...one, signatures: other.signatures }))],
    [
      'has a signature that is none',
      6,
      offered((one) => ({ ...one, signatures: [{ key: one.signatures?.[0]?.key ?? '', signature: '?' }] })),
    ],
    [
      'has a wrong signature, though unsigned is allowed',
      6,
      offered((one) => ({ ...one, signatures: other.signatures })),
      { 'allow-unsigned': true },
    ],
    [
      'has another file than the signed one',
      6,
      offered((one) => ({ ...one, assets: [{ ...asset('1.1.0', attack) }] }), attack),
    ],
    ['has another time than the signed one', 6, offered((one) => ({ ...one, released_at: '2027-01-01T00:00:00Z' }))],
    [
      'has another version than the signed one',
      6,
      platformAnswers([[{ ...release('1.0.5', good), version: '1.1.0' }, good]]),
    ],
    [
      'hides a signed file in its time',
      6,
      offered((one) => {
        const { os, arch, filename, size, sha256 } = asset('1.1.0', good, { arch: 'arm64' });
        return { ...one, released_at: `${one.released_at}\n${os} ${arch} ${filename} ${size} ${sha256}` };
      }),
    ],
    ['has a negative size', 6, offered(withAsset({ size: -1 }))],
    ['has an absurd size', 6, offered(withAsset({ size: 1e300 }))],
    ['has a size that is too small', 6, offered(withAsset({ size: 3 }))],
    ['has no file for this computer', 6, offered(withAsset({ os: 'plan9', filename: 'chowk_1.1.0_plan9_x64.tar.gz' }))],
    ['has a file with a path as its name', 6, offered(withAsset({ filename: '../../chowk' }))],
    ['has its file on this computer', 6, offered(withAsset({ url: 'file:///bin/sh' }))],
    ['has its file in a script', 6, offered(withAsset({ url: 'javascript:alert(1)' }))],
    ['has no address of its file', 6, offered(withAsset({ url: '' }))],
    ['contains an older program', 6, offered((one) => one, archive('0.9.0'))],
    [
      'contains a program that fails',
      6,
      offered((one) => one, packedTar([packed('chowk', Buffer.from('#!/bin/sh\nexit 1\n'))])),
    ],
    [
      'contains a program that hangs',
      6,
      offered((one) => one, packedTar([packed('chowk', Buffer.from('#!/bin/sh\nexec sleep 60\n'))])),
    ],
    [
      'contains a program for another computer',
      6,
      offered((one) => one, packedTar([packed('chowk', Buffer.from('\u007fELF\u0009'))])),
    ],
    [
      'contains a program that is talkative',
      6,
      offered((one) => one, packedTar([packed('chowk', Buffer.from('#!/bin/sh\nyes\n'))])),
    ],
  ];
  test.each(rows)('%s: exit code %i', async (name, code, answers, options) => {
    await expectRefusal([name, code, answers, options]);
  });
});

describe('a download that', () => {
  const served = (answer: Answer): Answers => ({ ...offered((one) => one), [file]: answer });
  const rows: Row[] = [
    ['is absent', 6, served(status(404))],
    ['is refused', 6, served(status(403))],
    ['fails', 6, served(status(500))],
    ['has no content', 6, served(status(204))],
    ['is cut off', 5, served(truncated(good, 50))],
    ['is cut off without a length', 5, served(resetLater)],
    ['is shorter', 6, served(body(good.subarray(0, 50)))],
    ['is longer', 6, served(body(Buffer.concat([good, good])))],
    ['is another of the same size', 6, served(body(Buffer.alloc(good.length)))],
    ['is empty', 6, served(body(''))],
    ['is endless', 6, served(endless)],
    ['never starts', 5, served(silent)],
    ['stops', 5, served((response) => void response.writeHead(200).write(good.subarray(0, 10)))],
    ['comes too slowly', 5, { ...offered(withAsset({ size: undefined })), [file]: trickle }],
    ['redirects in a circle', 6, { ...served(redirect('/circle')), '/circle': redirect(file) }],
    ['redirects to a file', 6, served(redirect('file:///bin/sh'))],
    ['redirects to a host that is not there', 5, served(redirect('http://127.0.0.1:9/file'))],
  ];
  test.each(rows)('%s: exit code %i', async (name, code, answers, options) => {
    await expectRefusal([name, code, answers, options]);
  });
});

function packedTar(files: readonly PackedFile[], edit: (tar: Buffer) => Buffer | undefined = () => {}): Buffer {
  const tar = writeTar(files, time);
  return gzipSync(edit(tar) ?? tar);
}

/** A tar archive whose first entry has another type, such as a link. */
function typedTar(type: string, linkName = '/etc/passwd'): Buffer {
  return packedTar([packed('chowk', Buffer.alloc(0)), packed('other/chowk', program('1.1.0'))], (tar) => {
    tar.write(type, 156);
    tar.write(linkName, 157);
    setChecksum(tar);
  });
}

function setChecksum(header: Buffer): void {
  header.fill(' ', 148, 156);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}

describe('an archive that', () => {
  const script = program('1.1.0');
  const archives: [string, Buffer][] = [
    ['is not compressed', writeTar([packed('chowk', script)], time)],
    ['is not an archive', gzipSync(Buffer.alloc(2_000, 'a'))],
    ['is empty', gzipSync(Buffer.alloc(0))],
    ['is cut off', good.subarray(0, good.length - 20)],
    ['ends within a file', packedTar([packed('chowk', Buffer.alloc(5_000, 'a'))], (tar) => tar.subarray(0, 1_024))],
    ['has no end', packedTar([packed('chowk', script)], (tar) => tar.subarray(0, 1_024))],
    ['has a wrong checksum', packedTar([packed('chowk', script)], (tar) => void tar.write('x', 0))],
    ['is a bomb', gzipSync(Buffer.alloc(5_000_000))],
    ['is a bomb of many parts', Buffer.concat(Array(50).fill(gzipSync(Buffer.alloc(20_000))))],
    ['has a symbolic link', typedTar('2')],
    ['has a hard link', typedTar('1')],
    ['has a device', typedTar('3')],
    ['has a named pipe', typedTar('6')],
    ['has a long name of GNU tar', typedTar('L')],
    ['has a file above its folder', packedTar([packed('../chowk', script)])],
    [
      'has a file above its folder beside the program',
      packedTar([packed('chowk', script), packed('a/../../b', script)]),
    ],
    ['has a file at an absolute path', packedTar([packed('/tmp/chowk', script)])],
    ['has two programs', packedTar([packed('chowk', script), packed('bin/chowk', script)])],
    ['has no program', packedTar([packed('README.md', script)])],
    ['has an empty program', packedTar([packed('chowk', Buffer.alloc(0))])],
    [
      'has a folder instead of the program',
      packedTar([packed('chowk', Buffer.alloc(0))], (tar) => {
        tar.write('5', 156);
        setChecksum(tar);
      }),
    ],
    [
      'has a file of an absurd size',
      packedTar([packed('chowk', script)], (tar) => {
        tar.write('77777777777', 124);
        setChecksum(tar);
      }),
    ],
    [
      'has a file with a size in letters',
      packedTar([packed('chowk', script)], (tar) => {
        tar.write('abcdefghijk', 124);
        setChecksum(tar);
      }),
    ],
  ];
  test.each(archives)('%s is refused', async (name, content) => {
    await expectRefusal([name, 6, offered((one) => one, content)]);
  });
});

describe('a ZIP archive that', () => {
  const files = (...names: string[]) => names.map((name) => packed(name, program('1.1.0')));
  const edited = (edit: (zip: Buffer, central: number) => void) => {
    const zip = writeZip(files('chowk.exe'), time, 6);
    edit(zip, zip.readUInt32LE(zip.length - 6));
    return zip;
  };
  const archives: [string, Buffer][] = [
    ['is none', Buffer.alloc(100)],
    ['is cut off', writeZip(files('chowk.exe'), time, 6).subarray(0, -30)],
    ['has a symbolic link', edited((zip, central) => void zip.writeUInt32LE((0o120777 << 16) >>> 0, central + 38))],
    ['has a file above its folder', writeZip(files('..\\chowk.exe'), time, 6)],
    ['has a file on a drive', writeZip(files('C:\\chowk.exe', 'chowk.exe'), time, 6)],
    ['has two programs', writeZip(files('chowk.exe', 'bin/chowk.exe'), time, 6)],
    ['has no program', writeZip(files('chowk'), time, 6)],
    ['is encrypted', edited((zip, central) => void zip.writeUInt16LE(1, central + 8))],
    ['uses another compression', edited((zip, central) => void zip.writeUInt16LE(93, central + 10))],
    ['has a wrong checksum', edited((zip, central) => void zip.writeUInt32LE(1, central + 16))],
    ['has a wrong size', edited((zip, central) => void zip.writeUInt32LE(7, central + 24))],
    ['has an absurd size', edited((zip, central) => void zip.writeUInt32LE(0xffffffff, central + 24))],
    ['has content beyond its end', edited((zip, central) => void zip.writeUInt32LE(0x7fffffff, central + 20))],
    ['has a header beyond its end', edited((zip, central) => void zip.writeUInt32LE(0x7fffffff, central + 42))],
    ['has a directory beyond its end', edited((zip) => void zip.writeUInt32LE(0x7fffffff, zip.length - 6))],
    ['is a bomb', writeZip([packed('chowk.exe', Buffer.alloc(5_000_000))], time, 9)],
    [
      'is a bomb that lies about its size',
      (() => {
        const zip = writeZip([packed('chowk.exe', Buffer.alloc(5_000_000))], time, 9);
        zip.writeUInt32LE(1_000, zip.readUInt32LE(zip.length - 6) + 24);
        return zip;
      })(),
    ],
  ];
  test.each(archives)('%s is refused', async (name, content) => {
    const windows = release('1.1.0', content, { assets: [asset('1.1.0', content, { os: 'windows' })] });
    await expectRefusal([name, 6, platformAnswers([[windows, content]])], { os: 'win32', arch: 'x64' });
  });
});

describe('a mirror that', () => {
  const list = '/projects/acme%2Fcli/releases?per_page=100';
  const name = 'chowk_1.1.0_linux_x64.tar.gz';
  const sums = `${createHash('sha256').update(good).digest('hex')}  ${name}\n`;
  const links = (...urls: [string, string][]) =>
    json([
      {
        tag_name: 'cli/v1.1.0',
        released_at: time.toISOString(),
        assets: { links: urls.map(([one, url]) => ({ name: one, url })) },
      },
    ]);
  const mirrored = (answers: Answers): Answers => ({
    [list]: links([name, '/file'], ['SHA256SUMS.txt', '/sums'], ['MANIFEST.json', '/manifest']),
    '/file': body(good),
    '/sums': body(sums),
    '/manifest': json(manifest([release('1.1.0', good)])),
    ...answers,
  });
  const rows: Row[] = [
    ['is absent', 6, {}],
    ['fails', 6, mirrored({ [list]: status(500) })],
    ['is forbidden', 4, mirrored({ [list]: status(403) })],
    ['is not JSON', 6, mirrored({ [list]: body('<html>') })],
    ['is no list', 6, mirrored({ [list]: json({ message: 'no' }) })],
    ['has no release', 6, mirrored({ [list]: json([]) })],
    [
      'has releases of something else',
      6,
      mirrored({ [list]: json([{ tag_name: 'v9.0.0' }, null, 7, { tag_name: 'cli/vnext' }]) }),
    ],
    ['has no checksums', 6, mirrored({ '/sums': status(404) })],
    ['has other checksums', 6, mirrored({ '/sums': body(sums.replace(/^./, 'z')) })],
    ['has a manifest that is none', 6, mirrored({ '/manifest': body('{}') })],
    ['has the manifest of another release', 6, mirrored({ '/manifest': json(manifest([release('1.0.9', good)])) })],
    [
      'has an unsigned manifest',
      6,
      mirrored({ '/manifest': json(manifest([{ ...release('1.1.0', good), signatures: [] }])) }),
    ],
    ['has another file', 6, mirrored({ '/file': body(archive('6.6.6')) })],
    ['has no file', 6, mirrored({ '/file': status(404) })],
    ['never answers', 5, mirrored({ [list]: silent })],
    [
      'links to files of this computer',
      6,
      mirrored({ [list]: links([name, '/file'], ['SHA256SUMS.txt', 'file:///etc/passwd']) }),
    ],
  ];
  test.each(rows)('%s: exit code %i', async (name, code, answers, options) => {
    await expectRefusal([name, code, answers, options]);
  });
});

test('a manifest older than one seen before is refused, and a withdrawn release can be replaced by name', async () => {
  const older = archive('1.0.5');
  const server = await serve(platformAnswers([[release('1.1.0', good), good]]));
  const installed = await installProgram({ apiUrl: server.url, limits: patient });
  const background = { variables: { CHOWK_BACKGROUND_CHECK: '1' } };
  expect((await installed.upgrade({ check: true }, background)).code).toBe(0);
  const before = await readFile(installed.path);
  Object.assign(server.answers, platformAnswers([[release('1.0.5', older), older]]));
  for (const options of [{}, { check: true }, { 'dry-run': true }, { force: true }]) {
    expect(await installed.upgrade(options)).toMatchObject({
      code: 6,
      errors: expect.stringContaining('1.1.0 before'),
    });
  }
  await expectUnchanged(installed, before);
  expect((await installed.upgrade({ target: '1.0.5' })).code).toBe(0);
  expect(await installed.version()).toBe('chowk 1.0.5');
});

test('a release that nobody has signed does not count as seen', async () => {
  const server = await serve(listed({ latest: '99.0.0' }, { ...release('99.0.0', good), signatures: [] }));
  const installed = await installProgram({ apiUrl: server.url, limits: patient });
  expect((await installed.upgrade({ check: true }, { variables: { CHOWK_BACKGROUND_CHECK: '1' } })).code).toBe(6);
  Object.assign(server.answers, platformAnswers([[release('1.1.0', good), good]]));
  expect((await installed.upgrade()).code).toBe(0);
});

test('an address with https never leads to one without', async () => {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate.cert]);
  const plain = await serve(platformAnswers([[release('1.1.0', good), good]]));
  let answer: Answer = redirect(`${plain.url}${releasesPath}`);
  const server = createServer(certificate, (request, response) => answer(response, request.headers)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  try {
    const apiUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const installed = await installProgram({ apiUrl, limits: patient });
    expect(await installed.upgrade()).toMatchObject({ code: 6, errors: expect.stringContaining('not safe') });
    const url = `${plain.url}${file}`;
    answer = json(manifest([release('1.1.0', good, { assets: [{ ...asset('1.1.0', good), url }] })]));
    expect(await installed.upgrade()).toMatchObject({ code: 6, errors: expect.stringContaining('not safe') });
    expect(plain.requests).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
    setDefaultCACertificates(trusted);
  }
});

test('a file that is in the way is an error of the file system', async () => {
  const server = await serve(platformAnswers([[release('1.1.0', good), good]]));
  const installed = await installProgram({ apiUrl: server.url, limits: patient });
  await mkdir(join(installed.folder, 'chowk.previous'));
  await writeFile(join(installed.folder, 'chowk.previous', 'file'), '');
  expect((await installed.upgrade()).code).toBe(1);
  expect(await installed.version()).toBe('chowk 1.0.0');
  expect((await installed.files()).filter((name) => name !== 'chowk.previous')).toEqual(['chowk']);
});
