import type { PubSub } from '../pubsub/pubsub.ts';

/** An event for the sockets of a tenant that subscribe to the channel. */
export interface Broadcast {
  readonly tenantId: string;
  readonly channel: string;
  readonly event: string;
  readonly data: object;
}

const pubsubChannel = 'realtime';

/** The sockets of this process, and events to the sockets of all processes. */
export class Realtime {
  readonly #pubsub: PubSub;

  constructor(pubsub: PubSub) {
    this.#pubsub = pubsub;
  }

  /** Serializes the event once, for all sockets of all processes. */
  async broadcast({ tenantId, channel, event, data }: Broadcast): Promise<void> {
    const frame = JSON.stringify({ event, channel, data: JSON.stringify({ ...data, tenant_id: tenantId }) });
    await this.#pubsub.publish(pubsubChannel, JSON.stringify([tenantId, channel, frame]));
  }
}
