import { createApiCall } from '@passport/contract/call'
import * as api from '@passport/contract/content'
import { contentNames } from '@passport/contract/content-names'
import { searchRecords } from '@passport/contract/search'
import { listTrash } from '@passport/contract/trash'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { purgeTrash } from '../trash/purge.ts'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService({ SUPPORT_CONTACT: 'help@stage.example' })
  ada = await service.as('ada')
})

type Key = { slug: api.ContentSlug; locale?: string }
const at = ({ slug, locale = 'en' }: Key) => ({ params: { slug }, query: { locale } })
const put = (
  key: Key,
  body: string,
  { title = '', ...options }: { title?: string; ifMatch?: string; ifNoneMatch?: '*' } = {},
) => ada.call(api.putContent, { ...at(key), body: { title, body } }, options)
const get = (key: Key) => ada.call(api.getContent, at(key))
const publish = (key: Key, version: number, options = {}) =>
  ada.call(api.publishContent, { ...at(key), body: { version } }, options)
const revert = (key: Key, version: number) => ada.call(api.revertContent, { ...at(key), body: { version } })
const history = (key: Key) => ada.call(api.listContentVersions, at(key))
const remove = (key: Key) => ada.call(api.deleteContent, at(key))
const restore = (key: Key) => ada.call(api.restoreContent, at(key))
async function publishText(key: Key, body: string, title = '') {
  const { version } = await put(key, body, { title })
  return publish(key, version)
}
const read = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers })
const failure = (status: number, code: string, field?: string) => ({
  status,
  body: { code, ...(field && { errors: [expect.objectContaining({ field })] }) },
})

describe('a text', () => {
  const key = { slug: 'terms', locale: 'de' } as const

  test('is a draft until it is published, and keeps its versions', async () => {
    const draft = await put(key, 'Eins', { title: 'Bedingungen' })
    expect(draft).toEqual({
      ...{ slug: 'terms', locale: 'de', mediaType: 'text/markdown', title: 'Bedingungen', body: 'Eins' },
      ...{ version: 1, publishedVersion: null, status: 'draft', revision: 1 },
      ...{
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        updatedBy: { id: ada.id, name: 'Ada Lovelace' },
      },
    })
    expect((await read('/passport/content/terms?locale=de')).status).toBe(404)
    expect(await put(key, 'Zwei')).toMatchObject({ version: 1, revision: 2, body: 'Zwei', title: '' })
    expect(await publish(key, 1)).toMatchObject({ version: 1, publishedVersion: 1, status: 'published', revision: 3 })
    expect(await (await read('/passport/content/terms?locale=de')).text()).toBe('Zwei')

    expect(await put(key, 'Drei')).toMatchObject({ version: 2, publishedVersion: 1, status: 'changed' })
    expect(await (await read('/passport/content/terms?locale=de')).text()).toBe('Zwei')
    expect(await history(key)).toMatchObject([
      { version: 2, body: 'Drei', publishedAt: null, isPublished: false, savedBy: { id: ada.id } },
      { version: 1, body: 'Zwei', publishedAt: expect.any(String), isPublished: true },
    ])
    expect(await publish(key, 2)).toMatchObject({ publishedVersion: 2 })
    expect(await (await read('/passport/content/terms?locale=de')).text()).toBe('Drei')
  })

  test('goes back to an earlier version as a draft, and to the published one by discarding the draft', async () => {
    expect(await revert(key, 1)).toMatchObject({ version: 3, body: 'Zwei', status: 'changed' })
    expect(await revert(key, 2)).toMatchObject({ version: 2, body: 'Drei', status: 'published' })
    expect(await history(key)).toHaveLength(2)
    await put(key, 'Vier')
    expect(await put(key, 'Drei')).toMatchObject({ version: 2, status: 'published' })
    await expect(revert(key, 9)).rejects.toMatchObject(failure(404, 'content-version-not-found'))
  })

  test('does not change, and records nothing, when the draft is saved again', async () => {
    const { revision } = await put(key, 'Fünf')
    const count = async () => (await service.sql`select from audit_events`).count
    const before = await count()
    expect(await put(key, 'Fünf')).toMatchObject({ revision })
    expect(await count()).toBe(before)
    await revert(key, 2)
  })

  test('publishes only the current draft', async () => {
    await expect(publish(key, 2)).rejects.toMatchObject(failure(409, 'content-not-draft'))
    await put(key, 'Sechs')
    await expect(publish(key, 1)).rejects.toMatchObject(failure(409, 'content-not-draft'))
    await revert(key, 2)
  })

  test('honours If-Match in every write', async () => {
    const { revision } = await get(key)
    const stale = { ifMatch: `"${revision - 1}"` }
    const failed = failure(412, 'precondition-failed')
    await expect(put(key, 'Sieben', stale)).rejects.toMatchObject(failed)
    await expect(put(key, 'Sieben', { ifNoneMatch: '*' })).rejects.toMatchObject(failed)
    await expect(publish(key, 2, stale)).rejects.toMatchObject(failed)
    await expect(ada.call(api.revertContent, { ...at(key), body: { version: 1 } }, stale)).rejects.toMatchObject(failed)
    await expect(ada.call(api.deleteContent, at(key), stale)).rejects.toMatchObject(failed)
    let version = ''
    await ada.call(api.getContent, at(key), { onVersion: (etag) => (version = etag) })
    expect(version).toBe(String(revision))
    await put(key, 'Acht', { ifMatch: `"${version}"` })
    await revert(key, 2)
  })

  test('lets one of two concurrent writers win', async () => {
    const { revision } = await get(key)
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((body) => put(key, body, { ifMatch: `"${revision}"` })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await revert(key, 2)
  })

  test('is in the trash after its deletion, and restored with its history and publication', async () => {
    const before = await history(key)
    await remove(key)
    expect((await read('/passport/content/terms?locale=de')).status).toBe(404)
    await expect(get(key)).rejects.toMatchObject(failure(404, 'content-not-found'))
    await expect(remove(key)).rejects.toMatchObject(failure(404, 'content-not-found'))
    const { items } = await ada.call(listTrash, { query: { kind: 'content' } })
    expect(items).toMatchObject([{ kind: 'content', id: 'terms/de', name: 'Terms (de)', deletedBy: { id: ada.id } }])
    expect(await restore(key)).toMatchObject({ body: 'Drei', status: 'published' })
    expect(await history(key)).toEqual(before)
    expect(await (await read('/passport/content/terms?locale=de')).text()).toBe('Drei')
    await expect(restore(key)).rejects.toMatchObject(failure(404, 'content-not-found'))
  })

  test('is a draft again when it is written while in the trash', async () => {
    await remove(key)
    expect(await put(key, 'Neu', { ifNoneMatch: '*' })).toMatchObject({
      version: 3,
      publishedVersion: null,
      status: 'draft',
    })
    expect((await read('/passport/content/terms?locale=de')).status).toBe(404)
    expect((await history(key)).map(({ version, isPublished }) => [version, isPublished])).toEqual([
      [3, false],
      [2, false],
      [1, false],
    ])
    await publish(key, 3)
  })

  test('is purged after 30 days, with its versions', async () => {
    const gone = { slug: 'support', locale: 'cs' } as const
    await publishText(gone, 'Pomoc')
    await remove(gone)
    await service.sql`update contents set deleted_at = now() - interval '31 days' where locale = 'cs'`
    await purgeTrash(service.sql)
    expect([...(await service.sql`select from content_versions where locale = 'cs'`)]).toEqual([])
  })

  test('keeps at most 50 versions', async () => {
    const long = { slug: 'join.notice', locale: 'fr' } as const
    await publishText(long, 'Une')
    await service.sql`
      insert into content_versions (slug, locale, version, title, body)
      select 'join.notice', 'fr', n, '', 'x' from generate_series(2, 60) n`
    await publishText(long, 'Deux')
    const versions = await history(long)
    expect(versions).toHaveLength(api.maxContentVersions)
    expect(versions[0]).toMatchObject({ version: 61, isPublished: true })
  })

  test('is found by its name and title', async () => {
    await put({ slug: 'privacy', locale: 'de' }, 'x', { title: 'Datenschutz' })
    const found = await ada.call(searchRecords, { query: { query: 'datensch' } })
    expect(found).toEqual([{ kind: 'content', id: 'privacy/de', name: 'Privacy (de)', detail: 'Datenschutz' }])
  })

  test('has the same name in the database and in the contract', async () => {
    for (const slug of api.contentSlugs) {
      const [row] = await service.sql`select content_name(${slug}, 'en') as name`
      expect(row?.['name']).toBe(`${contentNames[slug].name} (en)`)
    }
  })
})

describe('the limits of a text', () => {
  const key = { slug: 'home.signedIn' } as const

  test.for([
    ['a'.repeat(api.maxContentBytes), true],
    ['a'.repeat(api.maxContentBytes + 1), false],
    ['é'.repeat(api.maxContentBytes / 2), true],
    ['é'.repeat(api.maxContentBytes / 2 + 1), false],
    ['a\tb\nc', true],
    ['', false],
    [' \n ', false],
    ['a\u0000b', false],
    ['a\u0007b', false],
    ['a\u202eb', false],
    ['a\u2066b', false],
    ['שלום\u200f!', true],
  ] as const)('apply to its body', async ([body, isValid]) => {
    const saved = put(key, body)
    if (isValid) expect((await saved).body).toBe(body)
    else await expect(saved).rejects.toMatchObject(failure(400, expect.anything() as never, 'body'))
  })

  test('a line ends with a line feed', async () => {
    expect((await put(key, 'a\r\nb\rc')).body).toBe('a\nb\nc')
  })

  test.for([
    ['é'.repeat(api.maxContentTitle), true],
    ['é'.repeat(api.maxContentTitle + 1), false],
    ['two\nlines', false],
    ['a\u202eb', false],
  ] as const)('apply to its title', async ([title, isValid]) => {
    const saved = put(key, 'a', { title })
    if (isValid) expect((await saved).title).toBe(title)
    else await expect(saved).rejects.toMatchObject(failure(400, 'content-title-invalid', 'title'))
  })

  test.for([
    ['EN-gb', 'en-GB'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['not a tag', undefined],
    ['', undefined],
    [`en-${'abcdefgh-'.repeat(4)}a`, undefined],
  ] as const)('apply to its language %j', async ([locale, canonical]) => {
    const saved = put({ ...key, locale }, 'a')
    if (canonical) expect((await saved).locale).toBe(canonical)
    else await expect(saved).rejects.toMatchObject({ status: 400, body: { errors: [{ field: 'locale' }] } })
  })

  test('a slot has at most 50 languages', async () => {
    await service.sql`
      insert into contents (slug, locale) select 'support', 'qaa-x-' || n from generate_series(1, ${api.maxContentLocales - 1}) n`
    const { locale } = await put({ slug: 'support', locale: 'en' }, 'a')
    expect(locale).toBe('en')
    await expect(put({ slug: 'support', locale: 'it' }, 'a')).rejects.toMatchObject(failure(409, 'too-many-locales'))
    await service.sql`delete from contents where slug = 'support'`
  })

  test('a slot is one of the code', async () => {
    expect((await ada.fetch('/passport/admin/content/imprint')).status).toBe(400)
    expect((await read('/passport/content/imprint')).status).toBe(400)
  })
})

describe('a published text', () => {
  beforeAll(async () => {
    await publishText({ slug: 'privacy', locale: 'en' }, 'We keep **little**.', 'Privacy & you')
    await publishText({ slug: 'privacy', locale: 'pt-BR' }, 'Pouco.')
  })
  const path = '/passport/content/privacy'

  test.for([
    [{}, 'en'],
    [{ 'accept-language': 'pt-BR' }, 'pt-BR'],
    [{ 'accept-language': 'pt-br-x-a;q=0.9, xx' }, 'pt-BR'],
    [{ 'accept-language': 'pt' }, 'pt-BR'],
    [{ 'accept-language': 'ja, *' }, 'en'],
  ] as const)('is in the best language for %j', async ([headers, language]) => {
    const response = await read(path, headers)
    expect(response.headers.get('content-language')).toBe(language)
    expect(response.headers.get('vary')).toBe('Accept, Accept-Language')
  })

  test('is in the requested language, whatever the header says', async () => {
    const response = await read(`${path}?locale=pt-br`, { 'accept-language': 'en' })
    expect(response.headers.get('content-language')).toBe('pt-BR')
    expect((await read(`${path}?locale=ja`)).headers.get('content-language')).toBe('en')
    expect((await read(`${path}?locale=_`)).status).toBe(400)
  })

  test('is Markdown, or HTML for a client that prefers it', async () => {
    const markdown = await read(path)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await markdown.text()).toBe('# Privacy & you\n\nWe keep **little**.')
    const html = await read(path, { accept: 'text/html,*/*;q=0.8' })
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await html.text()).toBe('<h1>Privacy &amp; you</h1>\n<p>We keep <strong>little</strong>.</p>\n')
    const preview = await ada.call(api.previewContent, {
      body: { title: 'Privacy & you', body: 'We keep **little**.' },
    })
    expect(preview.html).toBe(await (await read(path, { accept: 'text/html' })).text())
  })

  test('is not sent again to a client that has it', async () => {
    const first = await read(path)
    const etag = first.headers.get('etag') ?? ''
    const repeated = await read(path, { 'if-none-match': etag })
    expect([repeated.status, repeated.headers.get('etag'), repeated.headers.get('vary')]).toEqual([
      ...[304, etag, 'Accept, Accept-Language'],
    ])
    for (const headers of [{ accept: 'text/html' }, { 'accept-language': 'pt-BR' }])
      expect((await read(path, { ...headers, 'if-none-match': etag })).status).toBe(200)
  })

  test('can be read by the pages of any origin', async () => {
    const { headers } = await read(path, { origin: 'https://elsewhere.example' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('is missing if the slot has none in English or in the language', async () => {
    await publishText({ slug: 'home.signedOut', locale: 'de' }, 'Hallo')
    const response = await read('/passport/content/home.signedOut', { 'accept-language': 'fr' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'content-not-found' })
  })
})

describe('the pages', () => {
  const notice = { slug: 'login.notice' } as const
  const invitation = { slug: 'join.notice' } as const
  const open = async (path: string, headers: Record<string, string> = {}) =>
    (await read(path, { accept: 'text/html', ...headers })).text()

  test('of a text without a publication name the contact', async () => {
    expect(await open('/terms')).toContain('Ask help@stage.example for them.')
    expect(await open('/support')).toContain('contact help@stage.example')
  })

  test('show the published text in the language of the browser', async () => {
    await publishText({ slug: 'support', locale: 'en' }, 'Call <us>.', 'Help')
    await publishText({ slug: 'support', locale: 'de' }, 'Anrufen.', 'Hilfe')
    expect(await open('/support')).toContain('<h1>Help</h1>')
    const german = await read('/support', { accept: 'text/html', 'accept-language': 'de-AT' })
    expect(german.headers.get('content-language')).toBe('de')
    expect(german.headers.get('vary')).toBe('Accept-Language')
    const text = await german.text()
    expect(text).toContain('<h1>Hilfe</h1>')
    expect(text).toContain('<div class="written" lang="de" dir="auto"><p>Anrufen.</p>\n</div>')
  })

  test('of the sign-in show the notice and links to the published pages, and neither without them', async () => {
    const before = await signInPage()
    expect(before).not.toContain('class="note text"')
    await publishText(notice, 'Back at **9**.', 'Maintenance')
    const page = await signInPage()
    expect(page).toContain('<h2>Maintenance</h2>')
    expect(page).toContain('<p>Back at <strong>9</strong>.</p>')
    expect(page).toContain('<a href="/support">Support</a>')
    await remove(notice)
    expect(await signInPage()).not.toContain('Maintenance')
  })

  test('of an invitation show the notice', async () => {
    await publishText(invitation, 'Bring a badge.')
    const response = await ada.fetch('/passport/admin/orgs', {
      method: 'POST',
      body: JSON.stringify({ name: 'Contoso' }),
      headers: { 'content-type': 'application/json' },
    })
    const { id } = (await response.json()) as { id: string }
    const link = await ada.fetch('/passport/joinlinks', {
      method: 'POST',
      body: JSON.stringify({ kind: 'org', targetId: id, role: 'member' }),
      headers: { 'content-type': 'application/json' },
    })
    const { url } = (await link.json()) as { url: string }
    expect(await open(new URL(url).pathname)).toContain('<p>Bring a badge.</p>')
  })

  test('need no statement for texts that are cached', async () => {
    await publishText(notice, 'Soon.')
    await signInPage()
    const statements = await recordStatements(service.sql, async () => {
      await open('/login?email=x')
      await read('/passport/content/support')
    })
    expect(statements.filter((text) => text.includes('content'))).toEqual([])
  })

  /** Follows the redirects of a sign-in to the form of the built-in directory. */
  async function signInPage() {
    const jar = new Map<string, string>()
    let path = '/login'
    for (let step = 0; step < 5; step++) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(new URL(path, service.url), {
        redirect: 'manual',
        headers: { accept: 'text/html', cookie },
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        jar.set(name, value)
      }
      const location = response.headers.get('location')
      if (!location) return response.text()
      path = new URL(location, service.url).href
    }
    throw new Error('Too many redirects')
  }
})

test('a publication is seen by a second server of the database', async () => {
  const second = await startTestService({}, { sharedWith: service })
  const text = async () => (await fetch(`${second.url}/passport/content/terms`)).text()
  await publishText({ slug: 'terms', locale: 'en' }, 'First')
  await expect.poll(text, { timeout: 60_000 }).toBe('First')
  await publishText({ slug: 'terms', locale: 'en' }, 'Second')
  await expect.poll(text, { timeout: 60_000 }).toBe('Second')
  await expect.poll(() => second.services.contents.slugs().has('terms')).toBe(true)
})

test('a text does not fail the pages that show it when the database cannot be read', async () => {
  const { contents } = service.services
  await service.sql`alter view published_contents rename to away`
  try {
    await expect(contents.refresh()).rejects.toThrow()
    expect(await contents.findNotice('terms', 'en')).toBeUndefined()
  } finally {
    await service.sql`alter view away rename to published_contents`
  }
  await contents.refresh()
})

test('only administrators read and write drafts', async () => {
  const dev = await service.as('dev')
  expect((await dev.fetch('/passport/admin/content')).status).toBe(403)
  const anonymous = createApiCall(service.url)
  await expect(anonymous(api.listContents, {})).rejects.toMatchObject({ status: 401 })
  expect((await ada.call(api.listContents, {})).length).toBeGreaterThan(3)
})
