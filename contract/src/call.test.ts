import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { ApiError, createApiCall } from './call.ts'
import { endpoint, json, text } from './endpoint.ts'

const note = endpoint('PUT', '/notes/{owner}/{name...}', {
  summary: 'Save a note',
  access: 'signedIn',
  params: z.object({ owner: z.string(), name: z.string() }),
  query: z.object({ limit: z._default(z.coerce.number<number>(), 10) }),
  body: text(z.string()),
  returns: json(z.object({ saved: z.boolean() })),
})

const respondWith = (body: string, init: ResponseInit) => {
  const sent: Request[] = []
  const call = createApiCall('http://service', async (request) => {
    sent.push(request)
    return new Response(body, init)
  })
  return { call, sent }
}
const sentNote = { params: { owner: 'me', name: 'a/b %' }, query: { limit: 3 }, body: '007' }

test('a call sends every part as the contract describes it', async () => {
  const { call, sent } = respondWith('{"saved":true}', { status: 200 })
  expect(await call(note, sentNote, { ifMatch: '"1"' })).toEqual({ saved: true })
  const [request] = sent
  expect(request?.url).toBe('http://service/notes/me/a%2Fb%20%25?limit=3')
  expect(request?.headers.get('content-type')).toBe('text/plain')
  expect(request?.headers.get('if-match')).toBe('"1"')
  expect(await request?.text()).toBe('007')
})

test('a call can replace the network, such as to report progress', async () => {
  const { call, sent } = respondWith('', { status: 500 })
  const send = async (request: Request) => new Response(`{"saved":${(await request.text()) === '007'}}`)
  expect(await call(note, sentNote, { send })).toEqual({ saved: true })
  expect(sent).toEqual([])
})

test.for([
  ['"a1"', ['a1']],
  ['W/"a1"', ['a1']],
  [undefined, []],
] as const)('the ETag %s of a success is passed on without its quotes', async ([etag, expected]) => {
  const { call } = respondWith('{"saved":true}', { status: 200, headers: etag ? { etag } : {} })
  const versions: string[] = []
  await call(note, sentNote, { onVersion: (version) => versions.push(version) })
  expect(versions).toEqual(expected)
})

test('a call for a resource that must not exist sends If-None-Match', async () => {
  const { call, sent } = respondWith('{"saved":true}', { status: 200 })
  await call(note, sentNote, { ifNoneMatch: '*' })
  expect(sent[0]?.headers.get('if-none-match')).toBe('*')
})

test.for([
  [404, '', '{"code":"gone-fishing"}', 'Not Found', 'Not Found', { code: 'gone-fishing' }],
  [409, 'Conflict', 'plain words', 'Conflict', 'Conflict', 'plain words'],
  [429, '', '<html>', 'Too Many Requests', 'Too Many Requests', '<html>'],
] as const)(
  '%i is an error with status, text, URL and body',
  async ([status, statusText, body, message, expectedStatusText, parsed]) => {
    const { call } = respondWith(body, { status, statusText })
    const error = await call(note, sentNote).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message,
      status,
      statusText: expectedStatusText,
      url: 'http://service/notes/me/a%2Fb%20%25?limit=3',
      body: parsed,
    })
  },
)

test('a status without a phrase is a Generic Error with status, status text and body', async () => {
  const { call } = respondWith('{"a":1}', { status: 599, statusText: 'Odd' })
  await expect(call(note, sentNote)).rejects.toMatchObject({
    message: 'Generic Error: status: 599; status text: Odd; body: {\n  "a": 1\n}',
  })
})

test('the types reject calls that the contract does not describe', () => {
  const { call } = respondWith('{}', { status: 200 })
  const never = () => {
    // @ts-expect-error a parameter is missing
    call(note, { params: { owner: 'me' }, body: '' })
    // @ts-expect-error the body is text
    call(note, { ...sentNote, body: { a: 1 } })
    // @ts-expect-error the query is a number
    call(note, { ...sentNote, query: { limit: true } })
    // @ts-expect-error `name` of the path has no schema
    endpoint('GET', '/x/{name}', { summary: '', access: 'anyone' })
  }
  expect(never).toBeInstanceOf(Function)
})
