/* What is typed into a form, kept by the browser until it is sent. */

const prefix = 'chowk.draft.';
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function keepDraft(name: string, form: HTMLFormElement): void {
  const values = Object.fromEntries(controlsOf(form).map((control) => [control.name, contentOf(control)]));
  localStorage.setItem(prefix + name, JSON.stringify(values));
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
  localStorage.removeItem(prefix + name);
}

function readDraft(name: string): Readonly<Record<string, string | boolean>> {
  try {
    return JSON.parse(localStorage.getItem(prefix + name) ?? '{}');
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
