import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Loading } from '../../ui/loading.tsx';
import { Copied } from './set-up-step.tsx';

export function useMailAddress() {
  return useApi(keys.mailbox.address, (client) => client.mailbox.show());
}

/** Where the platform receives mails for the organization. */
export function MailAddress() {
  const { data, error } = useMailAddress();
  if (!data) return <Loading error={error} className="h-20" />;
  const { address } = data.mailbox;
  if (address === null) {
    return (
      <p className="text-sm text-secondary">
        The operator of this platform has not switched it on. You can fetch mails from your own mailbox.
      </p>
    );
  }
  return (
    <>
      <Copied label="Mail address" text={address} />
      <p className="text-sm text-secondary">
        Forward the mails of your usual address there. Answers to your replies come back to their conversation by
        themselves.
      </p>
    </>
  );
}
