import { createHash } from 'node:crypto';
import { Failure, type Issues, type Static, type SystemCtx, type SystemServices, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { type Channel, configs, type NewChannel } from './schemas.ts';

type Configured = Static<typeof NewChannel>;

/** Where releases come from. */
export interface ReleaseChannel extends Configured {
  readonly isDefault: boolean;
  /** Identifies the source, without revealing its token. */
  readonly key: string;
}

const purpose = 'release channel';

/** The channel of the tenant, else that of the platform. */
export async function requireChannel(ctx: SystemCtx): Promise<ReleaseChannel> {
  const own = ctx.tenantId === undefined ? undefined : await readOwn(ctx, ctx.tenantId);
  const channel = own ?? defaultChannel(ctx.system);
  if (!channel) throw fail('releases.no_channel');
  return channel;
}

export async function showChannel(ctx: SystemCtx): Promise<Static<typeof Channel>> {
  const { adapter, config, isDefault } = await requireChannel(ctx);
  const { token: _, ...shown } = config;
  return { adapter, config: shown, is_default: isDefault };
}

/** Reports what is wrong with the configuration of the adapter, and returns it without other fields. */
export async function checkChannel(
  { system }: SystemCtx,
  { adapter, config }: Partial<Configured>,
  issues: Issues,
): Promise<Configured | undefined> {
  if (adapter === undefined || config === undefined) return undefined;
  const schema = configs[adapter];
  // Loaded only when it is needed: it has hundreds of files.
  const { Value } = await import('typebox/value');
  const known = Value.Clean(schema, structuredClone(config)) as Record<string, string>;
  for (const name of schema.required ?? []) {
    const isMissing = known[name] === undefined;
    if (isMissing) issues.add(`config.${name}`, `The ${name} is required for the adapter ${adapter}.`, 'required');
  }
  for (const { instancePath } of Value.Errors(schema, known)) {
    const field = instancePath.slice(1);
    if (field !== '') issues.add(`config.${field}`, `The ${field} is not valid.`);
  }
  for (const name of ['manifest_url', 'api_url']) {
    if (known[name] !== undefined) checkUrl(system, known[name], `config.${name}`, issues);
  }
  return { adapter, config: known };
}

function checkUrl({ http }: SystemServices, url: string, field: string, issues: Issues): void {
  try {
    http.check(url);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    issues.add(field, error.message);
  }
}

export async function saveChannel(
  ctx: SystemCtx,
  _input: Configured,
  { adapter, config }: Configured,
): Promise<Static<typeof Channel>> {
  const tenantId = ctx.tenant.id;
  const sealed = ctx.system.secrets.seal(purpose, JSON.stringify(config), tenantId);
  await ctx.central.run(sql`
    INSERT INTO release_channels (tenant_id, adapter, config_sealed) VALUES (${tenantId}, ${adapter}, ${sealed})
    ON CONFLICT (tenant_id) DO UPDATE
      SET adapter = excluded.adapter, config_sealed = excluded.config_sealed, updated_at = now()`);
  return showChannel(ctx);
}

/** From now on the tenant uses the channel of the platform. */
export async function removeChannel(ctx: SystemCtx): Promise<void> {
  await ctx.central.run(sql`DELETE FROM release_channels WHERE tenant_id = ${ctx.tenant.id}`);
}

async function readOwn({ central, system }: SystemCtx, tenantId: string): Promise<ReleaseChannel | undefined> {
  const row = await central.row<{ adapter: Configured['adapter']; config_sealed: string }>(sql`
    SELECT adapter, config_sealed FROM release_channels WHERE tenant_id = ${tenantId}`);
  if (!row) return undefined;
  const config = JSON.parse(system.secrets.open(purpose, row.config_sealed, tenantId)) as Configured['config'];
  return withKey({ adapter: row.adapter, config, isDefault: false });
}

function defaultChannel({ options: { releases } }: SystemServices): ReleaseChannel | undefined {
  const { adapter, gitlabProject: project, gitlabApiUrl: api_url, gitlabToken: token, manifestUrl } = releases;
  if (adapter === 'static') {
    return manifestUrl === undefined
      ? undefined
      : withKey({ adapter, config: { manifest_url: manifestUrl }, isDefault: true });
  }
  if (project === undefined) return undefined;
  return withKey({ adapter, config: { project, api_url, ...(token ? { token } : {}) }, isDefault: true });
}

function withKey(channel: Omit<ReleaseChannel, 'key'>): ReleaseChannel {
  const source = JSON.stringify([channel.adapter, Object.entries(channel.config).sort()]);
  return { ...channel, key: createHash('sha256').update(source).digest('hex') };
}
