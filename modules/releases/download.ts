import { Readable } from 'node:stream';
import { Answer, type Static, type SystemCtx } from '@chowk/kit';
import { requireChannel } from './channels.ts';
import { currentManifest } from './current-manifest.ts';
import { findAsset } from './manifest.ts';
import type { ByAsset } from './schemas.ts';
import { asUpstream, credentials, upstream } from './source.ts';

const maxBytes = 500_000_000;
const timeoutMs = 10 * 60_000;

/** Streams the file of a GitLab channel, whose token stays here; other channels serve their files themselves. */
export async function downloadAsset(ctx: SystemCtx, input: Static<typeof ByAsset>): Promise<Answer> {
  const channel = await requireChannel(ctx);
  const { manifest } = await currentManifest(ctx, channel);
  const { url, sha256 } = findAsset(manifest, input);
  const { http } = ctx.system;
  try {
    if (channel.adapter !== 'gitlab') {
      http.check(url);
      return new Answer('', { status: 302, headers: { location: url } });
    }
    const { status, headers, body } = await http.download(url, {
      headers: credentials(channel, url),
      maxBytes,
      timeoutMs,
    });
    if (status !== 200) {
      for await (const _ of body) break;
      throw upstream(`${new URL(url).host} answered ${status} for ${input.filename}.`);
    }
    const length = headers['content-length'];
    return new Answer(Readable.from(body), {
      headers: {
        'content-type': input.filename.endsWith('.zip') ? 'application/zip' : 'application/gzip',
        'content-disposition': `attachment; filename="${input.filename}"`,
        ...(length && /^\d+$/.test(length) ? { 'content-length': length } : {}),
        ...(sha256 === undefined
          ? {}
          : { 'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:` }),
      },
    });
  } catch (error) {
    throw asUpstream(error);
  }
}
