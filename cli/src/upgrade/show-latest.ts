import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { plainLine } from '../output/plain-text.ts';
import { chooseRelease, type Wish } from './choose-release.ts';
import { excerpt } from './notes.ts';
import { compareVersions } from './version.ts';

/** Compares the installed version with the latest, or with another. Writes no file. */
export async function showLatest(
  environment: Environment,
  wish: Wish,
  options: CommandInput['options'],
): Promise<void> {
  const { build, stdout } = environment;
  const { release, releases, isSigned } = await chooseRelease(environment, wish);
  const { version, released_at, notes, notes_url } = release;
  const isNewer = compareVersions(version, build.version) > 0;
  const { printJson, wantsJson } = await import('../output/print.ts');
  if (wantsJson(options)) {
    const fields = { current: build.version, latest: releases.latest, min_supported: releases.minSupported };
    const found = { version, is_newer: isNewer, is_signed: isSigned, released_at, notes, notes_url };
    return printJson(environment, options, { ...fields, release: found });
  }
  const name = wish.target === undefined ? 'Latest:   ' : 'Release:  ';
  stdout.write(`Installed: ${build.version}\n`);
  stdout.write(`${name} ${version} (${released_at.slice(0, 10)}${isSigned ? '' : ', not signed'})\n`);
  if (notes.trim() !== '') stdout.write(`\n${excerpt(notes)}`);
  if (notes_url !== '') stdout.write(`\n${plainLine(notes_url)}\n`);
  if (isNewer)
    stdout.write(`\nInstall it with 'chowk upgrade${wish.target === undefined ? '' : ` --target=${version}`}'.\n`);
  else stdout.write(`\n${version === build.version ? 'It is installed.' : 'The installed version is newer.'}\n`);
}
