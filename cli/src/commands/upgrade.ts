import type { Command, CommandInput } from '../command.ts';
import { readConfigFile } from '../config/config-file.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { openClient } from '../open-client.ts';
import { startProgress } from '../output/progress.ts';
import { childVariable } from '../upgrade/background-check.ts';
import { type UpgradeLimits, upgradeLimits } from '../upgrade/limits.ts';
import type { Sources } from '../upgrade/source.ts';
import { isVersion } from '../upgrade/version.ts';

export const upgradeCommand = createUpgradeCommand(upgradeLimits);

export function createUpgradeCommand(limits: UpgradeLimits): Command {
  return {
    words: ['upgrade'],
    summary: 'Upgrade this program',
    description:
      'Installs the latest release that the platform offers, or the public mirror if the platform offers none. The file is verified ' +
      'with its digest and the signature of the release. The version before is kept.',
    options: {
      check: { type: 'boolean', help: 'Only compare versions and show the notes of the release.' },
      force: { type: 'boolean', help: 'Install the latest version again, or replace a development build.' },
      target: { type: 'string', value: '<version>', help: 'Install this version, which may be older.' },
      'dry-run': { type: 'boolean', help: 'Download and verify, but change nothing.' },
      'allow-homebrew': { type: 'boolean', help: 'Replace a program that Homebrew manages.' },
      'allow-unsigned': { type: 'boolean', help: 'Accept a release that no known key has signed.' },
      rollback: { type: 'boolean', help: 'Return to the version before the last upgrade.' },
    },
    examples: ['chowk upgrade --check', 'chowk upgrade', 'chowk upgrade --target=1.4.0', 'chowk upgrade --rollback'],
    async run(environment, { options }) {
      checkOptions(options);
      const allowHomebrew = options['allow-homebrew'] === true;
      if (options.rollback) {
        const { rollBackUpgrade } = await import('../upgrade/upgrade.ts');
        return rollBackUpgrade(environment, { allowHomebrew, timeoutMs: limits.probeMs });
      }
      const { allow_unsigned_releases = false } = await readConfigFile(environment);
      const wish = {
        sources: await findSources(environment, options, limits),
        target: options.target as string | undefined,
        allowUnsigned: options['allow-unsigned'] === true || allow_unsigned_releases,
      };
      if (environment.variables[childVariable]) {
        return (await import('../upgrade/record-latest.ts')).recordLatest(environment, wish);
      }
      if (options.check) return (await import('../upgrade/show-latest.ts')).showLatest(environment, wish, options);
      const { upgrade } = await import('../upgrade/upgrade.ts');
      return upgrade(environment, {
        ...wish,
        force: options.force === true,
        dryRun: options['dry-run'] === true,
        allowHomebrew,
        startProgress: (title, total) => startProgress(environment, options, { title, total }),
      });
    },
  };
}

function checkOptions({ rollback, target, check, force, 'dry-run': dryRun }: CommandInput['options']): void {
  if (target !== undefined && !isVersion(target)) {
    throw new ExitError(exitCodes.usage, `--target must be a version such as 1.4.0, not '${target}'.`);
  }
  if (rollback && (target !== undefined || check || force || dryRun)) {
    throw new ExitError(exitCodes.usage, '--rollback cannot be combined with --check, --force, --target or --dry-run.');
  }
}

async function findSources(
  environment: Environment,
  options: CommandInput['options'],
  limits: UpgradeLimits,
): Promise<Sources> {
  const { client, settings } = await openClient(environment, options);
  const { api_url } = await readConfigFile(environment);
  const headers = await client.subscriptionOptions().connectionParams();
  const { apiUrl: url, tenant } = settings;
  const isGuess = !options['api-url'] && !environment.variables.CHOWK_API_URL && !api_url;
  const { fetch, build } = environment;
  return { fetch, limits, mirror: build.mirror, platform: { url, tenant, headers, isGuess } };
}
