import type { PlatformTenant } from '@chowk/client';
import { ArrowLeftRight, Copy, Download, Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { saveFile } from '../../screen/save-file.ts';
import { api } from '../../session/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { isChanging } from './tenant-list.ts';

interface TenantProps {
  readonly tenant: PlatformTenant;
}

const titles = { suspend: 'Suspend this tenant', clone: 'Copy this tenant', move: 'Move this tenant' };

/** What can be done with a tenant now. */
export function TenantActions({ tenant }: TenantProps) {
  const { id, name, status, role } = tenant;
  const [asked, setAsked] = useState<keyof typeof titles>();
  const close = () => setAsked(undefined);
  const affects = [keys.platform.tenants, keys.platform.histories];
  const { data: servers } = useApi(keys.platform.servers, (client) => client.platform.listServers());
  const resume = useAction((client) => client.platform.resumeTenant({ id }), {
    affects,
    done: () => `${name} resumed.`,
  });
  const download = useAction(
    async (client) => {
      const response = await client.platform.exportTenant({ id });
      saveFile(await response.blob(), `${id}-${new Date().toISOString().slice(0, 10)}.zip`);
    },
    { affects, done: () => `${name} exported.` },
  );
  if (isChanging(tenant)) return null;
  const Form = asked && { suspend: SuspendForm, clone: CloneForm, move: MoveForm }[asked];
  return (
    <>
      {status === 'suspended' && (
        <Button variant="primary" isBusy={resume.isPending} onClick={() => resume.mutate(undefined)}>
          Resume
        </Button>
      )}
      {status === 'active' && role !== 'platform_owner' && <Button onClick={() => setAsked('suspend')}>Suspend</Button>}
      <Menu
        trigger={
          <IconButton label={download.isPending ? 'Exporting' : 'More actions'} disabled={download.isPending}>
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        <MenuItem icon={Download} onSelect={() => download.mutate(undefined)}>
          Export
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => setAsked('clone')}>
          Copy
        </MenuItem>
        {(servers?.servers.length ?? 0) > 1 && (
          <MenuItem icon={ArrowLeftRight} onSelect={() => setAsked('move')}>
            Move to another database server
          </MenuItem>
        )}
      </Menu>
      <Dialog title={asked ? titles[asked] : ''} isOpen={asked !== undefined} onClose={close}>
        {Form && <Form tenant={tenant} onClose={close} />}
      </Dialog>
    </>
  );
}

interface TenantFormProps extends TenantProps {
  readonly onClose: () => void;
}

function SuspendForm({ tenant: { id, name }, onClose }: TenantFormProps) {
  const refetch = useRefetch();
  const form = useForm<{ readonly reason: string }>(async ({ reason }) => {
    await api().platform.suspendTenant({ id, ...(reason ? { reason } : {}) });
    toast(`${name} suspended.`);
    onClose();
    await refetch(keys.platform.tenants, keys.platform.histories);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <p className="text-secondary">
        All requests of <strong className="font-medium text-text">{name}</strong> are refused until it is resumed. Its
        jobs wait, and its data stays.
      </p>
      <Field label="Reason" help="For operators" {...form.field('reason')}>
        {(control) => <Input {...control} autoFocus autoComplete="off" />}
      </Field>
      <Buttons action="Suspend" isDangerous isBusy={form.isBusy} onClose={onClose} />
    </form>
  );
}

function CloneForm({ tenant: { id, name }, onClose }: TenantFormProps) {
  const refetch = useRefetch();
  const form = useForm<{ readonly new_id: string }>(async ({ new_id }) => {
    await api().platform.cloneTenant({ id, new_id });
    toast(`${name} is being copied to ${new_id}.`);
    onClose();
    await refetch(keys.platform.tenants);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <p className="text-secondary">
        The copy has the same data and members. It sends nothing until its webhooks and providers are set up.
      </p>
      <Field label="Id of the copy" help="Also its address. It cannot be changed later." {...form.field('new_id')}>
        {(control) => <Input {...control} autoFocus autoComplete="off" defaultValue={`${id}-copy`} />}
      </Field>
      <Buttons action="Copy" isBusy={form.isBusy} onClose={onClose} />
    </form>
  );
}

function MoveForm({ tenant: { id, name, database_server }, onClose }: TenantFormProps) {
  const refetch = useRefetch();
  const { data } = useApi(keys.platform.servers, (client) => client.platform.listServers());
  const form = useForm<{ readonly server: string }>(async ({ server }) => {
    await api().platform.moveTenant({ id, server });
    toast(`${name} is being moved to ${server}.`);
    onClose();
    await refetch(keys.platform.tenants, keys.platform.histories);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <p className="text-secondary">
        The tenant stays in use while its data is copied, and is paused for seconds at the end.
      </p>
      <Field label="Database server" {...form.field('server')}>
        {(control) => (
          <Select {...control}>
            {data?.servers
              .filter((server) => server.name !== database_server)
              .map((server) => (
                <option key={server.name} value={server.name}>
                  {server.name} ({server.tenants} {server.tenants === 1 ? 'tenant' : 'tenants'})
                </option>
              ))}
          </Select>
        )}
      </Field>
      <Buttons action="Move" isBusy={form.isBusy} onClose={onClose} />
    </form>
  );
}

interface ButtonsProps {
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly isBusy: boolean;
  readonly onClose: () => void;
}

function Buttons({ action, isDangerous = false, isBusy, onClose }: ButtonsProps) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" variant={isDangerous ? 'danger' : 'primary'} isBusy={isBusy}>
        {action}
      </Button>
    </div>
  );
}
