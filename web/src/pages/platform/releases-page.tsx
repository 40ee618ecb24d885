import type { NewReleaseChannel, ReleaseChannel } from '@chowk/client';
import { ChowkError } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { toast } from '../../ui/toast.tsx';
import { PlatformLayout } from './platform-layout.tsx';

type Adapter = ReleaseChannel['adapter'];

const adapters: Readonly<Record<Adapter, string>> = {
  gitlab: 'GitLab packages',
  s3: 'S3 bucket',
  static: 'A manifest at an address',
};

const fields: Readonly<Record<Adapter, readonly (readonly [name: string, label: string])[]>> = {
  gitlab: [
    ['project', 'Project'],
    ['api_url', 'Address of the API'],
    ['token', 'Token'],
  ],
  s3: [
    ['bucket', 'Bucket'],
    ['region', 'Region'],
    ['manifest_key', 'Key of the manifest'],
  ],
  static: [['manifest_url', 'Address of the manifest']],
};

/** Where members get the releases of the command-line client. */
export function ReleasesPage() {
  const { data, error } = useApi(keys.platform.channel, (client) => client.releases.getChannel());
  const isUnset = error instanceof ChowkError && error.code === 'releases.no_channel';
  return (
    <PlatformLayout tab="/platform/releases">
      <div className="grid min-h-0 max-w-2xl flex-1 content-start gap-6 overflow-y-auto pt-4 pb-12">
        <Section
          title="Release channel"
          lead="Members of this organization get releases of the command-line client from here."
        >
          {data || isUnset ? (
            <Channel key={JSON.stringify(data)} channel={data?.channel} />
          ) : (
            <Loading error={error} className="h-60" />
          )}
        </Section>
      </div>
    </PlatformLayout>
  );
}

function Channel({ channel }: { readonly channel: ReleaseChannel | undefined }) {
  const canManage = useCan()('platform.releases.manage');
  return (
    <>
      {!channel && <Notice>No channel is set, neither here nor in the environment.</Notice>}
      {channel?.is_default && <Notice>This is the channel of the environment. Save another one to replace it.</Notice>}
      {canManage ? (
        <ChannelForm channel={channel} />
      ) : (
        channel && (
          <dl className="grid grid-cols-[10rem_1fr] gap-y-2">
            <dt className="text-secondary">Source</dt>
            <dd>{adapters[channel.adapter]}</dd>
            {Object.entries(channel.config).map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-secondary">{fields[channel.adapter].find(([one]) => one === name)?.[1] ?? name}</dt>
                <dd className="min-w-0 break-all">{value}</dd>
              </div>
            ))}
          </dl>
        )
      )}
    </>
  );
}

type Values = Readonly<Record<string, string>> & { readonly adapter: Adapter };

function ChannelForm({ channel }: { readonly channel: ReleaseChannel | undefined }) {
  const refetch = useRefetch();
  const [adapter, setAdapter] = useState<Adapter>(channel?.adapter ?? 'gitlab');
  const form = useForm<Values>(async ({ adapter: chosen, ...values }) => {
    const config = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (value ? [[name.replace('config.', ''), value]] : [])),
    );
    await api().releases.setChannel({ adapter: chosen, config } as NewReleaseChannel);
    toast('Release channel saved.');
    await refetch(keys.platform.channel);
  });
  const reset = useAction((client) => client.releases.removeChannel(), {
    affects: [keys.platform.channel],
    done: () => 'The channel of the environment is used again.',
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Source" {...form.field('adapter')}>
        {(control) => (
          <Select {...control} value={adapter} onChange={({ target }) => setAdapter(target.value as Adapter)}>
            {Object.entries(adapters).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {fields[adapter].map(([name, label]) => (
        <Field
          key={`${adapter} ${name}`}
          label={label}
          help={name === 'token' ? 'Stored encrypted and not shown again' : undefined}
          {...form.field(`config.${name}`)}
        >
          {(control) => {
            const value = channel?.adapter === adapter ? (channel.config[name] ?? '') : '';
            const Control = name === 'token' ? PasswordInput : Input;
            return <Control {...control} autoComplete="off" defaultValue={value} />;
          }}
        </Field>
      ))}
      <div className="flex justify-end gap-2">
        {channel && !channel.is_default && (
          <Button variant="quiet" isBusy={reset.isPending} onClick={() => reset.mutate(undefined)}>
            Use the channel of the environment
          </Button>
        )}
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
