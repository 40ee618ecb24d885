/* Drafts: changed values of a form, stored by the browser until it is sent. Unchanged fields show current values. */

import { storageKey } from '../session/session.ts';
import { forgetSubmission } from './submission.ts';

const draftKey = (name: string) => storageKey(`draft.${name}`);
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function keepDraft(name: string, form: HTMLFormElement): void {
  const changed = draftControls(form).filter((control) => readContent(control) !== initialContent(control));
  const values = Object.fromEntries(changed.map((control) => [control.name, readContent(control)]));
  if (changed.length === 0) clearDraft(name);
  else localStorage.setItem(draftKey(name), JSON.stringify(values));
}

/** Returns whether something was restored. */
export function restoreDraft(name: string, form: HTMLFormElement): boolean {
  const values = readDraft(name);
  let isChanged = false;
  for (const control of draftControls(form)) {
    const value = values[control.name];
    if (value === undefined || value === readContent(control)) continue;
    if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value === true;
    else control.value = String(value);
    isChanged = true;
  }
  return isChanged;
}

export function clearDraft(name: string): void {
  localStorage.removeItem(draftKey(name));
  forgetSubmission(name);
}

function readDraft(name: string): Readonly<Record<string, string | boolean>> {
  try {
    return JSON.parse(localStorage.getItem(draftKey(name)) ?? '{}');
  } catch {
    return {};
  }
}

/** Without passwords, files, and what has a draft of its own. */
function draftControls(form: HTMLFormElement): Control[] {
  return [...form.elements]
    .filter((one) => !one.closest('[data-own-draft]'))
    .filter(
      (one): one is Control =>
        (one instanceof HTMLInputElement &&
          !['password', 'file', 'hidden', 'radio'].includes(one.type) &&
          one.name !== '') ||
        (one instanceof HTMLTextAreaElement && one.name !== '') ||
        (one instanceof HTMLSelectElement && one.name !== ''),
    );
}

function readContent(control: Control): string | boolean {
  return control instanceof HTMLInputElement && control.type === 'checkbox' ? control.checked : control.value;
}

function initialContent(control: Control): string | boolean {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? '';
  }
  if (control.type === 'checkbox') return (control as HTMLInputElement).defaultChecked;
  // As the content has them.
  return control.defaultValue.replace(/\r\n?/g, '\n');
}
