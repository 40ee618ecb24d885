import { ChowkError, type CustomerDetail } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { affectedByCustomer } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { customerName } from '../../people/customer-name.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { CustomerForm, type CustomerValues, readCustomer } from './customer-form.tsx';

type Fields = ReturnType<typeof readCustomer>;
const labels: Readonly<Record<keyof Fields, string>> = {
  first_name: 'First name',
  last_name: 'Last name',
  email: 'Email',
  phone: 'Phone',
  notes: 'Notes',
  accepts_marketing: 'Accepts marketing',
};
const names = Object.keys(labels) as (keyof Fields)[];

export function EditCustomer({ customer }: { readonly customer: CustomerDetail }) {
  const can = useCan();
  const navigate = useNavigate();
  const refetch = useRefetch();
  // The record as the form shows it, whatever is read meanwhile.
  const [base] = useState(customer);
  // The version whose changes the user has seen.
  const seen = useRef(customer);
  const [theirs, setTheirs] = useState<CustomerDetail>();
  const { id } = customer;
  const close = () => navigate({ to: '.', search: (search) => ({ ...search, edit: undefined }), replace: true });
  useKeys([{ key: 'Escape', label: 'Stop editing', run: () => void close() }]);
  const form = useForm<CustomerValues>(
    async (values) => {
      setTheirs(undefined);
      const fields = readCustomer(values);
      const changes = Object.fromEntries(
        names.filter((name) => fields[name] !== base[name]).map((name) => [name, fields[name]]),
      );
      const saved = await save(id, changes, seen.current);
      if (!saved) {
        setTheirs((await api().customers.get({ id })).customer);
        throw new Error('Someone else has changed this customer. Nothing has been saved yet.');
      }
      toast(`${customerName(saved)} saved.`);
      await refetch(...affectedByCustomer(id));
      await close();
    },
    { draft: `customer.${id}` },
  );
  const differing = theirs ? names.filter((name) => theirs[name] !== base[name]) : [];
  return (
    <CustomerForm
      form={form}
      customer={base}
      phoneHelp={
        can('customers.view_sensitive') || !customer.phone
          ? undefined
          : 'Masked. It stays as it is unless you type another number.'
      }
      submit="Save"
      onCancel={() => void close()}
    >
      {theirs && (
        <div className="grid gap-3 rounded-control border border-line p-3">
          <p className="font-medium">Their changes</p>
          <dl className="grid gap-1 text-sm">
            {differing.map((name) => (
              <div key={name} className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3">
                <dt className="text-secondary">{labels[name]}</dt>
                <dd className="break-words">{shown(theirs[name])}</dd>
              </div>
            ))}
          </dl>
          <div className="flex flex-wrap gap-2">
            <Button
              onClick={({ currentTarget }) => {
                seen.current = theirs;
                currentTarget.form?.requestSubmit();
              }}
            >
              Save mine over theirs
            </Button>
            <Button
              onClick={() => {
                form.discard();
                void refetch(...affectedByCustomer(id)).then(close);
              }}
            >
              Keep theirs
            </Button>
          </div>
        </div>
      )}
    </CustomerForm>
  );
}

function shown(value: string | boolean | null): string {
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : (value ?? 'None');
}

/**
 * `undefined` if someone else has changed the same record. An order or a tag that came meanwhile is another version too, but no
 * conflict: then the changes are saved on top of it.
 */
async function save(id: string, changes: Partial<Fields>, seen: CustomerDetail) {
  const send = async ({ updated_at }: { readonly updated_at: string }) =>
    (await api().customers.update({ id, ...changes }, { headers: { 'If-Match': `"${updated_at}"` } })).customer;
  try {
    return await send(seen);
  } catch (error) {
    if (!(error instanceof ChowkError) || error.status !== 412) throw error;
  }
  const { customer: latest } = await api().customers.get({ id });
  return names.some((name) => latest[name] !== seen[name]) ? undefined : send(latest);
}
