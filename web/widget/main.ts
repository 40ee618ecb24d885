import { Api } from './api.ts';
import { Chat } from './chat.ts';
import { showChat } from './view.ts';
import { readSubject, VisitStore } from './visit.ts';

/* The chat of a shop: `<script src="https://acme.example.com/widget.js" data-identity="…" async></script>` */

/** Only while the script runs for the first time. */
const script = document.currentScript as HTMLScriptElement | null;
if (script) void start(script.src, script.dataset.identity || undefined);

async function start(src: string, identity: string | undefined): Promise<void> {
  const api = new Api(new URL(src).origin);
  // Switched off, or not for this page: nothing is shown.
  const config = await api.config().catch(() => undefined);
  if (!config) return;
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  }
  let render = () => {};
  const store = new VisitStore(api.origin, readSubject(identity));
  const chat = new Chat({ api, config, store, identity, onChange: () => render() });
  render = showChat(config, chat);
}
