import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown.ts';
import { guideAddress } from './pages.ts';

test('headings, paragraphs, code, tables and lists become HTML', () => {
  const text = `# First call

One *line*
and **another** with \`<code>\`.

\`\`\`sh
curl -d '{"a": "<b>"}' # not a heading
\`\`\`

| a | b |
|---|---|
| 1 | \`x\` |

- one
- two
  goes on

1. First:

   \`\`\`sh
   ls
   \`\`\`

2. Second
`;
  expect(renderMarkdown(text)).toBe(`<h1 id="first-call">First call</h1>
<p>One <em>line</em> and <strong>another</strong> with <code>&lt;code&gt;</code>.</p>
<pre><code>curl -d '{&quot;a&quot;: &quot;&lt;b&gt;&quot;}' # not a heading</code></pre>
<div class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>x</code></td></tr></tbody></table></div>
<ul><li>one</li>
<li>two goes on</li></ul>
<ol><li><p>First:</p>
<pre><code>ls</code></pre></li>
<li>Second</li></ol>`);
});

test('text is never markup', () => {
  expect(renderMarkdown('<script>alert(1)</script> & "x"')).toBe(
    '<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;</p>',
  );
});

test('links lead to guides, other files of the repository are text only', () => {
  const link = (target: string) => renderMarkdown(`[see](${target})`, guideAddress);
  expect(link('credentials.md')).toBe('<p><a href="/docs/credentials">see</a></p>');
  expect(link('../payments.md#stripe')).toBe('<p><a href="/docs/payments#stripe">see</a></p>');
  expect(link('https://example.com')).toBe('<p><a href="https://example.com">see</a></p>');
  expect(link('../client/README.md')).toBe('<p>see</p>');
});
