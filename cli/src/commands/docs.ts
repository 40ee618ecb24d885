import type { Command } from '../command.ts';
import { openBrowser } from '../open-browser.ts';
import { readSettings } from '../settings.ts';

/** The pages of a platform, by topic. */
const pages: Readonly<Record<string, string>> = {
  api: '/docs',
  openapi: '/api/openapi.json',
  graphql: '/api/v1/graphql/playground',
  console: '/',
};

export const docsCommand: Command = {
  words: ['docs'],
  summary: 'Open the documentation of the platform',
  description: 'Prints the address; on a terminal it also opens a browser.',
  arguments: [{ name: 'topic', help: 'Default: api.', choices: Object.keys(pages), optional: true }],
  options: {
    browser: { type: 'boolean', help: 'Open a browser; --no-browser only prints the address. Default: true.' },
  },
  examples: ['chowk docs graphql'],
  async run(environment, { arguments: [topic = 'api'], options }) {
    const { apiUrl } = await readSettings(environment, options);
    const address = `${apiUrl}${pages[topic]}`;
    environment.stdout.write(`${address}\n`);
    if (environment.stdout.isTerminal && options.browser !== false) openBrowser(environment, address);
  },
};
