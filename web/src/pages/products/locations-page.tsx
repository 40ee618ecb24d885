import { productsLimits, type StockLocation } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import { ArrowLeftRight, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useLocations } from './stock-levels.ts';
import { thresholdSetting, useLowStock } from './stock-tone.ts';

/** Where units are kept, and when few are left. */
export function LocationsPage() {
  return (
    <Needs permission="products.view">
      <Page title="Stock locations" isNarrow>
        <Locations />
        <LowStock />
      </Page>
    </Needs>
  );
}

function Locations() {
  const can = useCan();
  const locations = useLocations();
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const actions = can('products.edit') && (
    <span className="flex flex-wrap gap-2">
      {locations.length > 1 && (
        <Button onClick={() => void navigate({ to: '/products/transfer' })}>
          <Icon icon={ArrowLeftRight} />
          Move stock
        </Button>
      )}
      {!isAdding && (
        <Button onClick={() => setAdding(true)}>
          <Icon icon={Plus} />
          Add a location
        </Button>
      )}
    </span>
  );
  return (
    <Section
      title="Locations"
      lead="The places that units are kept at. Stock is changed at one of them."
      actions={actions}
    >
      {locations.length === 0 ? (
        <Skeleton className="h-12 w-full" />
      ) : (
        <ul className="grid border-t border-line">
          {locations.map((location) => (
            <LocationRow key={location.id} location={location} />
          ))}
        </ul>
      )}
      {isAdding && (
        <LocationForm
          action="Add"
          onDone={() => setAdding(false)}
          onSave={async (name) => {
            await api().products.createLocation({ name });
            toast(`${name} added.`);
          }}
        />
      )}
    </Section>
  );
}

function LocationRow({ location }: { readonly location: StockLocation }) {
  const { id, name, is_default: isDefault } = location;
  const can = useCan();
  const [mode, setMode] = useState<'rename' | 'delete'>();
  const done = () => setMode(undefined);
  const remove = useAction((client) => client.products.deleteLocation({ id }), {
    affects: [keys.products.locations, keys.products.allLevels],
    done: () => `${name} deleted.`,
  });
  if (mode === 'rename') {
    return (
      <li className="border-b border-line py-2">
        <LocationForm
          name={name}
          action="Save"
          onDone={done}
          onSave={async (next) => {
            await api().products.updateLocation({ id, name: next });
            toast(`${next} saved.`);
          }}
        />
      </li>
    );
  }
  return (
    <li className="flex min-h-12 items-center gap-2 border-b border-line">
      <span className="min-w-0 flex-1 truncate font-medium">
        {name} {isDefault && <span className="ml-1 text-xs font-normal text-faint">default</span>}
      </span>
      {can('products.edit') && (
        <IconButton label={`Rename ${name}`} onClick={() => setMode('rename')}>
          <Icon icon={Pencil} />
        </IconButton>
      )}
      {can('products.delete') && !isDefault && (
        <IconButton label={`Delete ${name}`} onClick={() => setMode('delete')}>
          <Icon icon={Trash2} />
        </IconButton>
      )}
      <ConfirmDialog
        title="Delete this location?"
        isOpen={mode === 'delete'}
        onClose={done}
        action="Delete location"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: done })}
      >
        <strong className="font-semibold text-text">{name}</strong> is deleted. That is possible only without units:
        move them to another location first.
      </ConfirmDialog>
    </li>
  );
}

interface LocationFormProps {
  readonly name?: string;
  readonly action: string;
  readonly onSave: (name: string) => Promise<void>;
  readonly onDone: () => void;
}

function LocationForm({ name, action, onSave, onDone }: LocationFormProps) {
  const refetch = useRefetch();
  const form = useForm<{ name: string }>(async (values) => {
    await onSave(values.name.trim());
    await refetch(keys.products.locations, keys.products.allLevels);
    onDone();
  });
  return (
    <form {...form.props} className="grid gap-2">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-48 flex-1">
          <Field label="Name of the location" {...form.field('name')}>
            {(control) => (
              <Input
                {...control}
                defaultValue={name}
                maxLength={productsLimits.createLocation.name}
                placeholder="Warehouse Pune"
                autoFocus
              />
            )}
          </Field>
        </div>
        <div className="mt-6.5 flex gap-2">
          <Button type="submit" variant="primary" isBusy={form.isBusy}>
            {action}
          </Button>
          <Button variant="quiet" onClick={onDone}>
            Cancel
          </Button>
        </div>
      </div>
    </form>
  );
}

function LowStock() {
  const can = useCan();
  const data = useLowStock();
  if (data === undefined) return null;
  return (
    <Section
      title="Running out"
      lead="Products with this many available units or fewer, of any variant, are in the view “Running out”."
    >
      {can('settings.edit') ? <ThresholdForm key={data} threshold={data} /> : <p className="numeric">{data} units</p>}
    </Section>
  );
}

function ThresholdForm({ threshold }: { readonly threshold: number }) {
  const refetch = useRefetch();
  const form = useForm<{ threshold: string }>(async ({ threshold: text }) => {
    const units = /^\d+$/.test(text.trim()) ? Number(text) : text;
    await api().settings.update({ [thresholdSetting]: units });
    toast(`${text.trim()} available units or fewer are running out.`);
    await refetch(keys.products.threshold, keys.products.runningOut, keys.products.lists);
  });
  return (
    <form {...form.props} className="flex flex-wrap items-start gap-2">
      <div className="w-40">
        <Field label="Units" name="threshold" error={form.problem}>
          {(control) => <Input {...control} inputMode="numeric" defaultValue={threshold} className="numeric" />}
        </Field>
      </div>
      <Button type="submit" className="mt-6.5" isBusy={form.isBusy}>
        Save
      </Button>
    </form>
  );
}
