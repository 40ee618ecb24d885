import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useIsWithinOwn } from './own-permissions.ts';

interface InviteButtonProps {
  /** Both or none: the page of the invitations has it in its address. */
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

export function InviteButton({ isOpen: isOpenOutside, onOpenChange }: InviteButtonProps) {
  const [isOpenInside, setOpenInside] = useState(false);
  const isOpen = isOpenOutside ?? isOpenInside;
  const setOpen = onOpenChange ?? setOpenInside;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon icon={UserPlus} />
        Invite
      </Button>
      <Dialog title="Invite a colleague" isOpen={isOpen} onClose={() => setOpen(false)}>
        <InviteForm onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface Values {
  readonly email: string;
  readonly role: string;
}

function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { data } = useApi(keys.team.roles, (client) => client.roles.list());
  const refetch = useRefetch();
  const isWithinOwn = useIsWithinOwn();
  const form = useForm<Values>(async ({ email, role }) => {
    await api().invitations.create({ email, role });
    onDone();
    toast(`An invitation is on its way to ${email}.`);
    await refetch(keys.team.invitations);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Email" {...form.field('email')}>
        {(control) => <Input {...control} type="email" autoComplete="off" autoFocus />}
      </Field>
      <Field label="Role" help="What they may do. You can change it later." {...form.field('role')}>
        {(control) => (
          <Select {...control} key={data ? 'loaded' : 'loading'} defaultValue="Agent">
            {(data?.roles ?? []).filter(isWithinOwn).map(({ id, name, description }) => (
              <option key={id} value={name}>
                {description ? `${name}: ${description}` : name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Send invitation
        </Button>
      </div>
    </form>
  );
}
