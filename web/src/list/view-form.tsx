import { viewsLimits } from '@chowk/client';
import type { ReactNode } from 'react';
import { useForm } from '../form/use-form.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import type { ViewFields } from './saved-views.ts';

interface ViewFormProps {
  /** `undefined` for a new one. */
  readonly view?: ViewFields;
  readonly onSave: (fields: ViewFields) => Promise<void>;
  /** Further buttons. */
  readonly children?: ReactNode;
}

export function ViewForm({ view, onSave, children }: ViewFormProps) {
  const form = useForm<{ readonly name: string; readonly is_shared: string }>(({ name, is_shared }) =>
    onSave({ name: name.trim(), is_shared: is_shared === 'true' }),
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Name of the view" help="It has the filters and the order of the list." {...form.field('name')}>
        {(control) => (
          <Input
            {...control}
            defaultValue={view?.name}
            maxLength={viewsLimits.create.name}
            autoComplete="off"
            autoFocus
          />
        )}
      </Field>
      <Field label="Who sees it" {...form.field('is_shared')}>
        {(control) => (
          <Select {...control} defaultValue={String(view?.is_shared ?? false)}>
            <option value="false">Only me</option>
            <option value="true">The whole team</option>
          </Select>
        )}
      </Field>
      <div className="grid gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save
        </Button>
        {children}
      </div>
    </form>
  );
}
