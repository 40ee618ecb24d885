import { expect, test } from 'vitest';
import { testEnvironment } from '../testing/environment.ts';
import { firstWords, listCommands } from './catalogue.ts';
import type { Command } from './command.ts';
import { showCommandHelp } from './help.ts';
import { textWidth } from './output/text-width.ts';

const commands: Command[] = (await Promise.all(firstWords().map(listCommands))).flat();
const names = commands.map(({ words }) => words.join(' '));

test('every command has a name of its own', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['customers merge', 'orders refund', 'products import', 'audit list']));
});

test.each(commands.map((command) => [command.words.join(' '), command] as const))(
  '%s explains itself',
  (_, command) => {
    const { summary, description = '', arguments: args = [], options = {} } = command;
    expect(summary).toMatch(/^(Step \d: )?[A-Z][a-z]+( |$)/);
    expect(summary).not.toMatch(/\.$|^\w+s (the|a|an|your) /);
    expect(description).not.toMatch(/`/);
    for (const { help } of [...args, ...Object.values(options)]) expect(help).toMatch(/^[A-Z\d'"][^`]*[.)]$/);
    for (const name of Object.keys(options)) expect(name).toMatch(/^[a-z0-9]+([.-][a-z0-9]+)*$/);
  },
);

test.each([80, 200])('the help of every command fits %d columns', async (columns) => {
  for (const command of commands) {
    const { environment, output } = testEnvironment({ columns });
    await showCommandHelp(environment, command);
    const lines = output.out
      .split('\n')
      .filter((line) => !line.startsWith('  chowk ') && !line.startsWith('  source '));
    expect([command.words, ...lines.filter((line) => textWidth(line) > columns)]).toEqual([command.words]);
  }
});
