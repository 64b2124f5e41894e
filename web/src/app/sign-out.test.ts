import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { leave } from './sign-out.ts'

let left: MockInstance<typeof location.assign>
const answerWith = (status: number, body: unknown) =>
  vi.stubGlobal('fetch', async () => Response.json(body, { status }))
const storeUsers = () => {
  sessionStorage.setItem('oidc.user:https://id.example:passport-dev-tokens', '{"access_token":"a"}')
  sessionStorage.setItem('oidc.user:https://id.example:another', '{"access_token":"b"}')
  sessionStorage.setItem('passport.draft', 'kept')
}

beforeEach(() => {
  left = vi.spyOn(location, 'assign').mockImplementation(() => {})
})
afterEach(() => {
  sessionStorage.clear()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('who signs out takes the tokens of the tab along, and nothing else', async () => {
  storeUsers()
  answerWith(200, { endSessionUrl: 'https://idp.example/end' })
  await leave()
  expect({ ...sessionStorage }).toEqual({ 'passport.draft': 'kept' })
  expect(left).toHaveBeenCalledExactlyOnceWith('https://idp.example/end')
})

test('who could not be signed out keeps them', async () => {
  storeUsers()
  answerWith(500, {
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    code: 'internal',
    traceId: '0af7',
  })
  await leave()
  expect(Object.keys(sessionStorage)).toHaveLength(3)
  expect(left).not.toHaveBeenCalled()
})

test('who signs out where storage is forbidden is signed out', async () => {
  answerWith(200, { endSessionUrl: null })
  vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError')
  })
  sessionStorage.setItem('oidc.user:x', '{}')
  await leave()
  expect(left).toHaveBeenCalledExactlyOnceWith('/app/')
})
