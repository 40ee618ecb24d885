import { ChowkError, type ImapMailbox, type ImapMailboxChanges, type ImapTest, mailboxLimits } from '@chowk/client';
import { useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface Values {
  readonly address: string;
  readonly host: string;
  readonly port: string;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly username: string;
  readonly password: string;
  readonly folder: string;
  readonly import_days: string;
  readonly mark_seen?: string;
}

interface OwnMailboxFormProps {
  readonly mailbox: ImapMailbox | null;
  readonly onClose: () => void;
}

const limits = mailboxLimits.saveImap;
const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** The password is not kept by the browser, and never shown again. */
export function OwnMailboxForm({ mailbox, onClose }: OwnMailboxFormProps) {
  const refetch = useRefetch();
  const isTest = useRef(false);
  const [tested, setTested] = useState<ImapTest>();
  const form = useForm<Values>(async (values) => {
    const input = readMailbox(values);
    if (isTest.current) {
      setTested(undefined);
      const result = await api().mailbox.testImap(input);
      setTested(result);
      if (!result.is_working) throw testFailure(result);
      return;
    }
    await api().mailbox.saveImap(input);
    toast(`Mailbox ${input.address} connected.`);
    await refetch(keys.mailbox.imap);
    onClose();
  });
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  return (
    <form {...form.props} aria-label="Your own mailbox" className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Mail address" help="Customers answer to it." {...form.field('address')}>
        {(control) => (
          <Input
            {...control}
            {...plain}
            type="email"
            defaultValue={mailbox?.address}
            placeholder="hello@shop.example"
            maxLength={limits.address}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_9rem_6rem]">
        <Field label="IMAP server" {...form.field('host')}>
          {(control) => (
            <Input
              {...control}
              {...plain}
              defaultValue={mailbox?.host}
              placeholder="imap.example.com"
              maxLength={limits.host}
            />
          )}
        </Field>
        <Field label="Security" {...form.field('security')}>
          {(control) => (
            <Select {...control} defaultValue={mailbox?.security ?? 'tls'}>
              <option value="tls">TLS</option>
              <option value="starttls">STARTTLS</option>
              <option value="none">None</option>
            </Select>
          )}
        </Field>
        <Field label="Port" {...form.field('port')}>
          {(control) => (
            <Input
              {...control}
              defaultValue={mailbox?.port ?? 993}
              inputMode="numeric"
              autoComplete="off"
              className="numeric"
            />
          )}
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="User name" help="Usually the address." {...form.field('username')}>
          {(control) => <Input {...control} {...plain} defaultValue={mailbox?.username} maxLength={limits.username} />}
        </Field>
        <Field
          label="Password"
          help={
            mailbox
              ? 'Saved, and not shown again. Leave it empty to keep it.'
              : 'Gmail, Outlook and others want an app password. It is not shown again.'
          }
          {...form.field('password')}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              placeholder={mailbox ? '••••••••' : ''}
              maxLength={limits.password}
              autoComplete="new-password"
              spellCheck={false}
            />
          )}
        </Field>
        <Field label="Folder" {...form.field('folder')}>
          {(control) => (
            <>
              <Input
                {...control}
                {...plain}
                defaultValue={mailbox?.folder ?? 'INBOX'}
                maxLength={limits.folder}
                list={`${control.id}-folders`}
              />
              <datalist id={`${control.id}-folders`}>
                {tested?.folders.map((folder) => (
                  <option key={folder} value={folder} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Which mails" {...form.field('import_days')}>
          {(control) => (
            <Select {...control} defaultValue={mailbox?.import_days ?? 0}>
              {importDays(mailbox?.import_days).map((days) => (
                <option key={days} value={days}>
                  {days === 0 ? 'Only new ones' : `Also those of the last ${days} days`}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Checkbox label="Mark them as read in the mailbox" name="mark_seen" defaultChecked={mailbox?.mark_seen} />
      {tested && <TestResult result={tested} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          isBusy={form.isBusy && !isTest.current}
          onClick={() => {
            isTest.current = false;
          }}
        >
          Save mailbox
        </Button>
        <Button
          type="submit"
          isBusy={form.isBusy && isTest.current}
          onClick={() => {
            isTest.current = true;
          }}
        >
          Test
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function TestResult({ result: { is_working, folders, mail_count } }: { readonly result: ImapTest }) {
  return (
    <>
      {is_working && (
        <Notice tone="success">
          It works. The folder has {count(mail_count ?? 0)} {mail_count === 1 ? 'mail' : 'mails'}.
        </Notice>
      )}
      {folders.length > 0 && (
        <p className="text-sm break-words text-secondary">Folders of the mailbox: {folders.join(', ')}</p>
      )}
    </>
  );
}

/** A failed test, as an error of the field that is probably wrong. */
function testFailure({ field, reason }: ImapTest): ChowkError {
  const message = reason ?? 'The mailbox cannot be read.';
  const errors = field === null ? null : { [field]: [message] };
  return new ChowkError(new Response(null, { status: 422 }), { message, errors });
}

function importDays(current = 0): readonly number[] {
  return [...new Set([0, 7, 30, 90, current])].sort((one, other) => one - other);
}

/** What is not a number is sent as it is, and refused with a reason. */
function readMailbox(values: Values): ImapMailboxChanges {
  const { address, host, port, security, username, password, folder, import_days, mark_seen } = values;
  const typed = port.trim();
  return {
    address: address.trim(),
    host: host.trim(),
    port: /^\d+$/.test(typed) ? Number(typed) : (typed as unknown as number),
    security,
    username: username.trim(),
    folder: folder.trim(),
    import_days: Number(import_days),
    mark_seen: mark_seen !== undefined,
    ...(password !== '' && { password }),
  };
}
