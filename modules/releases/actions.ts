import { Answer, signedIn, systemAction } from '@chowk/kit';
import { checkChannel, removeChannel, requireChannel, saveChannel, showChannel } from './channels.ts';
import { currentManifest } from './current-manifest.ts';
import { downloadAsset } from './download.ts';
import { withOwnUrls } from './manifest.ts';
import { ByAsset, Channel, NewChannel, ReleaseManifest } from './schemas.ts';

const releases = { tag: 'Releases', needs: signedIn, tenant: 'optional', graphql: false } as const;
const channel = { tag: 'Releases', graphql: false } as const;

export const actions = {
  'releases.list': systemAction({
    ...releases,
    summary: 'Get the release manifest of the command-line client',
    description:
      'The releases of the channel of the tenant, or of the platform if the tenant has none or the request names none. While the ' +
      'source of the channel fails, the last valid manifest is served; the header `Age` says how many seconds ago it was confirmed.',
    http: 'GET /cli/releases',
    output: ReleaseManifest,
    errors: ['releases.no_channel', 'releases.upstream_failed'],
    async run(ctx) {
      const { manifest, fetchedAt, problem } = await currentManifest(ctx, await requireChannel(ctx));
      const body = withOwnUrls(manifest, ctx.system.url);
      if (problem === undefined) return body;
      const age = Math.max(0, Math.round((ctx.now().getTime() - fetchedAt.getTime()) / 1_000));
      return new Answer(body, { headers: { age: String(age), warning: '110 - "Response is Stale"' } });
    },
  }),
  'releases.download': systemAction({
    ...releases,
    summary: 'Download a file of a release',
    description: 'Streams the file, or redirects to it, depending on the channel.',
    http: 'GET /cli/releases/:version/download/:filename',
    input: ByAsset,
    file: ['application/gzip', 'application/zip'],
    responses: { 302: { description: 'The file is at the address in `Location`.' } },
    errors: ['releases.no_channel', 'releases.not_found', 'releases.asset_not_found', 'releases.upstream_failed'],
    run: downloadAsset,
  }),
  'releases.getChannel': systemAction({
    ...channel,
    summary: 'Get the release channel',
    http: 'GET /cli/channel',
    needs: 'platform.releases.view',
    output: Channel,
    answer: { key: 'channel' },
    errors: ['releases.no_channel'],
    run: showChannel,
  }),
  'releases.setChannel': systemAction({
    ...channel,
    summary: 'Set the release channel',
    description:
      'Members of this tenant get their releases of the command-line client from here. The configuration is stored encrypted.',
    http: 'PUT /cli/channel',
    needs: 'platform.releases.manage',
    input: NewChannel,
    output: Channel,
    answer: { key: 'channel', message: 'Release channel saved.' },
    check: checkChannel,
    run: saveChannel,
  }),
  'releases.removeChannel': systemAction({
    ...channel,
    summary: 'Return to the release channel of the platform',
    http: 'DELETE /cli/channel',
    needs: 'platform.releases.manage',
    answer: { message: 'The release channel of the platform is used.' },
    run: removeChannel,
  }),
};
