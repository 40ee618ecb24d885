import type { Member } from '@chowk/client';
import { Crown } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

/** For an owner: makes another member the owner instead. */
export function TransferOwnership({ member }: { readonly member: Member }) {
  const { data: me } = useMe();
  const [isOpen, setOpen] = useState(false);
  if (me?.role !== 'Owner' || member.id === me.id || member.role === 'Owner') return null;
  return (
    <>
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        <Icon icon={Crown} />
        Transfer ownership
      </Button>
      <Dialog title={`Make ${member.name} the owner?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <TransferForm member={member} ownId={me.id} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface TransferFormProps {
  readonly member: Member;
  readonly ownId: number;
  readonly onClose: () => void;
}

/** First the new owner: there is never none. */
function TransferForm({ member: { id, name, email_verified }, ownId, onClose }: TransferFormProps) {
  const refetch = useRefetch();
  const { data } = useApi(keys.team.roles, (client) => client.roles.list());
  const roles = data?.roles.flatMap(({ name: role }) => (role === 'Owner' ? [] : [role])) ?? ['Admin'];
  const form = useForm<{ readonly role: string }>(async ({ role }) => {
    await api().team.update({ id, role: 'Owner' });
    await api().team.update({ id: ownId, role });
    onClose();
    toast(`Ownership transferred to ${name}. Your role changed to ${role}.`);
    await refetch(keys.team.all, keys.me);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {!email_verified && (
        <Notice tone="warning">{name} has not verified the email address yet. Wait until that is done.</Notice>
      )}
      <ul className="grid list-disc gap-1.5 pl-4 break-words text-secondary">
        <li>{name} may then do everything, also remove you.</li>
        <li>You cannot undo this yourself.</li>
        <li>Your API clients and tokens keep only what your new role allows.</li>
      </ul>
      <Field label="Your role from then on" {...form.field('role')}>
        {(control) => (
          // Rendered again once the organization's own roles have been read.
          <Select key={roles.length} {...control} defaultValue="Admin">
            {roles.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy} disabled={!email_verified}>
          Transfer ownership
        </Button>
      </div>
    </form>
  );
}
