import { type Actions, named, type SystemCtx, signedIn, systemAction, Type } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { findResource, permissionFor } from './protocol.ts';
import type { Realtime } from './realtime.ts';

const RealtimeConfig = named(
  'RealtimeConfig',
  Type.Object({
    key: Type.String({ description: 'The key of the app, for Pusher clients.', examples: ['6b1f0c2a9d4e8f7a5c3b'] }),
    host: Type.String({ examples: ['acme.localhost'] }),
    port: Type.Integer({ examples: [8080] }),
    scheme: Type.String({ description: '`http`, or `https` if sockets use TLS.', examples: ['http'] }),
    auth_endpoint: Type.String({ examples: ['/broadcasting/auth'] }),
  }),
);

const SubscriptionRequest = named(
  'SubscriptionRequest',
  Type.Object({
    socket_id: Type.String({ pattern: '^\\d{1,20}\\.\\d{1,20}$', examples: ['123456.7890'] }),
    channel_name: Type.String({ minLength: 1, maxLength: 164, examples: ['private-user.7'] }),
  }),
);

const SubscriptionGrant = named(
  'SubscriptionGrant',
  Type.Object({
    auth: Type.String({
      description: 'The key, the signature and its holder. The client sends it with its subscription.',
    }),
    channel_data: Type.Optional(Type.String({ description: 'The member of a presence channel, as JSON.' })),
  }),
);

const authEndpoint = '/broadcasting/auth';
const common = { tag: 'Realtime', needs: signedIn, readOnly: true, graphql: false } as const;

export function realtimeActions(appUrl: string, realtime: () => Realtime): Actions {
  return {
    'realtime.config': systemAction({
      ...common,
      summary: 'Get the realtime settings',
      description: 'The settings for a Pusher client, such as pusher-js or laravel-echo.',
      http: 'GET /realtime/config',
      output: RealtimeConfig,
      run: async ({ client }) => ({
        key: realtime().key,
        ...socketAddress(appUrl, client.host),
        auth_endpoint: authEndpoint,
      }),
    }),
    'realtime.authorize': systemAction({
      ...common,
      summary: 'Authorize a subscription',
      description:
        'Signs the subscription of a socket to `private-user.{id}` of the caller, which needs `notifications.view`, or to ' +
        '`presence-tenant`, the channel of the members that are online, or to that of the members who look at a record, such as ' +
        '`presence-conversations.{id}`, which needs `conversations.view`. The socket is bound to the tenant of the request.',
      http: `POST ${authEndpoint}`,
      root: true,
      accepts: 'form',
      input: SubscriptionRequest,
      output: SubscriptionGrant,
      errors: ['realtime.channel_forbidden', 'auth.forbidden'],
      run: async (ctx, { socket_id: socketId, channel_name: channel }) => {
        const channelData = presenceMember(ctx, channel);
        const permission = permissionFor(channel);
        if (permission && !ctx.can(permission)) throw fail('auth.forbidden', { permission });
        const { user, session, tenant } = ctx;
        const grant = { socketId, channel, channelData, tenantId: tenant.id, userId: user.id, sessionId: session.id };
        const auth = realtime().authFor(grant);
        return channelData === undefined ? { auth } : { auth, channel_data: channelData };
      },
    }),
  };
}

/** The caller as a member of a presence channel, as JSON; `undefined` for a private channel. */
function presenceMember({ user: { id, name }, session }: SystemCtx, channel: string): string | undefined {
  if (channel === `private-user.${id}`) return undefined;
  const isOffered = channel === 'presence-tenant' || findResource(channel) !== undefined;
  if (isOffered && session.kind !== 'client') {
    return JSON.stringify({ user_id: String(id), user_info: { id, name } });
  }
  throw fail('realtime.channel_forbidden', { channel });
}

/** The address that the request was sent to also serves sockets. */
function socketAddress(appUrl: string, requestHost: string) {
  const { protocol } = new URL(appUrl);
  const { hostname: host, port } = new URL(`${protocol}//${requestHost}`);
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80), scheme: protocol.slice(0, -1) };
}
