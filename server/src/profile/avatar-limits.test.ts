import { once } from 'node:events'
import { request } from 'node:http'
import * as api from '@passport/contract/avatar'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { createModel } from './test-models.ts'

let service: TestService
let eve: Visitor
const path = '/passport/profile/me/avatar'
const me = { params: { profileId: 'me' } }

beforeAll(async () => {
  service = await startTestService()
  eve = await service.as('eve')
})
beforeEach(async () => {
  await service.sql`delete from rate_limits`
})

/** Sends only the headers of an upload, and returns the status of the response to them. */
async function declare(type: string, length: number): Promise<number> {
  const headers = {
    'content-type': type,
    'content-length': length,
    cookie: eve.cookie,
    'sec-fetch-site': 'same-origin',
  }
  const sent = request(service.url + path, { method: 'POST', headers })
  sent.flushHeaders()
  const [{ statusCode }] = await once(sent, 'response')
  sent.on('error', () => {}).destroy()
  return statusCode
}

const mebibyte = 1024 * 1024
const form = 'multipart/form-data; boundary=x'
describe('the size of an upload', () => {
  test.for([
    ['image/png', 5 * mebibyte],
    ['image/avif', 5 * mebibyte],
    ['model/gltf-binary', 15 * mebibyte],
    [form, 21 * mebibyte],
    ['application/json', 100 * 1024],
  ] as const)('of %s is at most %i bytes, before the body is read', async ([type, limit]) => {
    expect(await declare(type, limit + 1)).toBe(413)
    const body = new Uint8Array(limit)
    expect((await eve.fetch(path, { method: 'POST', body, headers: { 'content-type': type } })).status).toBe(400)
  })

  test('of a model is 15 MiB in a form too', async () => {
    const upload = (size: number) =>
      eve.call(api.uploadAvatar, { ...me, body: { glb: new File([createModel({ size })], 'glb') } })
    for (const size of [15 * mebibyte - 4, 15 * mebibyte]) expect((await upload(size)).glbSource).toBe('upload')
    await expect(upload(15 * mebibyte + 4)).rejects.toMatchObject({
      status: 413,
      problem: { detail: 'The part glb must have at most 15728640 bytes.' },
    })
  })
})

describe('a request is refused that is', () => {
  const send = (body: string, type: string) =>
    eve.fetch(path, { method: 'POST', body, headers: { 'content-type': type } })
  const [quoted, escaped] = ['multipart/form-data; a="; boundary=y"; boundary=x', 'multipart/form-data; boundary="\\x"']
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'
  test.for([
    ['empty JSON', '{}', 'application/json', '400 avatar-invalid'],
    ['a form without a boundary', part, 'multipart/form-data', '400 invalid-form'],
    ['no form', 'x', form, '400 invalid-form'],
    ['a form of 17 parts', `${part.repeat(17)}--x--\r\n`, form, '400 invalid-form'],
    ['such a form, counted by another boundary', `${part.repeat(17)}--x--\r\n`, quoted, '400 invalid-form'],
    ['such a form with an escaped boundary', `${part.repeat(17)}--x--\r\n`, escaped, '400 invalid-form'],
    ['a form without a file', `${part.repeat(16)}--x--\r\n`, form, '400 avatar-invalid'],
    ['an SVG', '<svg/>', 'image/svg+xml', '415 unsupported-media-type'],
    ['a text', 'x', 'text/plain', '415 unsupported-media-type'],
    ['a number as a URL', '{"pngUrl":1}', 'application/json', '400 invalid-request'],
    ['a long URL', `{"pngUrl":"https://example.com/${'x'.repeat(2048)}"}`, 'application/json', '400 invalid-request'],
  ] as const)('%s', async ([, body, type, expected]) => {
    const response = await send(body, type)
    const { code } = (await response.json()) as { code: string }
    expect(`${response.status} ${code}`).toBe(expected)
  })
})

describe('a person', () => {
  const put = (url: string, kind = 'glburl') =>
    eve.fetch(`${path}/${kind}`, { method: 'PUT', body: url, headers: { 'content-type': 'text/plain' } })

  test('may write 20 times an hour, over all calls, and remove files at any time', async () => {
    const { glbUrl } = await eve.call(api.uploadAvatar, { ...me, body: { glb: new File([createModel()], 'glb') } })
    for (let count = 2; count <= 20; count++) expect((await put(String(glbUrl))).status).toBe(200)
    const refused = await put(String(glbUrl))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
    const upload = await eve.fetch(path, { method: 'POST', body: 'x', headers: { 'content-type': 'image/png' } })
    expect(upload.status).toBe(429)
    expect((await eve.fetch(`${path}/glburl`, { method: 'DELETE' })).status).toBe(204)
    const other = await service.as('dev')
    expect((await other.call(api.putAvatarGlbUrl, { ...me, body: String(glbUrl) })).glburl).toBe(glbUrl)
  })

  test('may import 10 files an hour by URL', async () => {
    for (let count = 1; count <= 10; count++) expect((await put('https://localhost/a.glb')).status).toBe(502)
    expect((await put('https://localhost/a.png', 'pngurl')).status).toBe(429)
  })
})
