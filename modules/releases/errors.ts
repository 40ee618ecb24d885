import { defineErrors } from '@chowk/kit';

export const errors = {
  'releases.no_channel': {
    status: 404,
    message:
      'No release channel is configured. The operator sets CLI_RELEASES_* or an admin sends PUT /api/v1/cli/channel.',
  },
  'releases.not_found': { status: 404, message: 'There is no release {version}.' },
  'releases.asset_not_found': { status: 404, message: 'The release {version} has no file {filename}.' },
  'releases.upstream_failed': { status: 502, message: 'The source of the releases cannot be used: {reason}' },
} as const;

export const fail = defineErrors(errors);
