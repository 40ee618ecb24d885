import { type NotificationRule, type NotificationRuleDelivery, notificationsLimits } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { channels } from './rule-list.ts';

/** Sends the saved rule with made-up data. */
export function RuleTest({ rule: { id, channel } }: { readonly rule: NotificationRule }) {
  const me = useMe().data;
  const canChoose = useCan()('notifications.send') && channel !== 'in_app';
  const refetch = useRefetch();
  const [delivery, setDelivery] = useState<NotificationRuleDelivery>();
  const form = useForm<{ readonly to?: string }>(async ({ to = '' }) => {
    setDelivery(undefined);
    const input = canChoose && to.trim() !== '' ? { id, to: to.trim() } : { id };
    setDelivery((await api().notifications.testRule(input)).delivery);
    await refetch(keys.notifications.ruleDeliveries(id, {}));
  });
  const isEmail = channel === 'email';
  if (!canChoose && !isEmail && channel !== 'in_app') return null;
  return (
    <form {...form.props} aria-label="Test" className="grid gap-3 border-t border-line pt-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {canChoose ? (
        <Field
          label={`Send a test by ${channels[channel].label} to`}
          help="What is saved, with made-up data."
          {...form.field('to')}
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                key={`${channel} ${me?.email}`}
                type={isEmail ? 'email' : 'tel'}
                defaultValue={isEmail ? me?.email : ''}
                placeholder={isEmail ? '' : '+919876543210'}
                maxLength={notificationsLimits.testRule.to}
              />
              <Button type="submit" isBusy={form.isBusy}>
                Send a test
              </Button>
            </div>
          )}
        </Field>
      ) : (
        <Button type="submit" isBusy={form.isBusy} className="justify-self-start">
          Send a test to yourself
        </Button>
      )}
      {delivery &&
        (delivery.status === 'skipped' || delivery.status === 'failed' ? (
          <Notice tone="error">The test was not sent. {delivery.reason}</Notice>
        ) : delivery.provider === 'log' ? (
          <Notice tone="warning">
            The test was only logged: {channels[channel].label} is not set up. See the channels in the settings.
          </Notice>
        ) : (
          <Notice tone="success">
            A test is on its way{channel === 'in_app' ? ' to you' : ` to ${delivery.recipient}`}.
          </Notice>
        ))}
    </form>
  );
}
