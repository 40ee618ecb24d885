import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Input, TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { type Controls, SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';
import { WidgetPreview } from './widget-preview.tsx';
import { WidgetSecret } from './widget-secret.tsx';
import { WidgetSitesForm } from './widget-sites-form.tsx';

const look = ['enabled', 'color', 'position', 'greeting', 'opening_hours', 'ask_for_email'].map(
  (name) => `widget.${name}`,
);

export function WidgetPage() {
  const { data, error } = useApi(keys.widget.setup, (client) => client.widget.getSetup());
  const organization = useApi(keys.settings.organization, (client) => client.organization.get());
  const settings = useSettings();
  const canSign = useCan()('settings.api_clients');
  if (!data || !organization.data || !settings.values) {
    return <Loading error={error ?? organization.error ?? settings.error} className="h-96" />;
  }
  const { script_url, secret_created_at } = data.setup;
  return (
    <div className="grid gap-8">
      <Setting title="Chat" lead="A button on the pages of your website. Messages come to Conversations.">
        <SettingsForm settings={look} controls={controls}>
          {(typed) => <WidgetPreview typed={typed} name={organization.data.organization.name} />}
        </SettingsForm>
      </Setting>
      <Setting title="Sites" lead="Where the chat is shown. No other page can use it.">
        <WidgetSitesForm />
      </Setting>
      <Setting title="Script" lead="Paste it into each page of your website, anywhere in its head.">
        <Script url={script_url} />
      </Setting>
      <Setting
        title="Signed-in customers"
        lead="Your server can prove who a visitor is: the conversation then belongs to that customer on all devices."
      >
        {canSign ? (
          <WidgetSecret createdAt={secret_created_at} />
        ) : (
          <p className="text-secondary">
            To create the secret you need the permission <code>settings.api_clients</code>.
          </p>
        )}
      </Setting>
    </div>
  );
}

const controls: Controls = {
  'widget.color': (control, value) => (
    <Input {...control} type="color" defaultValue={value} className="h-10 max-w-20 p-1" />
  ),
  'widget.greeting': (control, value) => <TextArea {...control} rows={3} defaultValue={value} maxLength={500} />,
};

function Script({ url }: { readonly url: string }) {
  const tag = `<script src="${url}" async></script>`;
  const { origin } = new URL(url);
  return (
    <div className="grid gap-3">
      <code className="rounded-control bg-sunken px-3 py-2 text-xs leading-5 break-all select-all">{tag}</code>
      <div>
        <CopyButton text={tag} label="Copy script" />
      </div>
      <p className="text-sm text-secondary">
        If your website has a Content-Security-Policy, allow <code className="break-all">{origin}</code> in{' '}
        <code>script-src</code>, and <code className="break-all">{`${origin} ${origin.replace(/^http/, 'ws')}`}</code>{' '}
        in <code>connect-src</code>.
      </p>
    </div>
  );
}
