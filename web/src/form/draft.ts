/* What is typed into a form, kept by the browser until it is sent. Unchanged fields are not kept: they show what is
   current when the form is opened again. */

import { storageKey } from '../session/session.ts';
import { forgetSubmission } from './submission.ts';

const keyOf = (name: string) => storageKey(`draft.${name}`);
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function keepDraft(name: string, form: HTMLFormElement): void {
  const changed = controlsOf(form).filter((control) => contentOf(control) !== initialContentOf(control));
  const values = Object.fromEntries(changed.map((control) => [control.name, contentOf(control)]));
  if (changed.length === 0) clearDraft(name);
  else localStorage.setItem(keyOf(name), JSON.stringify(values));
}

/** Returns whether something was restored. */
export function restoreDraft(name: string, form: HTMLFormElement): boolean {
  const values = readDraft(name);
  let isChanged = false;
  for (const control of controlsOf(form)) {
    const value = values[control.name];
    if (value === undefined || value === contentOf(control)) continue;
    if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value === true;
    else control.value = String(value);
    isChanged = true;
  }
  return isChanged;
}

export function clearDraft(name: string): void {
  localStorage.removeItem(keyOf(name));
  forgetSubmission(name);
}

function readDraft(name: string): Readonly<Record<string, string | boolean>> {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)) ?? '{}');
  } catch {
    return {};
  }
}

/** Without passwords and files. */
function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (one): one is Control =>
      (one instanceof HTMLInputElement &&
        !['password', 'file', 'hidden', 'radio'].includes(one.type) &&
        one.name !== '') ||
      (one instanceof HTMLTextAreaElement && one.name !== '') ||
      (one instanceof HTMLSelectElement && one.name !== ''),
  );
}

function contentOf(control: Control): string | boolean {
  return control instanceof HTMLInputElement && control.type === 'checkbox' ? control.checked : control.value;
}

function initialContentOf(control: Control): string | boolean {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? '';
  }
  if (control.type === 'checkbox') return (control as HTMLInputElement).defaultChecked;
  // As the content has them.
  return control.defaultValue.replace(/\r\n?/g, '\n');
}
