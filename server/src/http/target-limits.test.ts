import { describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

const service = await startTestService()
const repeat = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')

async function send(path: string, init: RequestInit = {}) {
  const response = await fetch(service.url + path, init)
  const text = await response.text()
  return [response.status, response.headers.get('content-type')?.includes('json') ? JSON.parse(text).code : 'no code']
}

describe.for(['/docs', '/passport/discovery', '/connect/authorize', '/connect/jwks', '/no/such/path'])(
  'a request to %s',
  (path) => {
    test('with more than 100 parameters is rejected', async () => {
      expect(await send(`${path}?${repeat(101)}`)).toEqual([400, 'too-many-parameters'])
      expect(await send(`${path}?${'a=1&'.repeat(3000)}`)).toEqual([400, 'too-many-parameters'])
      expect((await send(`${path}?${repeat(100)}`))[1]).not.toBe('too-many-parameters')
    })

    test('with a URL of more than 16 KB is rejected', async () => {
      expect(await send(`${path}?q=${'x'.repeat(16 * 1024)}`)).toEqual([414, 'uri-too-long'])
    })
  },
)

test('a form with more than 100 parameters is rejected by every endpoint of the protocol', async () => {
  const post = (path: string, form: string) =>
    send(path, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form })
  for (const name of ['token', 'par', 'introspect', 'revocation', 'deviceauthorization', 'userinfo']) {
    expect(await post(`/connect/${name}`, 'a=1&'.repeat(101)), name).toEqual([400, 'too-many-parameters'])
    expect((await post(`/connect/${name}`, repeat(100)))[1], name).not.toBe('too-many-parameters')
  }
})

test('a browser that opens such a URL gets a page', async () => {
  const response = await fetch(`${service.url}/login?${repeat(101)}`, { headers: { accept: 'text/html' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
})
