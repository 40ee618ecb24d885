import type { Ctx } from '@chowk/kit';
import { describePlan, planDelivery } from './delivery.ts';
import { Channel, type ReplyChannel } from './schemas.ts';

/** How a first message would reach a customer, over each channel. Without a customer: one who has all addresses. */
export async function listChannels(
  ctx: Ctx,
  { customer_id }: { customer_id?: string },
): Promise<{ channels: ReplyChannel[] }> {
  return {
    channels: await Promise.all(
      Channel.enum.map(async (channel) => ({
        channel,
        ...describePlan(await planDelivery(ctx, { channel, customer_id })),
      })),
    ),
  };
}
