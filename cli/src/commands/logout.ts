import { NetworkError, TimeoutError } from '@chowk/client';
import type { Command } from '../command.ts';
import { connect } from '../open-client.ts';
import { readSettings } from '../settings.ts';

export const logoutCommand: Command = {
  words: ['logout'],
  summary: 'Sign out of the platform',
  async run(environment, { options }) {
    const settings = await readSettings(environment, options);
    let message = `Signed out of ${settings.apiUrl}.`;
    try {
      // The session of `chowk login`, also if there is a token in the environment.
      await connect(environment, { ...settings, token: undefined }).signOut();
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof TimeoutError)) throw error;
      message = `${settings.apiUrl} cannot be reached: the tokens on this computer are deleted, the session ends when it expires.`;
    }
    if (!options.quiet) environment.stderr.write(`${message}\n`);
  },
};
