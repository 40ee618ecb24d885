import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useApi } from '../../api-query.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { nameOf } from './customer-list.ts';

export function CustomerPanel() {
  const { id } = useParams({ from: '/shell/customers/$id' });
  const search = useSearch({ from: '/shell/customers' });
  const navigate = useNavigate();
  const { data, error } = useApi(['customers', id], (client) => client.customers.get({ id }));
  return (
    <DetailPanel
      title={data && nameOf(data.customer)}
      error={error}
      onClose={() => void navigate({ to: '/customers', search })}
    >
      <p>{data?.customer.email}</p>
    </DetailPanel>
  );
}
