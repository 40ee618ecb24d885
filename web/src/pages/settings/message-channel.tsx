import {
  type MessageChannel,
  type MessageChannelTestResult,
  type MessageProviders,
  notificationsLimits,
} from '@chowk/client';
import { useState } from 'react';
import { affectedByChannels } from '../../api/affected-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';

interface MessageChannelProps {
  readonly channel: MessageChannel;
  readonly name: string;
  readonly providers: MessageProviders;
}

/** Who sends the messages of a channel, whether they are sent, and a test. */
export function MessageChannelSetting({ channel, name, providers }: MessageChannelProps) {
  const { provider, sender, obstacle } = channel;
  const isLogged = provider === 'log';
  return (
    <>
      <p className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1">
        {obstacle === null ? (
          <StatusPill tone="success">Sending</StatusPill>
        ) : isLogged ? (
          <StatusPill>Only logged</StatusPill>
        ) : (
          <StatusPill tone="warning">Not sending</StatusPill>
        )}
        {sender !== null && (
          <span className="min-w-0 break-words text-secondary">
            From <span className="text-text">{sender}</span>
          </span>
        )}
      </p>
      {isLogged && channel.channel !== 'email' ? (
        <p className="text-sm text-secondary">
          Nothing is sent: replies by {name} are kept in their conversation and marked as only logged, and rules reach
          nobody over this channel.
        </p>
      ) : (
        obstacle !== null && <Notice tone="warning">{obstacle}</Notice>
      )}
      {channel.channel !== 'email' && <ProviderChoice channel={channel} name={name} providers={providers} />}
      {obstacle === null && <Test key={provider} channel={channel} name={name} />}
    </>
  );
}

function ProviderChoice({ channel: { channel, provider }, name, providers }: MessageChannelProps) {
  const can = useCan()('settings.edit');
  const choose = useAction(
    (client, next: string) => client.settings.update({ [`notifications.${channel}_provider`]: next }),
    {
      affects: affectedByChannels,
      done: (_, next) =>
        next === 'log'
          ? `${name} messages are only logged from now on.`
          : `${name} messages go over ${next === 'twilio' ? 'Twilio' : 'your own server'} from now on.`,
    },
  );
  const options = [
    { value: 'log', label: 'No one: only log them', isReady: true },
    { value: 'twilio', label: 'Twilio', isReady: providers.twilio !== null },
    { value: 'webhook', label: 'Your own server', isReady: providers.webhook !== null },
  ];
  return (
    <Field label={`Who sends ${name} messages`}>
      {(control) => (
        <div className="max-w-80">
          <Select
            {...control}
            value={choose.isPending ? choose.variables : provider}
            disabled={!can}
            onChange={({ target }) => choose.mutate(target.value)}
          >
            {options.map(({ value, label, isReady }) => (
              <option key={value} value={value} disabled={!isReady && value !== provider}>
                {isReady ? label : `${label} (set it up below)`}
              </option>
            ))}
          </Select>
        </div>
      )}
    </Field>
  );
}

function Test({ channel: { channel, provider }, name }: Pick<MessageChannelProps, 'channel' | 'name'>) {
  const me = useMe().data;
  const [result, setResult] = useState<MessageChannelTestResult & { readonly to: string }>();
  const form = useForm<{ readonly to: string }>(async ({ to }) => {
    setResult(undefined);
    setResult({ ...(await api().notifications.testChannel({ channel, to: to.trim() })), to: to.trim() });
  });
  const isEmail = channel === 'email';
  const accepted = { mail: 'The mail server', twilio: 'Twilio', webhook: 'Your server', log: '' }[provider];
  return (
    <form {...form.props} aria-label={`Test of ${name}`} className="grid gap-3">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label={isEmail ? 'Send a test to' : `Send a test by ${name} to`} {...form.field('to')}>
        {(control) => (
          <div className="flex max-w-120 gap-2">
            <Input
              {...control}
              key={me?.email}
              type={isEmail ? 'email' : 'tel'}
              defaultValue={isEmail ? me?.email : ''}
              placeholder={isEmail ? '' : '+919876543210'}
              maxLength={notificationsLimits.testChannel.to}
              className={isEmail ? '' : 'numeric'}
            />
            <Button type="submit" isBusy={form.isBusy} aria-label={`Send a test by ${name}`}>
              Send
            </Button>
          </div>
        )}
      </Field>
      {result &&
        (result.is_sent ? (
          <Notice tone="success">
            {accepted} has accepted the message to {result.to}.
          </Notice>
        ) : (
          <Notice tone="error">The message was not sent. {result.reason}</Notice>
        ))}
    </form>
  );
}
