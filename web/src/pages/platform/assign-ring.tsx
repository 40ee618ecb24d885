import type { PlatformTenant } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';

interface Values {
  readonly ring: string;
  readonly reason?: string;
}

/** The ring of a tenant, and the choice of another. */
export function AssignRing({ tenant: { id, name, ring } }: { readonly tenant: PlatformTenant }) {
  const refetch = useRefetch();
  const [chosen, setChosen] = useState(ring);
  const { data } = useApi(keys.platform.rings, (client) => client.rings.list());
  const form = useForm<Values>(async (values) => {
    await api().rings.assign({
      name: values.ring,
      tenant_id: id,
      ...(values.reason ? { reason: values.reason } : {}),
    });
    toast(`${name} assigned to the ring ${values.ring}.`);
    await refetch(keys.platform.all);
  });
  const rings = data?.rings.filter((one) => one.is_active || one.name === ring) ?? [];
  return (
    <Section title="Ring" lead="It applies to the next request. Requests in flight finish, and sockets reconnect.">
      <form {...form.props} className="grid gap-3" onReset={() => setChosen(ring)}>
        {form.problem && <Notice tone="error">{form.problem}</Notice>}
        <Field label={`Ring of ${name}`} {...form.field('ring')}>
          {(control) => (
            <Select
              {...control}
              key={rings.length}
              defaultValue={ring}
              onChange={({ target }) => setChosen(target.value)}
            >
              {rings.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.display_name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {chosen !== ring && (
          <>
            <Field label="Reason" help="Kept in the history" {...form.field('reason')}>
              {(control) => <Input {...control} autoComplete="off" />}
            </Field>
            <div className="flex gap-2">
              <Button type="submit" variant="primary" isBusy={form.isBusy}>
                Assign to {chosen}
              </Button>
              <Button variant="quiet" type="reset">
                Cancel
              </Button>
            </div>
          </>
        )}
      </form>
    </Section>
  );
}
