import type { Command } from './operator/command.ts';

/** Imports what it runs: the front of rings needs little of the platform, and memory for each import. */
export const serveCommand: Command = {
  name: 'serve',
  usage: '[--no-build] [--no-work] [--rings=<name,…>]',
  summary:
    'run the platform until stopped, with --rings a process for each; builds the console if its sources have changed; --no-work leaves jobs and events to chowkd work',
  // With `ring-process` a front has started this process.
  options: {
    'no-build': { type: 'boolean' },
    'no-work': { type: 'boolean' },
    rings: { type: 'string' },
    'ring-process': { type: 'boolean' },
  },
  async run(session, { options }) {
    if (options.rings === undefined) {
      const { servePlatform } = await import('./serve-platform.ts');
      return servePlatform(session, options);
    }
    const { serveRings } = await import('./serve-rings.ts');
    return serveRings(session, { rings: String(options.rings), builds: !options['no-build'] });
  },
};
