import { Default, NamedObject, Type } from '@chowk/kit';

export const Version = Type.String({
  pattern: '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?$',
  maxLength: 64,
  description: 'A semantic version.',
  examples: ['1.4.0'],
});

const FileName = Type.String({ pattern: '^[A-Za-z0-9][\\w.+-]*$', maxLength: 200 });
const Url = Type.String({ maxLength: 2_000, examples: ['https://releases.example/chowk_1.4.0_linux_x64.tar.gz'] });

const Asset = NamedObject('ReleaseAsset', {
  os: Type.String({ pattern: '^[a-z0-9]+$', maxLength: 20, examples: ['linux'] }),
  arch: Type.String({ pattern: '^[a-z0-9_]+$', maxLength: 20, examples: ['x64'] }),
  url: Url,
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Without it the client refuses the file.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  filename: Type.Optional(FileName),
});

const Signature = NamedObject('ReleaseSignature', {
  key: Type.String({
    pattern: '^[0-9a-f]{16}$',
    description: 'Identifies the public key.',
    examples: ['3b1f0c2a9d4e8f7a'],
  }),
  signature: Type.String({ maxLength: 100, description: 'Ed25519, in base64.' }),
});

const Release = NamedObject('Release', {
  version: Version,
  released_at: Type.String({ format: 'date-time', examples: ['2026-11-01T09:00:00Z'] }),
  notes: Default(Type.String({ maxLength: 100_000, description: 'Markdown.' }), ''),
  notes_url: Default(Type.String({ maxLength: 2_000 }), ''),
  assets: Type.Array(Asset, { maxItems: 100 }),
  signatures: Type.Optional(
    Type.Array(Signature, {
      maxItems: 10,
      description: 'Signatures over version, time and the digests of the assets, by the keys of the publisher.',
    }),
  ),
});

export const ReleaseManifest = NamedObject('ReleaseManifest', {
  schema_version: Type.Literal(1),
  channel: Type.String({ minLength: 1, maxLength: 100, examples: ['stable'] }),
  latest: Version,
  min_supported: Version,
  releases: Type.Array(Release, { maxItems: 1_000 }),
});

export const ByAsset = Type.Object({ version: Version, filename: FileName });

const StaticConfig = NamedObject('StaticReleaseChannel', { manifest_url: Url });
const S3Config = NamedObject('S3ReleaseChannel', {
  bucket: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', examples: ['acme-releases'] }),
  region: Type.String({ pattern: '^[a-z0-9-]{1,40}$', examples: ['eu-central-1'] }),
  manifest_key: Type.String({ minLength: 1, maxLength: 500, examples: ['cli/MANIFEST.json'] }),
});
const GitlabConfig = NamedObject('GitlabReleaseChannel', {
  project: Type.String({ pattern: '^[\\w.-]+(/[\\w.-]+)*$', maxLength: 300, examples: ['acme/cli'] }),
  api_url: Type.String({ maxLength: 2_000, examples: ['https://gitlab.com/api/v4'] }),
  token: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]+$',
      maxLength: 500,
      description: 'With read-only API scope. It is stored encrypted, never shown and sent to `api_url` only.',
    }),
  ),
});

export const configs = { static: StaticConfig, s3: S3Config, gitlab: GitlabConfig } as const;

export const Adapter = Type.Enum(['static', 's3', 'gitlab']);

export const NewChannel = NamedObject('NewReleaseChannel', {
  adapter: Adapter,
  config: Type.Record(Type.String(), Type.String(), {
    description:
      '`static`: `manifest_url`. `s3`: `bucket`, `region`, `manifest_key`. `gitlab`: `project`, `api_url`, `token`. Addresses ' +
      'must be public and https.',
    examples: [{ manifest_url: 'https://releases.example/MANIFEST.json' }],
  }),
});

export const Channel = NamedObject('ReleaseChannel', {
  adapter: Adapter,
  is_default: Type.Boolean({ description: 'It is the channel of the platform; this tenant has none of its own.' }),
  config: Type.Record(Type.String(), Type.String(), { description: 'Without the token.' }),
});
