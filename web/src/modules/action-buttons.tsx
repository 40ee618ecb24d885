import type { ConsoleAction, ConsoleEntry } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../api/query-keys.ts';
import { useRefetch } from '../api/use-action.ts';
import { submit } from '../form/submission.ts';
import { useForm } from '../form/use-form.ts';
import { errorMessage } from '../format/error-message.ts';
import { api } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Field, Input, Select, TextArea } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { actionInput, fieldText, parentInput, type Row } from './entry-data.ts';

interface ActionButtonsProps {
  readonly entry: ConsoleEntry;
  /** The customer or the order of a section. */
  readonly id: string | undefined;
  /** For the actions on it; without it, for the others. */
  readonly row?: Row;
  /** A row was deleted, or may be gone. */
  readonly onDone?: () => void;
}

/** The actions of an entry that the user may call. */
export function ActionButtons({ entry, id, row, onDone }: ActionButtonsProps) {
  const offered = entry.actions.filter((action) => action.row.length > 0 === (row !== undefined));
  return offered.map((action, index) => (
    <ActionButton
      key={action.name}
      entry={entry}
      action={action}
      id={id}
      row={row}
      onDone={onDone}
      isFirst={index === 0 && row === undefined && entry.place === 'page'}
    />
  ));
}

interface ActionButtonProps extends Pick<ActionButtonsProps, 'entry' | 'id'> {
  readonly action: ConsoleAction;
  readonly row: Row | undefined;
  readonly onDone: (() => void) | undefined;
  readonly isFirst: boolean;
}

/** Asks for the input, or before something is deleted; else it acts at once. */
function ActionButton({ entry, action, id, row, onDone, isFirst }: ActionButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const refetch = useRefetch();
  const isDeletion = action.method === 'DELETE';
  const close = () => setOpen(false);
  const send = async (input: Row) => {
    const path = Object.fromEntries(action.row.map((name) => [name, row?.[name]]));
    const all = { ...parentInput(action, id), ...path, ...input };
    const call = (fields: Row, options: { readonly idempotencyKey: string }) =>
      api().send(action.route, fields, options);
    const answer = (await submit(action.name, call, all)) as { message?: string } | undefined;
    close();
    toast(answer?.message ?? `${action.label}: done.`);
    if (isDeletion) onDone?.();
    await refetch(keys.moduleEntries(entry.module));
  };
  const run = async () => {
    setBusy(true);
    await send({}).catch((error) => toast(errorMessage(error)));
    setBusy(false);
  };
  const asks = isDeletion || action.fields.length > 0;
  return (
    <>
      <Button
        variant={isFirst ? 'primary' : 'secondary'}
        isBusy={isBusy && !isOpen}
        onClick={() => (asks ? setOpen(true) : void run())}
      >
        {action.label}
      </Button>
      {isDeletion ? (
        <ConfirmDialog
          title={`${action.label}?`}
          isOpen={isOpen}
          onClose={close}
          action={action.label}
          isBusy={isBusy}
          onConfirm={() => void run().then(close)}
        >
          This cannot be undone.
        </ConfirmDialog>
      ) : (
        <Dialog title={action.label} isOpen={isOpen} onClose={close}>
          <ActionForm action={action} row={row} onSend={send} />
        </Dialog>
      )}
    </>
  );
}

interface ActionFormProps {
  readonly action: ConsoleAction;
  readonly row: Row | undefined;
  readonly onSend: (input: Row) => Promise<void>;
}

function ActionForm({ action, row, onSend }: ActionFormProps) {
  const form = useForm<Readonly<Record<string, string>>>((typed) => onSend(actionInput(action, typed, row)));
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {action.fields.map((field) => {
        const { name, kind, options, is_required } = field;
        const value = fieldText(field, row?.[name]);
        if (kind === 'boolean') {
          return <Checkbox key={name} label={field.label} name={name} defaultChecked={value !== ''} />;
        }
        return (
          <Field key={name} label={field.label} help={field.help ?? undefined} {...form.field(name)}>
            {(control) =>
              kind === 'choice' ? (
                <Select {...control} defaultValue={value}>
                  {!is_required && <option value="" />}
                  {options.map((option) => (
                    <option key={option}>{option}</option>
                  ))}
                </Select>
              ) : kind === 'long_text' ? (
                <TextArea {...control} defaultValue={value} rows={4} maxLength={field.max_length ?? undefined} />
              ) : (
                <Input
                  {...control}
                  {...inputProps(kind)}
                  defaultValue={value}
                  maxLength={field.max_length ?? undefined}
                />
              )
            }
          </Field>
        );
      })}
      <Button type="submit" variant="primary" isBusy={form.isBusy}>
        {action.label}
      </Button>
    </form>
  );
}

function inputProps(kind: ConsoleAction['fields'][number]['kind']) {
  if (kind === 'date') return { type: 'date' };
  if (kind === 'time') return { type: 'datetime-local' };
  const isNumeric = kind === 'number' || kind === 'money';
  return isNumeric ? ({ inputMode: 'decimal', className: 'numeric max-w-40', autoComplete: 'off' } as const) : {};
}
