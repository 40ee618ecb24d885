import type { Config } from './api.ts';
import type { Chat } from './chat.ts';
import { element, icon, setAttributes } from './elements.ts';
import { draftView, messageView } from './message-view.ts';
import { styleSheet } from './style.ts';

const fileTypes = 'image/jpeg,image/png,image/webp,application/pdf';
const maxFileBytes = 10_000_000;
const maxLength = '4000';

/** Shows the button, and the chat when it is open. Returns the function that shows what has changed. */
export function showChat(
  { name, color, position, greeting, opening_hours, is_open, ask_for_email }: Config,
  chat: Chat,
): () => void {
  const host = document.createElement('chowk-chat');
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [styleSheet(color, position)];

  const badge = element('span', { class: 'badge', hidden: true, 'aria-hidden': 'true' });
  const launcher = element(
    'button',
    { class: 'launcher', type: 'button', 'aria-expanded': 'false' },
    icon('chat'),
    badge,
  );
  const close = element('button', { type: 'button', 'aria-label': 'Close chat' }, icon('close'));
  const title = element('h2', { id: 'title', dir: 'auto' }, name);
  const hours = opening_hours ? element('p', { dir: 'auto' }, opening_hours) : undefined;
  const closed = is_open ? undefined : element('p', {}, 'We are closed now. Write to us: we answer when we are back.');
  const log = element('div', { class: 'log', role: 'log', 'aria-label': 'Messages', tabindex: '0' });
  const welcome = greeting
    ? element('div', { class: 'message' }, element('div', { class: 'text', dir: 'auto' }, greeting))
    : undefined;
  const typing = element('div', { class: 'detail typing', role: 'status', dir: 'auto' });
  const composer = makeComposer(chat, ask_for_email);
  const panel = element(
    'div',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'title', hidden: true },
    element('header', {}, element('div', {}, title, hours, closed), close),
    log,
    typing,
    composer.form,
  );
  const news = element('div', { class: 'quiet', role: 'status' });
  root.append(element('section', { 'aria-label': 'Chat' }, panel, launcher, news));
  document.body.append(host);

  const shown = new Map<string, Element>();
  const render = () => {
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    const views: Element[] = welcome ? [welcome] : [];
    for (const message of chat.messages) {
      const view = shown.get(message.id) ?? messageView(message);
      shown.set(message.id, view);
      views.push(view);
    }
    views.push(...chat.drafts.map((draft) => draftView(chat, draft)));
    arrange(log, views);
    const typist = chat.typist === undefined ? '' : `${chat.typist} is typing…`;
    if (typing.textContent !== typist) typing.textContent = typist;
    if (isAtEnd) log.scrollTop = log.scrollHeight;
    const { unread } = chat;
    const waiting = unread === 1 ? '1 unread message' : `${unread} unread messages`;
    setAttributes(launcher, {
      'aria-expanded': String(chat.isOpen),
      'aria-label': chat.isOpen ? 'Close chat' : unread > 0 ? `Open chat, ${waiting}` : 'Open chat',
    });
    launcher.classList.toggle('open', chat.isOpen);
    badge.hidden = unread === 0 || chat.isOpen;
    badge.textContent = unread > 99 ? '99+' : String(unread);
    const text = badge.hidden ? '' : waiting;
    if (news.textContent !== text) news.textContent = text;
    composer.render();
  };

  const toggle = (isOpen: boolean) => {
    chat.isOpen = isOpen;
    panel.hidden = !isOpen;
    render();
    if (!isOpen) return launcher.focus();
    log.scrollTop = log.scrollHeight;
    composer.focus();
    chat.markSeen();
    void chat.begin();
  };
  launcher.onclick = () => toggle(!chat.isOpen);
  close.onclick = () => toggle(false);
  panel.onkeydown = (event) => {
    if (event.key === 'Escape') toggle(false);
    // Shortcuts of the page are not meant.
    event.stopPropagation();
  };
  document.addEventListener('visibilitychange', () => chat.markSeen());
  render();
  return render;
}

/** Leaves what is there where it is, so that screen readers announce only what is new. */
function arrange(parent: Element, children: readonly Element[]): void {
  for (const [index, child] of children.entries()) {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  }
  while (parent.children.length > children.length) parent.lastElementChild?.remove();
}

function makeComposer(chat: Chat, mustHaveEmail: boolean) {
  const email = element('input', { type: 'email', autocomplete: 'email', maxlength: '254', required: mustHaveEmail });
  const emailLabel = element(
    'label',
    {},
    mustHaveEmail ? 'Your email' : 'Your email (optional), to get answers later',
    email,
  );
  const text = element('textarea', {
    'aria-label': 'Message',
    placeholder: 'Write a message',
    maxlength: maxLength,
    rows: '1',
    dir: 'auto',
  });
  const input = element('input', { type: 'file', accept: fileTypes, hidden: true, 'aria-label': 'File' });
  const choose = element('button', { type: 'button', 'aria-label': 'Attach a picture or PDF' }, icon('file'));
  const submit = element('button', { class: 'send', type: 'submit', 'aria-label': 'Send' }, icon('send'));
  const fileName = element('span');
  const removeFile = element('button', { type: 'button' }, 'Remove');
  const chosen = element('div', { class: 'file', hidden: true }, fileName, removeFile);
  const problem = element('div', { class: 'detail problem', role: 'alert' });
  const row = element('div', { class: 'row' }, choose, text, submit, input);
  const form = element('form', { 'aria-label': 'New message' }, emailLabel, chosen, problem, row);
  let file: File | undefined;

  const setFile = (next: File | undefined) => {
    const isTooLarge = next !== undefined && next.size > maxFileBytes;
    problem.textContent = isTooLarge ? 'The file is larger than 10 MB.' : '';
    file = isTooLarge ? undefined : next;
    input.value = '';
    chosen.hidden = file === undefined;
    fileName.textContent = file?.name ?? '';
  };
  choose.onclick = () => input.click();
  input.onchange = () => setFile(input.files?.[0]);
  removeFile.onclick = () => {
    setFile(undefined);
    text.focus();
  };
  text.oninput = () => chat.showTyping();
  text.onkeydown = (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    const body = text.value.trim();
    if (body === '' && file === undefined) return text.focus();
    const address = emailLabel.hidden ? '' : email.value.trim();
    chat.send(body, file, address || undefined);
    text.value = '';
    setFile(undefined);
    text.focus();
  };

  return {
    form,
    focus: () => (mustHaveEmail && chat.needsEmail ? email : text).focus(),
    render: () => {
      emailLabel.hidden = !chat.needsEmail;
      // What is hidden must not keep the form from being sent.
      email.disabled = emailLabel.hidden;
    },
  };
}
