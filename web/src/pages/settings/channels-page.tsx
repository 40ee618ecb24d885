import type { MessageProviders } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { MailAddress, useMailAddress } from './mail-address.tsx';
import { MessageChannelSetting } from './message-channel.tsx';
import { OwnMailbox, useOwnMailbox } from './own-mailbox.tsx';
import { OwnServer } from './own-server.tsx';
import { TwilioAccount } from './twilio-account.tsx';

const channels = {
  email: ['Email', 'Replies in conversations, and mails that rules send.'],
  sms: ['SMS', 'Text messages to a phone.'],
  whatsapp: ['WhatsApp', 'Free text within 24 hours after a message of the customer, approved templates at any time.'],
} as const;

/** Over what the organization writes to its customers. */
export function ChannelsPage() {
  const { data, error } = useApi(keys.notifications.providers, (client) => client.notifications.getProviders());
  // So that nothing moves; what cannot be read is said in its part.
  const isReading = [useMailAddress(), useOwnMailbox()].some(({ isPending }) => isPending);
  if (!data || isReading) return <Loading error={error} className="h-[48rem]" />;
  return <Channels providers={data} />;
}

function Channels({ providers }: { readonly providers: MessageProviders }) {
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const navigate = useNavigate();
  const form = (name: string) => ({
    isOpen: edit === name,
    onOpen: () => void navigate({ to: '.', search: { edit: name }, replace: true }),
    onClose: () => void navigate({ to: '.', search: {}, replace: true }),
  });
  return (
    <div className="grid gap-8">
      {providers.channels.map((channel) => {
        const [title, lead] = channels[channel.channel];
        return (
          <Fragment key={channel.channel}>
            <Setting title={title} lead={lead}>
              <MessageChannelSetting channel={channel} name={title} providers={providers} />
            </Setting>
            {channel.channel === 'email' && (
              <>
                <Setting
                  title="Mails that come in"
                  lead="The address at which the platform receives mails for you. They become conversations."
                >
                  <MailAddress />
                </Setting>
                <Setting
                  title="Your own mailbox"
                  lead="Mails to your usual address come in from there, every minute. They stay in the mailbox."
                >
                  <OwnMailbox {...form('mailbox')} />
                </Setting>
              </>
            )}
          </Fragment>
        );
      })}
      <Setting title="Twilio" lead="Your own account there sends and receives SMS and WhatsApp messages.">
        <TwilioAccount providers={providers} {...form('twilio')} />
      </Setting>
      <Setting
        title="Your own server"
        lead="It sends the text messages that it gets, and passes on those of customers."
      >
        <OwnServer providers={providers} {...form('server')} />
      </Setting>
    </div>
  );
}
