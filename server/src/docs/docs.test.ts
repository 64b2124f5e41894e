import { readdirSync, readFileSync } from 'node:fs'
import { endpoints } from '@passport/contract/api'
import { guides } from '@passport/contract/guides'
import { describe, expect, test } from 'vitest'
import { html } from '../http/page.ts'
import { startTestService } from '../test-service.ts'
import { headingId, renderMarkdown } from './markdown.ts'

const folder = new URL('../../../docs/guide/', import.meta.url)
const service = await startTestService()
const fetchPage = async (path: string) => {
  const response = await fetch(service.url + path)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
const render = (text: string) => renderMarkdown(text, (target) => (target === 'none' ? undefined : target)).join('')

test('the list of guides has every file of docs/guide, with its heading', () => {
  const files = readdirSync(folder)
  expect(guides.map(({ name }) => `${name}.md`).toSorted()).toEqual(files.toSorted())
  for (const { name, title } of guides)
    expect(readFileSync(new URL(`${name}.md`, folder), 'utf8').split('\n')[0]).toBe(`# ${title}`)
})

test('the index links to every guide and to the API reference', async () => {
  const { status, type, text } = await fetchPage('/docs')
  expect([status, type]).toEqual([200, 'text/html; charset=utf-8'])
  for (const name of [...guides.map((guide) => guide.name), 'api']) expect(text).toContain(`href="/docs/${name}"`)
})

describe('the search', () => {
  const search = async (query: string) => (await fetchPage(`/docs?q=${encodeURIComponent(query)}`)).text
  const linksOf = (text: string) =>
    [...text.matchAll(/class="results"[\s\S]*?<\/ul>/g)].join().match(/\/docs\/[\w-]+/g) ?? []

  test('finds guides by every word, in any case, with those named so first', async () => {
    const text = await search('CADDY  proxy')
    expect(linksOf(text)[0]).toBe('/docs/behind-a-proxy')
    expect(text).toContain('value="CADDY  proxy"')
    expect(linksOf(await search('caddy no-such-word'))).toEqual([])
  })

  test('shows a line of the text with the word, without Markdown', async () => {
    const excerpt = /class="results"[\s\S]*?<strong>[^<]*<\/strong>([\s\S]*?)<\/span>/.exec(
      await search('HAProxy'),
    )?.[1]
    expect(excerpt).toMatch(/HAProxy/i)
    expect(excerpt).not.toMatch(/\*\*|`|\]\(/)
  })

  test('escapes the query, and says that nothing was found', async () => {
    const text = await search('<b>"no-such-word"')
    expect(text).toContain('No guide has “&lt;b&gt;&quot;no-such-word&quot;”')
    expect(text).not.toContain('<b>')
    expect(linksOf(text)).toEqual([])
  })

  test.for(guides)('finds $name by its title and by each of its search terms', async ({ name, title, words }) => {
    for (const query of [title, ...words.split(' ')])
      expect(linksOf(await search(query)), query).toContain(`/docs/${name}`)
  })

  test('takes the first eight different words of two letters or more, and says so', async () => {
    const note = 'Only the first 8 different words of two or more letters count.'
    const eight = 'passport server user token client request session group'
    const expected = linksOf(await search(eight))
    expect(expected.length).toBeGreaterThan(1)
    expect(await search(eight)).not.toContain(note)
    for (const query of [`${eight} no-such-word`, `e ${eight}`]) {
      expect(linksOf(await search(query)), query).toEqual(expected)
      expect(await search(query)).toContain(note)
    }
    expect(await search(`${eight} user TOKEN`)).not.toContain(note)
    const letters = await search('e t a o i n')
    expect([linksOf(letters), letters.includes(note)]).toEqual([[], true])
  })

  test('without words shows the index', async () => {
    expect(await search('  ')).toContain('<h2>Directory</h2>')
  })
})

test.for(guides)(
  'the guide $name is a page without leftover Markdown, and its links exist',
  async ({ name, title }) => {
    const { status, text } = await fetchPage(`/docs/${name}`)
    expect(status).toBe(200)
    expect(text).toContain(`<h1>${html`${title}`}</h1>`)
    const prose = text.replaceAll(/<code>[\s\S]*?<\/code>/g, '')
    expect(prose).not.toMatch(/\*\*|\]\(|```|^#+ |^\|/m)
    for (const [, target = ''] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      if (/^https?:/.test(target)) continue
      const [path, fragment] = target.split('#')
      const linked = path ? await fetchPage(path) : { status, text }
      // The app is not built for these tests.
      if (path === '/app/') continue
      expect(linked.status, target).toBe(200)
      if (fragment) expect(linked.text, target).toContain(`id="${fragment}"`)
    }
  },
)

test('an unknown guide is not found', async () => {
  expect((await fetchPage('/docs/no-such-guide')).status).toBe(404)
  expect((await fetchPage('/docs/..%2FREADME')).status).toBe(404)
})

test('the API reference has every call with its summary', async () => {
  const { text } = await fetchPage('/docs/api')
  for (const { method, path } of endpoints.values())
    expect(text).toContain(`<code>${method} ${path.replace('...}', '}')}</code>`)
  expect(text).toContain('href="/passport/openapi.json"')
})

describe('Markdown', () => {
  test.for([
    ['a paragraph over lines', 'a\nb\n\nc', '<p>a b</p><p>c</p>'],
    ['a paragraph before a list', 'a\n- b', '<p>a</p><ul><li>b</li></ul>'],
    ['headings', '# A\n## B `c`, d', '<h1>A</h1><h2 id="b-c-d">B <code>c</code>, d</h2>'],
    ['a list with continued items', '- a\n  b\n- c\n', '<ul><li>a b</li><li>c</li></ul>'],
    ['a numbered list', '1. a\n\n2. b\n', '<ol><li>a</li><li>b</li></ol>'],
    ['strong text with code', '**a `b`**', '<p><strong>a <code>b</code></strong></p>'],
    ['code with a backtick', '`` a`b ``', '<p><code> a`b </code></p>'],
    ['links, and none to a file that is not served', '[a](/b) [c](none)', '<p><a href="/b">a</a> c</p>'],
    ['markup as text', '<b> & `<i>`', '<p>&lt;b&gt; &amp; <code>&lt;i&gt;</code></p>'],
  ] as const)('renders %s', ([, source, expected]) => {
    expect(render(source)).toBe(expected)
  })

  test('renders the lines of a code block unchanged', () => {
    expect(render('```sh\n# **a**\n| b\n```\nc')).toBe('<pre tabindex="0"><code># **a**\n| b</code></pre><p>c</p>')
  })

  test('renders tables with escaped bars, and without a last bar', () => {
    const table = render('| a | b |\n| - | - |\n| `c \\| d` | e')
    expect(table).toContain('<th scope="col">a</th><th scope="col">b</th>')
    expect(table).toContain('<td><code>c | d</code></td><td>e</td>')
  })

  test('derives the id of a heading as GitHub does', () => {
    expect(headingId('Change the secret')).toBe('change-the-secret')
    expect(headingId('1. `PORT`, and more: yes')).toBe('1-port-and-more-yes')
  })
})
