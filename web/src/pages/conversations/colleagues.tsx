import { useEffect, useRef, useState } from 'react';
import { useMe } from '../../api/use-api.ts';
import { openEcho } from '../../live/open-echo.ts';
import { api, useSessionState, useTenant } from '../../session/session.ts';

interface Colleague {
  readonly id: number;
  readonly name: string;
}

/** Who has not typed for this long has stopped. Longer than the pause between two reports. */
const typingMs = 5_000;
const reportPauseMs = 3_000;

const without = (id: number) => (people: readonly Colleague[]) => people.filter((one) => one.id !== id);

/** No user has this id. */
const visitorId = 0;

/** The colleagues who have the conversation open, and who is writing: one of them, or the visitor of a web chat. */
export function useColleagues(id: string, visitorName: string) {
  const tenant = useTenant();
  const isSignedIn = useSessionState() === 'signed-in';
  const ownId = useMe().data?.id ?? 0;
  const [present, setPresent] = useState<readonly Colleague[]>([]);
  const [typing, setTyping] = useState<readonly Colleague[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tenant has a socket of its own
  useEffect(() => {
    if (!isSignedIn) return;
    const timers = new Map<number, ReturnType<typeof setTimeout>>();
    const stopTyping = (user: number) => {
      clearTimeout(timers.get(user));
      setTyping(without(user));
    };
    const startTyping = (user: Colleague) => {
      clearTimeout(timers.get(user.id));
      timers.set(user.id, setTimeout(stopTyping, typingMs, user.id));
      setTyping((before) => [...without(user.id)(before), user]);
    };
    const leave = joinChannel(id, {
      here: setPresent,
      joining: (user) => setPresent((before) => [...without(user.id)(before), user]),
      leaving(user) {
        setPresent(without(user.id));
        stopTyping(user.id);
      },
      typing: startTyping,
      visitorTyping: () => startTyping({ id: visitorId, name: visitorName }),
    });
    return () => {
      leave();
      for (const timer of timers.values()) clearTimeout(timer);
      setPresent([]);
      setTyping([]);
    };
  }, [id, tenant, isSignedIn, visitorName]);
  return { present: without(ownId)(present), typing: without(ownId)(typing) };
}

interface Listener {
  readonly here: (people: readonly Colleague[]) => void;
  readonly joining: (user: Colleague) => void;
  readonly leaving: (user: Colleague) => void;
  readonly typing: (user: Colleague) => void;
  readonly visitorTyping: () => void;
}

/** Returns a function that leaves it. Without a connection, no colleague is shown. */
function joinChannel(id: string, { here, joining, leaving, typing, visitorTyping }: Listener): () => void {
  let isLeft = false;
  const opening = openEcho(api());
  opening
    .then((echo) => {
      if (isLeft) return echo.disconnect();
      const channel = echo.join(`conversations.${id}`).here(here).joining(joining).leaving(leaving);
      channel.listen('.conversation.typing', (event: { readonly user_id: number; readonly name: string }) =>
        typing({ id: event.user_id, name: event.name }),
      );
      channel.listen('.widget.typing', visitorTyping);
    })
    .catch(() => {});
  return () => {
    isLeft = true;
    opening.then((echo) => echo.disconnect()).catch(() => {});
  };
}

/** Tells colleagues and the visitor of a web chat that the user is writing, at most every few seconds. */
export function useReportTyping(id: string): (options: { readonly isNote: boolean }) => void {
  const reportedAt = useRef(0);
  return ({ isNote }) => {
    const now = Date.now();
    if (now < reportedAt.current + reportPauseMs) return;
    reportedAt.current = now;
    // It is of no use later.
    api()
      .conversations.reportTyping({ id, is_note: isNote })
      .catch(() => {});
  };
}

/** Who else is here: `Ravi is writing…`. */
export function ColleaguesLine({ present, typing }: ReturnType<typeof useColleagues>) {
  const people = typing.length > 0 ? typing : present;
  const names = new Intl.ListFormat('en').format(people.map(({ name }) => name));
  const verb = people.length === 1 ? 'is' : 'are';
  return (
    <p role="status" className="truncate px-4 pb-1.5 text-sm text-secondary empty:pb-0 md:px-6">
      {people.length > 0 && `${names} ${verb} ${typing.length > 0 ? 'writing…' : 'looking at this conversation'}`}
    </p>
  );
}
