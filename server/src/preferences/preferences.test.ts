import { request } from 'node:http'
import { ApiError } from '@passport/contract/call'
import * as api from '@passport/contract/preferences'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let eve: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  eve = await service.as('eve')
})

const mine = { userId: 'me' }
const put = (visitor: Visitor, key: string, body: string) =>
  visitor.call(api.putPreference, { params: { ...mine, key }, body })
const get = (visitor: Visitor, key: string) => visitor.call(api.getPreference, { params: { ...mine, key } })
const pathOf = (key: string) => `/passport/preferences/me/${encodeURIComponent(key)}`
/** Sends the path exactly as given: URL parsers would remove dot segments. */
const sendRaw = (method: string, path: string, body = '') =>
  new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const length = Buffer.byteLength(body)
    const sameOriginHeaders = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
    const headers = { ...sameOriginHeaders, 'content-type': 'text/plain', 'content-length': length }
    const { hostname, port } = new URL(service.url)
    const clientRequest = request({ hostname, port, method, path, headers }, async (incoming) => {
      const text = Buffer.concat(await incoming.toArray()).toString()
      resolve({ status: incoming.statusCode, body: text === '' ? undefined : JSON.parse(text) })
    })
    clientRequest.on('error', reject).end(body)
  })
const textPut = (body: string, type = 'text/plain') => ({ method: 'PUT', body, headers: { 'content-type': type } })

describe('a preference', () => {
  test('is read back as it was saved, and listed by key', async () => {
    await put(eve, 'b.Locale', 'en-GB')
    await put(eve, 'a.Theme', 'dark')
    expect(await get(eve, 'a.Theme')).toBe('dark')
    expect(await eve.call(api.listPreferences, { params: mine, query: {} })).toEqual([
      { key: 'a.Theme', value: 'dark' },
      { key: 'b.Locale', value: 'en-GB' },
    ])
  })

  test('is sorted by the bytes of its key, regardless of the database’s collation', async () => {
    await service.sql`alter table preferences alter column key type text collate "en-x-icu"`
    const dev = await service.as('dev')
    const keys = ['A-b', 'A.a', 'C', 'a', 'b']
    for (const key of keys.toReversed()) await put(dev, key, 'x')
    const listed = await dev.call(api.listPreferences, { params: mine, query: {} })
    expect(listed.map(({ key }) => key)).toEqual(keys)
    for (const key of keys) await put(dev, key, '')
    await service.sql`alter table preferences alter column key type text collate "default"`
  })

  test('that is saved empty is deleted, even without a body', async () => {
    await put(ada, 'gone', 'x')
    await put(ada, 'gone', '')
    await put(ada, 'bare', 'x')
    const bare = await ada.fetch(pathOf('bare'), { method: 'PUT' })
    expect(bare.status).toBe(204)
    expect(await ada.call(api.listPreferences, { params: mine, query: {} })).toEqual([])
    await expect(get(ada, 'gone')).rejects.toMatchObject({ status: 404, body: { code: 'preference-not-found' } })
  })

  test('may be sent as a JSON string, but no other JSON', async () => {
    expect((await ada.fetch(pathOf('json'), textPut('"007"', 'application/json'))).status).toBe(204)
    expect(await get(ada, 'json')).toBe('007')
    const number = await ada.fetch(pathOf('json'), textPut('7', 'application/json'))
    expect(await number.json()).toMatchObject({ status: 400, code: 'invalid-request', errors: [{ field: 'body' }] })
    expect(await get(ada, 'json')).toBe('007')
  })

  test('with another media type is rejected with 415', async () => {
    const response = await ada.fetch(pathOf('xml'), textPut('<a/>', 'application/xml'))
    expect(await response.json()).toMatchObject({
      status: 415,
      code: 'unsupported-media-type',
      detail: 'The Content-Type must be text/plain, but it is application/xml.',
    })
  })

  test('can be deleted whether it exists or not', async () => {
    await put(ada, 'there', 'x')
    await ada.call(api.deletePreference, { params: { ...mine, key: 'there' } })
    await ada.call(api.deletePreference, { params: { ...mine, key: 'there' } })
    await expect(get(ada, 'there')).rejects.toBeInstanceOf(ApiError)
  })

  test.for([
    ['a/b', 'a/b'],
    ['100%', '100%25'],
    ['a%2Fb', 'a%252Fb'],
    ['#?&=', '%23%3F%26%3D'],
    ['schlüssel 🔑', encodeURIComponent('schlüssel 🔑')],
    ['deep/er/key', 'deep/er/key'],
  ] as const)('has the key %s when it is sent as %s', async ([key, sent]) => {
    const response = await ada.fetch(`/passport/preferences/me/${sent}`, textPut('v'))
    expect(response.status).toBe(204)
    expect(await get(ada, key)).toBe('v')
  })

  test('has one key for composed and decomposed letters', async () => {
    await put(ada, 'e\u0301', 'decomposed')
    expect(await get(ada, '\u00e9')).toBe('decomposed')
  })

  test.for([
    ['is too long', 'x'.repeat(257)],
    ['has a control character', 'a\u0007b'],
  ])('with a key that %s is rejected with the field and its code', async ([, key]) => {
    await expect(put(ada, key ?? '', 'v')).rejects.toMatchObject({
      status: 400,
      body: { code: 'preference-key-invalid', errors: [{ field: 'key', code: 'preference-key-invalid' }] },
    })
  })

  test.for(['a%0Ab', 'a%0Db', '.', '..', '%2e', '%2E%2E', '.%2e'])(
    'with the key %s is rejected by every method',
    async (key) => {
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect(await sendRaw(method, `/passport/preferences/me/${key}`)).toMatchObject({
          status: 400,
          body: { code: 'preference-key-invalid', errors: [{ field: 'key', code: 'preference-key-invalid' }] },
        })
    },
  )

  test('with a line separator in its key is stored like any other', async () => {
    await put(ada, 'a\u2028b', 'x')
    expect(await get(ada, 'a\u2028b')).toBe('x')
  })

  test('is measured in stored form, not as it is escaped', async () => {
    const value = '\u0001'.repeat(64 * 1024)
    expect((await ada.fetch(pathOf('escaped'), textPut(JSON.stringify(value), 'application/json'))).status).toBe(204)
    expect(await get(ada, 'escaped')).toBe(value)
    const tooLongValue = JSON.stringify(`${value}x`)
    expect((await ada.fetch(pathOf('escaped'), textPut(tooLongValue, 'application/json'))).status).toBe(413)
  })

  test('of more than 64 KiB is rejected in any encoding', async () => {
    const tooLong = 'é'.repeat(32 * 1024 + 1)
    expect((await ada.fetch(pathOf('big'), textPut(tooLong))).status).toBe(413)
    expect((await ada.fetch(pathOf('big'), textPut(JSON.stringify(tooLong), 'application/json'))).status).toBe(413)
    expect((await ada.fetch(pathOf('big'), textPut('x'.repeat(500 * 1024)))).status).toBe(413)
    expect((await ada.fetch(pathOf('big'), textPut('é'.repeat(32 * 1024)))).status).toBe(204)
  })

  test('with NUL or invalid UTF-8 is rejected', async () => {
    expect((await ada.fetch(pathOf('nul'), textPut('a\0b'))).status).toBe(400)
    const bytes = { method: 'PUT', body: new Uint8Array([0xff, 0xfe]), headers: { 'content-type': 'text/plain' } }
    expect((await ada.fetch(pathOf('bytes'), bytes)).status).toBe(400)
    expect((await ada.fetch('/passport/preferences/me/%ff', textPut('v'))).status).toBe(400)
  })
})

/** Adds preferences up to one below the maximum number. */
const fill = ({ id }: Visitor) => service.sql`
  insert into preferences (user_id, key, value)
  select ${id}, 'k' || n, 'v' from generate_series(1, ${api.maxPreferences - 1}::integer) n`

test('a user can have at most 500 preferences', async () => {
  const max = await service.as('max')
  await fill(max)
  await put(max, 'k0', 'v')
  await expect(put(max, 'one more', 'v')).rejects.toMatchObject({ status: 409, body: { code: 'preference-limit' } })
  await put(max, 'k0', 'changed')
  await put(max, 'k0', '')
  await put(max, 'one more', 'v')
})

test('concurrent writes cannot exceed the maximum number of preferences', async () => {
  const dev = await service.as('dev')
  await fill(dev)
  const results = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => put(dev, `extra${index}`, 'v')))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await dev.call(api.listPreferences, { params: mine, query: {} })).toHaveLength(api.maxPreferences)
})

describe('access to preferences', () => {
  test.for([
    ['an anonymous caller', undefined, 401, 'not-signed-in'],
    ['another user', 'eve', 403, 'not-yours'],
    ['a developer', 'dev', 403, 'not-yours'],
  ] as const)('%s is rejected', async ([, user, status, code]) => {
    const response = await (await service.as(user)).fetch(`/passport/preferences/${ada.id}`)
    expect(await response.json()).toMatchObject({ status, code })
  })

  test('an administrator reads and writes them', async () => {
    const max = await service.as('max')
    await max.call(api.putPreference, { params: { userId: eve.id, key: 'by.Admin' }, body: 'yes' })
    expect(await get(eve, 'by.Admin')).toBe('yes')
    const [event] = await service.sql`
      select actor_id, before, after from audit_events where target_id = ${`${eve.id}/by.Admin`}`
    expect(event).toEqual({ actorId: max.id, before: null, after: { value: 'yes' } })
  })

  test('only an administrator learns that a user does not exist', async () => {
    const unknownUserPath = '/passport/preferences/nobody-has-this-id'
    expect((await eve.fetch(unknownUserPath)).status).toBe(403)
    const response = await (await service.as('max')).fetch(unknownUserPath)
    expect(await response.json()).toMatchObject({ status: 404, code: 'user-not-found' })
  })
})

describe('conditional requests', () => {
  const read = (headers: Record<string, string> = {}) => ada.fetch(pathOf('etag'), { headers })
  const write = (body: string, headers: Record<string, string>) =>
    ada.fetch(pathOf('etag'), { ...textPut(body), headers: { 'content-type': 'text/plain', ...headers } })

  test('are evaluated by the current value', async () => {
    await put(ada, 'etag', 'one')
    const first = await read()
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')

    const same = await read({ 'if-none-match': etag })
    expect(same.status).toBe(304)
    expect(await same.text()).toBe('')
    expect(same.headers.get('etag')).toBe(etag)
    expect((await read({ 'if-none-match': `"other", W/${etag}` })).status).toBe(304)

    const changed = await write('two', { 'if-match': etag })
    expect(changed.status).toBe(204)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect((await read({ 'if-none-match': etag })).status).toBe(200)

    const stale = await write('three', { 'if-match': etag })
    expect(await stale.json()).toMatchObject({ status: 412, code: 'precondition-failed' })
    expect((await write('three', { 'if-none-match': '*' })).status).toBe(412)
    expect(await get(ada, 'etag')).toBe('two')
  })

  test('with the same ETag admit one of two concurrent writes', async () => {
    await put(ada, 'etag', 'start')
    const etag = (await read()).headers.get('etag') ?? ''
    const responses = await Promise.all(['left', 'right'].map((value) => write(value, { 'if-match': etag })))
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 412])
  })
})

describe('every write', () => {
  test('is recorded with the values before and after, unless it changes nothing', async () => {
    await put(ada, 'audited', 'one')
    await put(ada, 'audited', 'one')
    await put(ada, 'audited', 'two')
    await put(ada, 'audited', '')
    const events = await service.sql`
      select action, before, after from audit_events where target_id = ${`${ada.id}/audited`} order by id`
    expect([...events]).toEqual([
      { action: 'preference.saved', before: null, after: { value: 'one' } },
      { action: 'preference.saved', before: { value: 'one' }, after: { value: 'two' } },
      { action: 'preference.removed', before: { value: 'two' }, after: null },
    ])
  })
})

/**
 * Characters that may break the handling of keys: separators, dots, escapes, combining marks, lone surrogates,
 * controls.
 */
const hostile = fc.constantFrom(
  ...('ab/\\%.#?&=+ é\u0301\u00e9\u{1f511}"\'<>;:@\u202e\u200b\u2028\u2029\u0007\n\r\t\u0085\u007f\ud800'.match(
    /./gsu,
  ) ?? []),
)
const hostileText = fc.array(hostile, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''))

const rejectionCodes = /^(preference-key-invalid|invalid-request|invalid-encoding)$/

test('any key and value round-trips or is rejected with its reason', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, async (key, value) => {
      const { status, body } = await sendRaw('PUT', `/passport/preferences/me/${encodeLoosely(key)}`, value)
      if (status !== 204) {
        expect([status, body]).toEqual([400, expect.objectContaining({ code: expect.stringMatching(rejectionCodes) })])
        return
      }
      const read = await ada.fetch(`/passport/preferences/me/${encodeURIComponent(key)}`)
      expect(await read.text()).toBe(value.toWellFormed())
      await put(ada, key, '')
    }),
  )
})

/** `encodeURIComponent` rejects a lone surrogate; careless clients send invalid UTF-8 for it. */
const encodeLoosely = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80')
