import { textColor } from '../src/format/text-color.ts';

/** A sheet for the shadow root: policies that forbid inline styles allow it. */
export function styleSheet(color: string, position: 'left' | 'right'): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
:host { all: initial; }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
section {
  --brand: ${color}; --on-brand: ${textColor(color)}; --back: #fff; --text: #1a1d21; --soft: #596069; --bubble: #eef0f3; --line: #8b929c; --error: #b3261e;
  font: 15px/1.45 system-ui, sans-serif; color: var(--text); text-align: start;
}
@media (prefers-color-scheme: dark) {
  section { --back: #1b1d21; --text: #eceef1; --soft: #a9b0ba; --bubble: #2c3037; --line: #7a828d; --error: #ffb4ab; }
}
button, input, textarea { font: inherit; color: inherit; }
button { border: 0; background: none; cursor: pointer; padding: 0; }
svg { display: block; width: 24px; height: 24px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; box-shadow: 0 0 0 2px var(--back); }
.launcher {
  position: fixed; z-index: 2147483000; bottom: 20px; ${position}: 20px; width: 56px; height: 56px; border-radius: 50%;
  display: grid; place-items: center; background: var(--brand); color: var(--on-brand); box-shadow: 0 4px 16px rgb(0 0 0 / 0.25);
}
.badge {
  position: absolute; top: -4px; right: -4px; min-width: 22px; height: 22px; padding: 0 6px; border-radius: 11px;
  background: #b3261e; color: #fff; font-size: 13px; line-height: 22px; font-weight: 600; text-align: center;
}
.panel {
  position: fixed; z-index: 2147483001; bottom: 88px; ${position}: 20px; width: 370px; height: min(560px, calc(100vh - 108px));
  display: flex; flex-direction: column; overflow: hidden; border-radius: 14px; background: var(--back);
  box-shadow: 0 8px 32px rgb(0 0 0 / 0.3);
}
header { display: flex; align-items: center; gap: 12px; padding: 14px 16px; background: var(--brand); color: var(--on-brand); }
header div { flex: 1; min-width: 0; }
h2 { font-size: 16px; font-weight: 600; overflow-wrap: anywhere; }
header p { font-size: 13px; }
header button { width: 40px; height: 40px; display: grid; place-items: center; border-radius: 8px; }
header :focus-visible { outline-color: var(--on-brand); box-shadow: none; }
.log { flex: 1; overflow-y: auto; padding: 16px; display: flex; flex-direction: column; gap: 10px; }
.log:focus-visible { outline-offset: -3px; }
.message { max-width: 84%; align-self: flex-start; display: grid; justify-items: start; gap: 2px; }
.message.own { align-self: flex-end; justify-items: end; }
.text { padding: 8px 12px; border-radius: 14px; background: var(--bubble); white-space: pre-wrap; overflow-wrap: anywhere; }
.own .text { background: var(--brand); color: var(--on-brand); }
.text a { color: inherit; }
.detail { font-size: 12px; color: var(--soft); padding-inline: 4px; }
.typing { padding: 0 16px 6px; }
.typing:empty { display: none; }
.problem { color: var(--error); }
.detail button { text-decoration: underline; padding: 4px; }
form { padding: 12px; border-top: 1px solid var(--bubble); display: grid; gap: 8px; }
.row { display: flex; align-items: end; gap: 8px; }
label { font-size: 13px; color: var(--soft); display: grid; gap: 4px; }
input[type='email'], textarea {
  width: 100%; padding: 9px 11px; border: 1px solid var(--line); border-radius: 10px; background: var(--back); color: var(--text); font-size: 16px;
}
::placeholder { color: var(--soft); opacity: 1; }
textarea { flex: 1; min-width: 0; height: 42px; max-height: 130px; resize: none; display: block; field-sizing: content; }
input:focus-visible, textarea:focus-visible { outline-width: 2px; outline-offset: -1px; box-shadow: none; }
.row button { flex: none; width: 42px; height: 42px; display: grid; place-items: center; border-radius: 10px; color: var(--soft); }
.row button.send { background: var(--brand); color: var(--on-brand); }
.send svg:dir(rtl) { transform: scaleX(-1); }
.file { display: flex; align-items: center; gap: 8px; font-size: 13px; overflow-wrap: anywhere; }
.file button { text-decoration: underline; padding: 4px; }
.quiet { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 480px) {
  .panel { inset: 0; width: auto; height: 100dvh; border-radius: 0; }
  .launcher.open { display: none; }
}
@media (forced-colors: active) { .launcher, .panel { border: 1px solid; } }
`);
  return sheet;
}
