import type { ChatMessage } from './api.ts';
import type { Chat, Draft } from './chat.ts';
import { element } from './elements.ts';

export function messageView({ direction, body, author, sent_at, attachments }: ChatMessage): HTMLElement {
  const isOwn = direction === 'inbound';
  const time = new Date(sent_at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  return element(
    'div',
    { class: isOwn ? 'message own' : 'message' },
    element('span', { class: 'quiet' }, isOwn ? 'You: ' : `${author ?? 'Answer'}: `),
    body ? element('div', { class: 'text', dir: 'auto' }, ...linked(body)) : undefined,
    ...attachments.map(({ file_name, url }) =>
      element('div', { class: 'text' }, url === null ? file_name : link(url, file_name)),
    ),
    element('div', { class: 'detail', dir: 'auto' }, isOwn || author === null ? time : `${author} · ${time}`),
  );
}

export function draftView(chat: Chat, draft: Draft): HTMLElement {
  const { body, file, problem } = draft;
  const again = element('button', { type: 'button' }, 'Try again');
  again.onclick = () => chat.retry(draft);
  const remove = element('button', { type: 'button' }, 'Remove');
  remove.onclick = () => chat.discard(draft);
  return element(
    'div',
    { class: 'message own' },
    body ? element('div', { class: 'text', dir: 'auto' }, body) : undefined,
    file && element('div', { class: 'text' }, file.name),
    problem === undefined
      ? element('div', { class: 'detail' }, 'Sending…')
      : element('div', { class: 'detail problem' }, problem, ' ', again, remove),
  );
}

/** The addresses in a text become links. */
function linked(text: string): (Node | string)[] {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, index) => (index % 2 === 1 ? link(part, part) : part));
}

function link(url: string, text: string): HTMLElement {
  return element('a', { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' }, text);
}
