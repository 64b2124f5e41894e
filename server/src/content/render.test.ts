import fc from 'fast-check'
import { parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { describe, expect, test } from 'vitest'
import { startCallCounter } from '../test-call-counts.ts'
import { allowedElements, renderContent } from './render.ts'

const origin = 'https://id.example'
const render = (markdown: string) => renderContent(markdown, origin).html

/** Returns what a browser would find in HTML and the allow-list lacks: elements, attributes, links and comments. */
function findForbidden(html: string): string[] {
  const visit = (node: Tree.Node): string[] => [
    ...describeForbidden(node),
    ...('childNodes' in node ? node.childNodes : []).flatMap(visit),
  ]
  return visit(parseFragment(html))
}

function describeForbidden(node: Tree.Node): string[] {
  if (node.nodeName === '#comment') return ['comment']
  if (!('tagName' in node)) return []
  const { tagName, attrs } = node
  const allowed = allowedElements[tagName]
  return [
    ...(allowed ? [] : [tagName]),
    ...attrs.filter(({ name }) => !allowed?.includes(name)).map(({ name }) => `${tagName}[${name}]`),
    ...attrs
      .filter(({ name, value }) => name === 'href' && !/^(?:https?:\/\/|mailto:|#text-)/i.test(value))
      .map(({ value }) => value),
  ]
}

const textOf = (html: string) => {
  const visit = (node: Tree.Node): string =>
    node.nodeName === '#text'
      ? (node as Tree.TextNode).value
      : ('childNodes' in node ? node.childNodes : []).map(visit).join('')
  return visit(parseFragment(html))
}

describe('Markdown of a text', () => {
  test.for([
    ['# Title', '<h2 id="text-title">Title</h2>\n'],
    ['###### Small', '<h6 id="text-small">Small</h6>\n'],
    ['**a** _b_ `c` ~~d~~', '<p><strong>a</strong> <em>b</em> <code>c</code> <s>d</s></p>\n'],
    ['[a](https://b.example "c")', '<p><a href="https://b.example" rel="noreferrer">a</a></p>\n'],
    ['[a](mailto:a@b.example)', '<p><a href="mailto:a@b.example" rel="noreferrer">a</a></p>\n'],
    ['3. a', '<ol start="3">\n<li>a</li>\n</ol>\n'],
    [
      '|a|\n|:-|\n|b|',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n',
    ],
    ['```js\n<a>\n```', '<pre><code>&lt;a&gt;\n</code></pre>\n'],
    ['![a picture](https://b.example/c.png)', '<p>a picture</p>\n'],
    ['a <b onclick="c()">d</b> e', '<p>a d e</p>\n'],
    ['<script>alert(1)</script>', ''],
    ['<div>\n\na\n\n</div>', '<p>a</p>\n'],
    [
      '<div>\n<p>All of <b>this</b> &amp; <br> that.</p>\n</div>\n\nAfter.',
      '<p>All of this &amp;</p>\n<p>that.</p>\n<p>After.</p>\n',
    ],
    ['<!doctype html><html><body><h1>Terms</h1><p>The text.</p></body></html>', '<p>Terms</p>\n<p>The text.</p>\n'],
    ['<div>a<script>b()</script><style>c</style>', '<p>a</p>\n'],
    ['[privacy](/privacy?a=1#b)', `<p><a href="${origin}/privacy?a=1#b" rel="noreferrer">privacy</a></p>\n`],
    [
      '[Law](#2-law--venue)\n\n## 2. Law & venue',
      '<p><a href="#text-2-law--venue" rel="noreferrer">Law</a></p>\n<h3 id="text-2-law--venue">2. Law &amp; venue</h3>\n',
    ],
    [
      '[Över](#%C3%B6ver)\n\n# Över `x`',
      '<p><a href="#text-över" rel="noreferrer">Över</a></p>\n<h2 id="text-över-x">Över <code>x</code></h2>\n',
    ],
    ['# A\n# A\n## Data {#data}', '<h2 id="text-a">A</h2>\n<h2 id="text-a-1">A</h2>\n<h3 id="text-data">Data</h3>\n'],
  ] as const)('renders %j', ([markdown, html]) => {
    expect(render(markdown)).toBe(html)
  })

  test.for([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](java&#115;cript:alert(1))',
    '[a](java\\script:alert(1))',
    '[a](&#1;javascript:alert(1))',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](vbscript:msgbox)',
    '[a](file:///etc/passwd)',
    '[a](//evil.example)',
    '[a](./app)',
    '[a](app/admin)',
    '[a](https:javascript:alert)',
    '<javascript:alert(1)>',
    '[a]\n\n[a]: javascript:alert(1)',
    '![a](javascript:alert(1))',
  ])('makes no link of %j', (markdown) => {
    const html = render(markdown)
    expect(html).not.toContain('<a')
    expect(findForbidden(html)).toEqual([])
  })

  test.for([
    '<img src=x onerror=alert(1)>',
    '<svg><script>alert(1)</script></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<a href="javascript:alert(1)">a</a>',
    '<style>*{display:none}</style>',
    '<form action="https://evil.example"><input name=password></form>',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<base href="https://evil.example">',
    '[a](https://b.example"onmouseover=alert(1))',
    '[a](https://b.example/<script>)',
    '`</code><script>alert(1)</script>`',
    '```"><script>\na\n```',
    '<!-- --><script>alert(1)</script>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<x\u0000onclick=alert(1)>',
  ])('has only allowed elements for %j', (markdown) => {
    expect(findForbidden(render(markdown))).toEqual([])
  })

  test('has only allowed elements, attributes and links for any text', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ...[
          '<',
          '>',
          '"',
          "'",
          '&',
          '[',
          ']',
          '(',
          ')',
          '!',
          '*',
          '_',
          '`',
          '~',
          '#',
          '-',
          '+',
          '|',
          '\\',
          '\n',
          ' ',
          '\t',
          ':',
          '=',
          '/',
        ],
        ...[
          '<script>',
          '</',
          '<!--',
          '-->',
          '<img src=',
          ' onerror=',
          'javascript:',
          'data:',
          'https://',
          'mailto:',
          '&#x6a;',
          '](',
          '> ',
          '1. ',
          '```',
          '|-|',
          '<svg',
          '<style>',
          '<a href=',
        ],
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const html = render(parts.join(''))
        expect(findForbidden(html)).toEqual([])
        expect(html).not.toContain('<script')
      }),
    )
  })

  test('lists what readers do not get as written', () => {
    const text =
      '<div>\na\n</div>\n\nb <B>c</B> [d](./d) [e](javascript:e) ![f](g.png) [h](/h) [i](#i) <https://j.example>'
    const { elements, links } = renderContent(text, origin)
    expect([elements, links]).toEqual([
      ['div', 'b'],
      ['./d', 'javascript:e', 'g.png'],
    ])
    expect(renderContent('# a', origin)).toMatchObject({ elements: [], links: [] })
    const many = Array.from({ length: 60 }, (_, index) => `[a](b${index}${'c'.repeat(200)}) <x${index}>`).join(' ')
    const listed = renderContent(many, origin)
    expect([listed.elements.length, listed.links.length, listed.links[0]?.length]).toEqual([20, 20, 100])
  })

  test('keeps the words of a plain text', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(words, (list) => {
        expect(textOf(render(list.join(' '))).trim()).toBe(list.join(' '))
      }),
    )
  })
})

const hostileTexts = (size: number): Record<string, string> => {
  const fill = (text: string) => text.repeat(Math.floor(size / text.length))
  const half = size / 2
  const steps = Math.floor(Math.sqrt(2 * size))
  const table = (columns: number, rows: number) =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`
  return {
    'opening brackets': fill('['),
    'nested brackets': '['.repeat(half) + ']'.repeat(half),
    'open links': fill('[a]('),
    'open link titles': fill('[a](http://b "'),
    'nested pictures': fill('!['),
    'open parentheses': `[a](http://b${'('.repeat(size - 20)}`,
    emphasis: fill('**a*'),
    'mixed emphasis': fill('*a_b '),
    'backtick runs': Array.from({ length: steps - 2 }, (_, length) => '`'.repeat(length)).join(' '),
    'nested quotes': '>'.repeat(size),
    'nested lists': Array.from({ length: steps - 5 }, (_, depth) => `${' '.repeat(depth)}- a\n`).join(''),
    'list items': fill('1. a\n'),
    'open tags': fill('<a '),
    'open attributes': fill('<a b="'),
    'open comments': fill('<!--'),
    'open declarations': fill('<![CDATA['),
    entities: fill('&#x'),
    autolinks: fill('<http://a'),
    references: `[a]: http://b/${'c'.repeat(half)}\n\n${fill('[a]').slice(half + 20)}`,
    'a wide table': table(size / 8, size / 4),
    'a long table': table(100, half - 400),
    'tables without cells': fill(`${table(128, 256)}\n`),
    'small tables without cells': fill(`${table(16, 32)}\n`),
    'tables in quotes': fill(`> ${table(64, 128).replaceAll('\n', '\n> ')}\n\n`),
    'blocks of HTML': fill('<p>a<x>\n\n'),
    'one block of HTML': fill('<p>a'),
    headings: fill('# a\n'),
    'ids of headings': `# ${fill('{#').slice(2)}`,
    'spaces in a heading': `# a${' '.repeat(size - 10)}b`,
    spaces: `${' '.repeat(size - 1)}a`,
    'text direction marks': fill('\u202e\u2066a'),
  }
}

describe('a hostile text', () => {
  test('of 64 KiB is rendered in bounded time and size', () => {
    render('a')
    const start = process.cpuUsage()
    for (const [name, text] of Object.entries(hostileTexts(64 * 1024))) {
      const html = render(text)
      expect(html.length, name).toBeLessThan(1024 * 1024)
    }
    const { user, system } = process.cpuUsage(start)
    // On an idle machine they take 2 s together; a single quadratic one takes minutes.
    expect((user + system) / 1e6).toBeLessThan(30)
  })

  test('of four times the size takes four times the work', async () => {
    const countCalls = await startCallCounter()
    const [small, large] = [hostileTexts(2 * 1024), hostileTexts(8 * 1024)]
    const count = async (text: string) => (await countCalls(async () => render(text))).total
    for (const [name, text] of Object.entries(large)) {
      const other = small[name] ?? ''
      const growth = (await count(text)) / (await count(other))
      expect(growth, name).toBeLessThan((1.3 * text.length) / other.length)
    }
  })

  test('of any parts takes work in proportion to its size', async () => {
    const countCalls = await startCallCounter()
    const part = fc.constantFrom(
      '|a',
      '|-',
      '|',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '*',
      '_a',
      '`',
      '[a](',
      '](',
      '<b ',
      '    ',
      '~~~\n',
    )
    const run = fc.tuple(part, fc.integer({ min: 1, max: 60 }))
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 6 }), async (runs) => {
        const unit = runs.map(([text, times]) => text.repeat(times)).join('')
        const text = unit.repeat(Math.ceil(4_000 / unit.length))
        const { total } = await countCalls(async () => render(text))
        expect(total).toBeLessThan(150 * text.length)
      }),
    )
  })
})

test('omitted cells of a table are added, and rows beyond the limit of cells are text', () => {
  expect(render('|a|b|\n|-|-|\n|c')).toContain('<td>c</td>\n<td></td>')
  const html = render(`${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n${'|c\n'.repeat(100)}\nd`)
  const cells = html.match(/<t[hd]>/g)?.length ?? 0
  expect([cells > 600, cells <= 800, html.includes('|c\n|c'), html.endsWith('<p>d</p>\n')]).toEqual([
    true,
    true,
    true,
    true,
  ])
})
