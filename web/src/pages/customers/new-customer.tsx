import { useNavigate, useSearch } from '@tanstack/react-router';
import { affectedByCustomer } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { customerName } from '../../people/customer-name.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { toast } from '../../ui/toast.tsx';
import { CustomerForm, type CustomerValues, readCustomer } from './customer-form.tsx';
import { listSearch } from './customer-list.ts';

const draft = 'customer.new';

export function NewCustomer() {
  const search = listSearch(useSearch({ from: '/shell/customers' }));
  const navigate = useNavigate();
  const refetch = useRefetch();
  const close = () => void navigate({ to: '/customers', search });
  const form = useForm<CustomerValues>(
    async (values) => {
      const { customer } = await submit(draft, api().customers.create, readCustomer(values));
      toast(`${customerName(customer)} created.`);
      await refetch(...affectedByCustomer(customer.id));
      await navigate({ to: '/customers/$id', params: { id: customer.id }, search, replace: true });
    },
    { draft },
  );
  return (
    <DetailPanel title="New customer" onClose={close}>
      <Needs permission="customers.create">
        <CustomerForm
          form={form}
          submit="Create customer"
          phoneHelp="A phone, an email or a first name is required."
          onCancel={close}
        />
      </Needs>
    </DetailPanel>
  );
}
