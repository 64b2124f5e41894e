import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { endSession } from './sign-out.ts'

let assignSpy: MockInstance<typeof location.assign>
const mockFetch = (status: number, body: unknown) => vi.stubGlobal('fetch', async () => Response.json(body, { status }))
const storeUsers = () => {
  sessionStorage.setItem('oidc.user:https://id.example:passport-dev-tokens', '{"access_token":"a"}')
  sessionStorage.setItem('oidc.user:https://id.example:another', '{"access_token":"b"}')
  sessionStorage.setItem('passport.draft:/app/x:name', '{"value":"typed"}')
  sessionStorage.setItem('passport.theme', 'kept')
}

beforeEach(() => {
  assignSpy = vi.spyOn(location, 'assign').mockImplementation(() => {})
})
afterEach(() => {
  sessionStorage.clear()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('signing out removes the tokens and drafts of the tab, and nothing else', async () => {
  storeUsers()
  mockFetch(200, { endSessionUrl: 'https://idp.example/end' })
  await endSession()
  expect({ ...sessionStorage }).toEqual({ 'passport.theme': 'kept' })
  expect(assignSpy).toHaveBeenCalledExactlyOnceWith('https://idp.example/end')
})

test('a request that is too long for a URL is sent as a form', async () => {
  const submitted: Record<string, unknown>[] = []
  vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(function (this: HTMLFormElement) {
    submitted.push({ method: this.method, action: this.action, ...Object.fromEntries(new FormData(this)) })
  })
  mockFetch(200, { endSessionUrl: 'https://id.example/login/signout', endSessionTicket: 'sealed' })
  await endSession()
  expect(submitted).toEqual([{ method: 'post', action: 'https://id.example/login/signout', ticket: 'sealed' }])
  expect(assignSpy).not.toHaveBeenCalled()
})

test('a failed sign-out keeps the tokens', async () => {
  storeUsers()
  mockFetch(500, {
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    code: 'internal',
    traceId: '0af7',
  })
  await endSession()
  expect(Object.keys(sessionStorage)).toHaveLength(4)
  expect(assignSpy).not.toHaveBeenCalled()
})

test('signs out even with blocked storage', async () => {
  mockFetch(200, { endSessionUrl: null })
  vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(() => {
    throw new DOMException('no', 'SecurityError')
  })
  sessionStorage.setItem('oidc.user:x', '{}')
  await endSession()
  expect(assignSpy).toHaveBeenCalledExactlyOnceWith('/app/')
})
