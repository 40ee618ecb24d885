import { type Ctx, type JobTypes, job, type Static, Type, Uuid } from '@chowk/kit';
import { Delivery, openMessage, type Recipient, type Sendable, sealMessage, unreadAmong } from '../delivery.ts';
import { afterQuietHours, type Route } from './routing.ts';

/** The ids of the mails, in the order of the recipients, keep them from being sent twice. */
const Mails = Type.Object({ ...Delivery, mails: Type.Array(Uuid) });
type Mails = Static<typeof Mails>;

const batchSize = 100;

/** Queues mails, in quiet hours for their end. */
export async function queueMails(
  ctx: Ctx,
  message: Sendable,
  mailed: readonly { readonly recipient: Recipient; readonly route: Route }[],
): Promise<void> {
  const now = ctx.now();
  const sendTime = (route: Route) => (route.is_critical ? now : afterQuietHours(route, now, route.zone)).getTime();
  for (const [time, group] of Map.groupBy(mailed, ({ route }) => sendTime(route))) {
    const delay = time > now.getTime() ? { delaySeconds: Math.ceil((time - now.getTime()) / 1_000) } : {};
    for (let from = 0; from < group.length; from += batchSize) {
      const recipients = group.slice(from, from + batchSize).map(({ recipient }) => recipient);
      const mails = recipients.map(() => ctx.newId());
      await ctx.jobs.add('notifications.mail', { message: sealMessage(ctx, message), recipients, mails }, delay);
    }
  }
}

async function sendMails(ctx: Ctx, { message, recipients, mails }: Mails): Promise<void> {
  const { title, body, action_url, action_label } = openMessage(ctx, message);
  const mailIds = new Map(recipients.map(({ id }, index) => [id, mails[index] as string]));
  const unread = await unreadAmong(ctx, recipients);
  const content = {
    subject: title,
    paragraphs: body?.split(/\n+/).filter((line) => line.trim() !== '') ?? [title],
    button: { label: action_label ?? 'Open in the console', path: action_url ?? '/notifications' },
    warning: 'You get this mail because your notification preferences say so.',
  };
  const own = unread.map(({ id, user_id }) => ({ id: mailIds.get(id) as string, user_id, ...content }));
  await ctx.tx((tx) => tx.bus.call('identity.mailMembers', { mails: own }));
}

export const mailJobs = {
  'notifications.mail': job({ data: Mails, run: sendMails }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof mailJobs> {}
}
