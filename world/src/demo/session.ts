import { createTestBrowser, type TestBrowser } from '../browser.ts'

/** A signed-in demo user. */
export interface DemoSession {
  browser: TestBrowser
  /** Calls Passport's API; throws unless the response is a success. */
  call: <T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<T>
  /** Like `call`, and returns the response, whatever its status. */
  send: (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Response>
}

/** Signs a user in at the built-in directory of Passport. */
export async function signInToPassport(url: string, name: string, password: string): Promise<DemoSession> {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open(`${url}/login?idp=local`), { name, password })
  if (!page.url.includes('/app/')) throw new Error(`${name} cannot sign in: ${page.status} ${page.url}`)
  const send: DemoSession['send'] = (method, path, body, headers = {}) =>
    browser.send(url + path, {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    browser,
    send,
    call: async (method, path, body) => {
      const response = await send(method, path, body)
      if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
      return (response.status === 204 ? undefined : await response.json()) as never
    },
  }
}
