import { conversationsLimits } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeft, SquarePen, X } from 'lucide-react';
import { useState } from 'react';
import { affectedByConversation, affectedByCustomer } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { clearDraft } from '../../form/draft.ts';
import { submit } from '../../form/submission.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { type Form, useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { customerName } from '../../people/customer-name.ts';
import { CustomerSearch } from '../../people/customer-search.tsx';
import type { Search } from '../../routing/search-params.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Channel, channels } from './conversation-list.ts';
import { TemplateChoice } from './template-choice.tsx';
import { type FilledTemplate, isFilled, templateText } from './template-text.ts';
import { useTemplates } from './use-templates.ts';

/** `customer_id` in the address chooses the customer; `new_channel` and `subject` are suggestions. */
export function NewConversationPage() {
  const search = listSearch(useSearch({ from: '/shell/conversations' }));
  const navigate = useNavigate();
  const close = () => void navigate({ to: '/conversations', search });
  useKeys([{ key: 'Escape', label: 'Back to the list', run: close }]);
  return (
    <div className="min-h-0 overflow-y-auto px-4 py-3 md:px-6">
      <title>New conversation · Chowk</title>
      <div className="mx-auto grid max-w-xl gap-4">
        <div className="flex min-h-9 items-center gap-2">
          <IconButton label="Back to the list" className="-ml-2 lg:hidden" onClick={close}>
            <Icon icon={ArrowLeft} size={18} />
          </IconButton>
          <h1 className="text-lg font-semibold tracking-tight">New conversation</h1>
        </div>
        <Needs permission="conversations.reply">
          <NewConversationForm />
        </Needs>
      </div>
    </div>
  );
}

function listSearch({ customer_id: _, new_channel: __, subject: ___, ...search }: Search): Search {
  return search;
}

/** One for each customer, or a message would reach another. */
function draftName(customerId: string | undefined): string {
  return `conversation.new.${customerId ?? ''}`;
}

interface ConversationValues {
  readonly channel: Channel;
  readonly subject: string;
  readonly 'message.body': string;
  /** A new customer. */
  readonly 'customer.first_name'?: string;
  readonly 'customer.last_name'?: string;
  readonly 'customer.email'?: string;
  readonly 'customer.phone'?: string;
}

const limits = conversationsLimits.create;

function NewConversationForm() {
  const search: Search = useSearch({ from: '/shell/conversations' });
  const { customer_id: customerId, new_channel: suggested = '', subject } = search;
  const navigate = useNavigate();
  const refetch = useRefetch();
  const [template, setTemplate] = useState<FilledTemplate>();
  const templates = useTemplates(template !== undefined).data?.templates;
  const chosen = templates?.find(({ id }) => id === template?.id);
  const choose = (id: string | undefined) =>
    void navigate({ to: '.', search: { ...search, customer_id: id }, replace: true });
  const form = useForm<ConversationValues, 'customer'>(
    async (values) => {
      const text = (name: keyof ConversationValues) => values[name]?.trim() || undefined;
      const customer = customerId
        ? { id: customerId }
        : {
            email: text('customer.email'),
            phone: text('customer.phone'),
            first_name: text('customer.first_name'),
            last_name: text('customer.last_name'),
          };
      if (Object.values(customer).every((value) => value === undefined)) {
        throw new Error('Choose a customer, or enter the email address or phone number of a new one.');
      }
      if (chosen && template && !isFilled(chosen, template.variables)) {
        throw new Error('Fill in the variables of the template.');
      }
      const message =
        chosen && template
          ? { body: templateText(chosen, template.variables), template }
          : { body: text('message.body') };
      const { conversation } = await submit(draftName(customerId), api().conversations.create, {
        customer,
        channel: values.channel,
        subject: text('subject') ?? '',
        ...(message.body !== undefined && { message: { ...message, body: message.body } }),
      });
      // What was typed before the customer was chosen.
      clearDraft(draftName(undefined));
      toast(`Conversation with ${customerName(conversation.customer)} started.`);
      void refetch(...affectedByConversation(conversation.id), ...affectedByCustomer(conversation.customer_id));
      await navigate({ to: '/conversations/$id', params: { id: conversation.id }, search: listSearch(search) });
    },
    { draft: draftName(customerId) },
  );
  const { typed, props } = useTypedValues<ConversationValues>(form.props);
  const delivery = useApi(keys.conversations.channels(customerId), (client) =>
    client.conversations.channels(customerId === undefined ? {} : { customer_id: customerId }),
  ).data?.channels.find(({ channel }) => channel === typed.channel);
  const needsTemplate = delivery?.needs_template ?? false;
  if (delivery && !needsTemplate && template) setTemplate(undefined);
  return (
    <form {...props} className="grid grid-cols-1 gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {customerId ? (
        <Chosen id={customerId} onRemove={() => choose(undefined)} />
      ) : (
        <Recipient form={form} onChoose={choose} />
      )}
      <div className="grid grid-cols-[9rem_minmax(0,1fr)] gap-4">
        <Field label="Channel" {...form.field('channel')}>
          {(control) => (
            <Select {...control} defaultValue={Object.hasOwn(channels, suggested) ? suggested : 'email'}>
              {Object.entries(channels).map(([channel, { label }]) => (
                <option key={channel} value={channel}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Subject" {...form.field('subject')}>
          {(control) => <Input {...control} defaultValue={subject} maxLength={limits.subject} placeholder="Optional" />}
        </Field>
      </div>
      {needsTemplate && <TemplateChoice value={template} onChange={setTemplate} />}
      {!chosen && (
        <Field label="Message" {...form.field('message.body')} help="Optional.">
          {(control) => <TextArea {...control} rows={6} maxLength={limits['message.body']} />}
        </Field>
      )}
      {delivery && !delivery.is_sent && !chosen && (
        <p className="flex gap-1.5 text-sm text-warning">
          <Icon icon={SquarePen} className="mt-0.5 shrink-0" />
          <span>The message will only be logged. {delivery.reason}</span>
        </p>
      )}
      {delivery?.notice && <p className="text-sm text-secondary">{delivery.notice}</p>}
      <div className="flex justify-end gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Start conversation
        </Button>
      </div>
    </form>
  );
}

function Chosen({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const { data, error } = useApi(keys.customers.detail(id), (client) => client.customers.get({ id }));
  const customer = data?.customer;
  return (
    <div className="grid gap-1.5">
      <span className="text-sm font-medium">Customer</span>
      <div className="flex items-center gap-3 rounded-control border border-line bg-surface py-1 pr-1 pl-3">
        <span className="min-w-0 flex-1 truncate">
          {error ? 'This customer cannot be shown.' : customer ? customerName(customer) : 'Loading…'}
          {customer?.email && <span className="text-secondary"> · {customer.email}</span>}
        </span>
        <IconButton label="Choose another customer" onClick={onRemove}>
          <Icon icon={X} />
        </IconButton>
      </div>
    </div>
  );
}

interface RecipientProps {
  readonly form: Form<ConversationValues, 'customer'>;
  readonly onChoose: (id: string) => void;
}

/** A known customer is found while one types the name; a new one has an address or a number. */
function Recipient({ form, onChoose }: RecipientProps) {
  const can = useCan()('customers.view');
  return (
    <>
      {can && (
        <div className="grid gap-1.5">
          <span className="text-sm font-medium">Find a customer</span>
          <CustomerSearch label="Find a customer" onChoose={onChoose} />
        </div>
      )}
      <fieldset className="grid gap-4 border-t border-line pt-4 sm:grid-cols-2">
        <legend className="contents">
          <span className="text-sm text-secondary sm:col-span-2">{can ? 'Or a new customer' : 'The customer'}</span>
        </legend>
        <Field label="First name" {...form.field('customer.first_name')}>
          {(control) => <Input {...control} maxLength={limits['customer.first_name']} />}
        </Field>
        <Field label="Last name" {...form.field('customer.last_name')}>
          {(control) => <Input {...control} maxLength={limits['customer.last_name']} />}
        </Field>
        <Field
          label="Email"
          {...form.field('customer.email')}
          error={form.errors['customer.email'] ?? form.errors.customer}
        >
          {(control) => <Input {...control} type="email" />}
        </Field>
        <Field label="Phone" {...form.field('customer.phone')}>
          {(control) => <Input {...control} type="tel" className="numeric" />}
        </Field>
      </fieldset>
    </>
  );
}
