import { Link } from '@tanstack/react-router';
import { useCan } from '../api/use-api.ts';
import { useMemberName } from '../people/member-name.ts';
import type { Change } from './read-changes.ts';
import { describeChange, type ThingKind } from './sentence.ts';

interface ChangeSentenceProps {
  readonly change: Change;
  /** Instead of its name, on the page of the record: `this customer`. */
  readonly thisThing?: string;
}

/** `Asha cancelled order 1002`. */
export function ChangeSentence({ change, thisThing }: ChangeSentenceProps) {
  const memberName = useMemberName();
  const { before, thing, after } = describeChange(change);
  return (
    <span className="min-w-0 break-words">
      <Person change={change} name={memberName(change.user_id)} />{' '}
      <span className="text-secondary">
        {before}
        {thing && (thisThing ?? <Thing kind={thing} change={change} memberName={memberName} />)}
        {after}
      </span>
    </span>
  );
}

interface PersonProps {
  readonly change: Change;
  readonly name: string | undefined;
}

function Person({ change: { user_id, transport }, name }: PersonProps) {
  if (name !== undefined) return <span className="inline-block font-medium first-letter:uppercase">{name}</span>;
  const isPlatform = user_id === null || ['job', 'command', 'system'].includes(transport);
  return <span className="font-medium">{isPlatform ? 'The platform' : 'Someone'}</span>;
}

interface ThingProps {
  readonly kind: ThingKind;
  readonly change: Change;
  readonly memberName: (id: number) => string | undefined;
}

const pages = {
  order: { to: '/orders/$id', permission: 'orders.view', unknown: 'an order' },
  customer: { to: '/customers/$id', permission: 'customers.view', unknown: 'a customer' },
  product: { to: '/products/$id', permission: 'products.view', unknown: 'a product' },
  conversation: { to: '/conversations/$id', permission: 'conversations.view', unknown: 'a conversation' },
  member: { to: '/team/$id', permission: 'team.view', unknown: 'a member' },
} as const;

function Thing({ kind, change: { resource_id: id, name, action }, memberName }: ThingProps) {
  const can = useCan();
  const { to, permission, unknown } = pages[kind];
  const known = kind === 'member' ? memberName(Number(id)) : kind === 'order' ? name && `order ${name}` : name;
  // Without a name it may be gone.
  const isThere = known !== undefined || (kind === 'conversation' && !action.endsWith('.delete'));
  if (id === null || !isThere || !can(permission)) return known ?? unknown;
  return (
    <Link to={to} params={{ id }} className="text-text underline-offset-4 hover:underline">
      {known ?? unknown}
    </Link>
  );
}
