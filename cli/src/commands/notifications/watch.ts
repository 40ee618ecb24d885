import { setTimeout as pause } from 'node:timers/promises';
import type { Command, CommandInput } from '../../command.ts';
import type { Environment } from '../../environment.ts';
import { openClient } from '../../open-client.ts';
import { plainLine } from '../../output/plain-text.ts';
import { formatJson, printJson } from '../../output/print.ts';
import { createStyle } from '../../output/style.ts';
import { followChannel } from '../../realtime/follow-channel.ts';

const maxPauseMs = 10_000;

interface Notification {
  readonly id: string;
  readonly severity: string;
  readonly title: string;
  readonly body: string | null;
  readonly updated_at: string;
}

export const notificationsWatchCommand: Command = {
  words: ['notifications', 'watch'],
  summary: 'Show your notifications as they arrive',
  description:
    'Runs until you press Ctrl-C. After a lost connection it also shows what was missed. With --json, a line each.',
  async run(environment, { options }) {
    const { client } = await openClient(environment, options);
    const { id: user } = await client.auth.me();
    const [newest] = (await client.notifications.list({ limit: 1 })).notifications;
    let last = newest?.id;
    // One that arrives while the missed ones are read is among both.
    const shown = new Set<string>();
    const show = async (notification: Notification) => {
      const { id, updated_at } = notification;
      const key = `${id} ${updated_at}`;
      if (shown.has(key)) return;
      shown.add(key);
      if (last === undefined || id > last) last = id;
      await print(environment, options, notification);
    };
    if (!options.quiet) environment.stderr.write('Waiting for notifications. Press Ctrl-C to stop.\n');
    for (let failures = 0; ; failures += 1) {
      await followChannel(client, {
        channel: `private-user.${user}`,
        event: 'notification.created',
        async onSubscribed() {
          failures = 0;
          const { notifications: missed } = await client.notifications.list({ after: last, limit: 100 });
          for (const notification of missed.toReversed()) await show(notification);
        },
        onEvent: (data) => show(data as Notification),
      });
      if (!options.quiet) environment.stderr.write('The connection was lost. Connecting again…\n');
      await pause(Math.random() * Math.min(1_000 * 2 ** failures, maxPauseMs));
    }
  },
};

async function print(
  environment: Environment,
  options: CommandInput['options'],
  notification: Notification,
): Promise<void> {
  if (options.jq !== undefined) return printJson(environment, options, notification);
  if (options.json) return environment.stdout.write(`${formatJson(notification, 0)}\n`);
  const { severity, title, body } = notification;
  const style = createStyle(environment, options);
  const time = environment.now().toTimeString().slice(0, 8);
  const text = plainLine(body ? `${title}: ${body}` : title);
  environment.stdout.write(`${style.paint(time, 'dim')}  ${style.status(plainLine(severity))}  ${text}\n`);
}
