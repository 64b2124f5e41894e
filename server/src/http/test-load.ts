import { setTimeout as delay } from 'node:timers/promises'
import { createTestBrowser } from '@passport/world/browser'
import type { TestProcesses } from '../test-processes.ts'
import { proxySettings, type RunningProxy } from './test-proxies.ts'

const secret = 'the secret of the application under load'
const origin = proxySettings.PUBLIC_URL

/** The settings of servers behind a proxy with the client of the load. */
export const loadSettings = {
  ...proxySettings,
  CLIENTS: JSON.stringify([
    { clientId: 'gate', clientName: 'Gate', clientSecret: secret, scopes: ['permissions.read'] },
  ]),
}

/** Adds the user of the load; returns the password. */
export async function addLoadUser({ run }: TestProcesses, env: Record<string, string>): Promise<string> {
  const args = ['nora', '--add', 'Nora Lind', 'nora@id.example']
  const { output } = await run('commands/password.ts', args, env).exited
  return /New password of nora: {2}(\S+)/.exec(output)?.[1] ?? ''
}

export interface Load {
  answered: { signIns: number; tokens: number; keys: number }
  /** All requests: those of a sign-in, too. */
  requests: number
  failures: string[]
  /** Returns all figures as a text. */
  format: () => string
  /** Ends the load. */
  end: () => Promise<void>
}

/** Signs users in, and requests tokens and keys, without a pause until the end. */
export function startLoad(proxy: RunningProxy, password: string): Load {
  const load = { answered: { signIns: 0, tokens: 0, keys: 0 }, requests: 0, failures: [] as string[], isEnding: false }
  let clientCount = 0
  /** Limits count by address: each sign-in comes from another one. */
  const connect = () => {
    clientCount++
    return proxy.connect(`127.1.${clientCount >> 8}.${(clientCount % 255) + 1}`)
  }
  const repeat = async (kind: keyof Load['answered'], work: () => Promise<void>) => {
    while (!load.isEnding) {
      try {
        await work()
        load.answered[kind]++
      } catch (error) {
        load.failures.push(`${kind}: ${error instanceof Error ? error.message : error}`)
        // Without servers, thousands of requests would fail in a second.
        await delay(100)
      }
    }
  }
  const signIn = async () => {
    const { send, close } = connect()
    const count = (...request: Parameters<typeof send>) => {
      load.requests++
      return send(...request)
    }
    const browser = createTestBrowser(origin, {}, count)
    const page = await browser.submit(await browser.open('/login'), { name: 'nora', password })
    close()
    if (!page.url.startsWith(`${origin}/app/login`))
      throw new Error(`${page.status} at ${page.url}: ${page.text.slice(0, 300)}`)
  }
  const repeatRequest = (
    kind: 'tokens' | 'keys',
    path: string,
    init: Parameters<ReturnType<typeof connect>['send']>[1],
  ) => {
    const { send, close } = connect()
    return repeat(kind, async () => {
      load.requests++
      const response = await send(new URL(path, origin), init)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 300)}`)
      // The rest of the machine starts servers.
      await delay(5)
    }).finally(close)
  }
  const tokenRequest = {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`gate:${encodeURIComponent(secret)}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials&scope=permissions.read',
  }
  const running = [
    ...Array.from({ length: 3 }, () => repeat('signIns', signIn)),
    ...Array.from({ length: 2 }, () => repeatRequest('tokens', '/connect/token', tokenRequest)),
    repeatRequest('keys', '/connect/jwks', { headers: {} }),
  ]
  const format = () => {
    const { signIns, tokens, keys } = load.answered
    return `${load.requests} requests, ${signIns} sign-ins, ${tokens} tokens, ${keys} keys, ${load.failures.length} failed`
  }
  return Object.assign(load, {
    format,
    end: async () => {
      load.isEnding = true
      await Promise.all(running)
    },
  })
}
