import type { Api, SubscriptionGrant } from './api.ts';

/** The options of pusher-js, and of laravel-echo with `broadcaster: 'pusher'`. */
export interface PusherOptions {
  readonly key: string;
  readonly cluster: string;
  readonly wsHost: string;
  readonly wsPort: number;
  readonly wssPort: number;
  readonly forceTLS: boolean;
  readonly enabledTransports: ('ws' | 'wss')[];
  readonly channelAuthorization: {
    customHandler(
      params: { socketId: string; channelName: string },
      callback: (error: Error | null, grant: SubscriptionGrant | null) => void,
    ): void;
  };
}

/** Reads the realtime settings. Subscriptions are authorized by the client, so with its tenant and valid tokens. */
export async function pusherOptions({ realtime }: Pick<Api, 'realtime'>): Promise<PusherOptions> {
  const { key, host, port, scheme } = await realtime.config();
  return {
    key,
    cluster: '',
    wsHost: host,
    wsPort: port,
    wssPort: port,
    forceTLS: scheme === 'https',
    enabledTransports: ['ws', 'wss'],
    channelAuthorization: {
      customHandler({ socketId: socket_id, channelName: channel_name }, callback) {
        realtime.authorize({ socket_id, channel_name }).then(
          (grant) => callback(null, grant),
          (error) => callback(error, null),
        );
      },
    },
  };
}
