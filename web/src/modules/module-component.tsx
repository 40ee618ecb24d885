import * as React from 'react';
import * as jsxRuntime from 'react/jsx-runtime';
import * as reactDom from 'react-dom';
import { PageLoadError } from '../routing/lazy-page.tsx';
import { api } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select, TextArea } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';

/** The scripts of modules find the React of the console here. */
Object.assign(globalThis, {
  chowkConsole: {
    react: React,
    'react/jsx-runtime': jsxRuntime,
    'react/jsx-dev-runtime': jsxRuntime,
    'react-dom': reactDom,
  },
});

interface ContentProps extends Pick<ModuleComponentProps, 'id'> {
  readonly call: typeof call;
  readonly toast: typeof toast;
  readonly ui: typeof ui;
}

type ModuleScript = { readonly default?: React.ComponentType<ContentProps> };

const scripts = new Map<string, Promise<ModuleScript>>();

/** How often each script could not be loaded. */
const failures = new Map<string, number>();

/** Once for each script. Browsers remember that an address could not be imported, so another try needs another address. */
function loadScript(path: string): Promise<ModuleScript> {
  const failed = failures.get(path) ?? 0;
  const loading =
    scripts.get(path) ??
    (import(/* @vite-ignore */ failed ? `${path}?try=${failed + 1}` : path) as Promise<ModuleScript>).catch(() => {
      scripts.delete(path);
      failures.set(path, failed + 1);
      throw new PageLoadError();
    });
  scripts.set(path, loading);
  return loading;
}

interface ModuleComponentProps {
  readonly script: string;
  /** The customer or the order of a section. */
  readonly id: string | undefined;
}

/** The component of a module. */
export function ModuleComponent({ script, id }: ModuleComponentProps) {
  const [loading] = React.useState(() => loadScript(script));
  return (
    <React.Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <Loaded loading={loading} id={id} />
    </React.Suspense>
  );
}

const ui = { Button, Field, Input, Notice, Section, Select, TextArea };

/** `POST /notes`, as modules declare it, is `POST notes` for the client. */
const call = (http: string, input?: Readonly<Record<string, unknown>>) => api().send(http.replace(' /', ' '), input);

interface LoadedProps extends Pick<ModuleComponentProps, 'id'> {
  readonly loading: Promise<ModuleScript>;
}

function Loaded({ loading, id }: LoadedProps) {
  const { default: Content } = React.use(loading);
  if (!Content) throw new Error('Its script exports no component as default.');
  return <Content id={id} call={call} toast={toast} ui={ui} />;
}
