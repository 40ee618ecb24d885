import type { Command } from './command.ts';
import { groups } from './generated/groups.ts';

/** The commands that are written by hand, loaded when they are used: the program starts fast. */
const written: Readonly<Record<string, () => Promise<Command>>> = {
  api: async () => (await import('./commands/api.ts')).apiCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  'config get': async () => (await import('./commands/config/get.ts')).configGetCommand,
  'config list': async () => (await import('./commands/config/list.ts')).configListCommand,
  'config set': async () => (await import('./commands/config/set.ts')).configSetCommand,
  docs: async () => (await import('./commands/docs.ts')).docsCommand,
  graphql: async () => (await import('./commands/graphql.ts')).graphqlCommand,
  login: async () => (await import('./commands/login.ts')).loginCommand,
  logout: async () => (await import('./commands/logout.ts')).logoutCommand,
  'notifications watch': async () => (await import('./commands/notifications/watch.ts')).notificationsWatchCommand,
  tenants: async () => (await import('./commands/tenants.ts')).tenantsCommand,
  upgrade: async () => (await import('./commands/upgrade.ts')).upgradeCommand,
  use: async () => (await import('./commands/use.ts')).useCommand,
  version: async () => (await import('./commands/version.ts')).versionCommand,
  whoami: async () => (await import('./commands/whoami.ts')).whoamiCommand,
};

/** The command that the words begin with: the longest, so `graphql schema` before `graphql`. */
export async function findCommand(words: readonly string[]): Promise<Command | undefined> {
  const [first = '', second] = words;
  const pair = second === undefined ? undefined : `${first} ${second}`;
  if (pair !== undefined && Object.hasOwn(written, pair)) return written[pair]?.();
  if (pair !== undefined && Object.hasOwn(groups, first)) {
    const derived = (await groups[first]?.())?.find(({ words }) => words[1] === second);
    if (derived) return (await import('./derived/to-command.ts')).toCommand(derived);
  }
  return Object.hasOwn(written, first) ? written[first]?.() : undefined;
}

/** The first words of all commands. */
export function firstWords(): string[] {
  const words = [...Object.keys(written), ...Object.keys(groups)].map((name) => name.split(' ')[0] as string);
  return [...new Set(words)].sort();
}

/** The commands that begin with a word, in the order of their names. */
export async function listCommands(first: string): Promise<Command[]> {
  const own = Object.keys(written).filter((name) => name === first || name.startsWith(`${first} `));
  const derived = Object.hasOwn(groups, first) ? ((await groups[first]?.()) ?? []) : [];
  const { toCommand } = await import('./derived/to-command.ts');
  const commands = [
    ...(await Promise.all(own.map((name) => (written[name] as () => Promise<Command>)()))),
    ...derived.map(toCommand),
  ];
  return commands.sort((one, other) => (one.words.join(' ') < other.words.join(' ') ? -1 : 1));
}
