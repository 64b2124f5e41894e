import { request } from 'node:http'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningServer, runServer } from '@passport/world/process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { createDatabaseEnvironment } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'

const secret = 'the secret of the application behind two processes'
const redirectUri = 'https://shop.example/callback'
const clients = [
  {
    clientId: 'shop',
    clientName: 'Shop',
    clientSecret: secret,
    redirectUris: [redirectUri],
    scopes: ['permissions.read'],
    pkce: 'optional',
  },
]
let server: RunningServer
let sql: Sql

beforeAll(async () => {
  sql = await createTestDatabase()
  const env = await createDatabaseEnvironment(sql)
  server = await runServer({ ...env, WEB_CONCURRENCY: '2', CLIENTS: JSON.stringify(clients) })
})
afterAll(async () => {
  server.kill('SIGTERM')
  const { code, output } = await server.exited
  expect([code, output]).toEqual([0, expect.not.stringContaining('worker-ended')])
})

interface Answer {
  status: number
  body: Record<string, unknown>
}

/** Sends a request over a connection of its own: the processes take turns. */
function send(path: string, form?: Record<string, string>, authorization = basic(secret)): Promise<Answer> {
  const headers = { authorization, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }
  return new Promise((resolve, reject) => {
    const options = { agent: false as const, method: form ? 'POST' : 'GET', headers }
    const outgoing = request(server.url + path, options, async (incoming) => {
      const text = Buffer.concat(await incoming.toArray()).toString()
      resolve({ status: incoming.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : { text } })
    })
    outgoing.on('error', reject)
    outgoing.end(form && new URLSearchParams(form).toString())
  })
}

const basic = (given: string) => `Basic ${btoa(`shop:${encodeURIComponent(given)}`)}`
const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work))
const sendToken = (form: Record<string, string>) => send('/connect/token', { redirect_uri: redirectUri, ...form })

async function signIn(scope = 'openid'): Promise<string> {
  const browser = createTestBrowser(server.url)
  await browser.submit(await browser.open('/login'), { name: 'eve', password: server.password })
  const query = { client_id: 'shop', redirect_uri: redirectUri, response_type: 'code', scope }
  let url = `${server.url}/connect/authorize?${new URLSearchParams(query)}`
  for (let hop = 0; hop < 8 && url.startsWith(server.url); hop++)
    url = new URL((await browser.send(url)).headers.get('location') ?? '', url).href
  return new URL(url).searchParams.get('code') ?? ''
}

test('both processes serve, and the metrics are those of each', async () => {
  await times(6, () => send('/readyz'))
  const { text } = (await send('/metrics')).body
  const find = (name: string) =>
    String(text)
      .split('\n')
      .filter((line) => line.startsWith(name))
  const requests = find('http_requests_total{method="GET",route="/readyz"')
  expect(requests.map((line) => Number(line.split(' ')[1])).reduce((sum, count) => sum + count)).toBe(6)
  expect(requests.map((line) => /worker="(\d)"/.exec(line)?.[1]).sort()).toEqual(['1', '2'])
  expect(find('process_start_time_seconds')).toHaveLength(2)
  expect(find('passport_mail_oldest_seconds')).toEqual(['passport_mail_oldest_seconds 0'])
})

describe('of 16 requests at once to both processes', () => {
  test('one redeems a code, and all that refresh get the same successor, which is refused once it is revoked', async () => {
    const code = await signIn()
    const redeemed = await times(16, () => sendToken({ grant_type: 'authorization_code', code }))
    const [won, ...others] = redeemed.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(redeemed.filter(({ body }) => body['error'] === 'invalid_grant')).toHaveLength(15)

    const refreshToken = String(won?.body['refresh_token'])
    const refreshed = await times(16, () => sendToken({ grant_type: 'refresh_token', refresh_token: refreshToken }))
    const successors = refreshed.filter(({ status }) => status === 200).map(({ body }) => String(body['refresh_token']))
    expect(new Set(successors).size).toBe(1)
    expect(successors[0]).not.toBe(refreshToken)

    const token = String(refreshed.find(({ status }) => status === 200)?.body['access_token'])
    const readUser = async () => (await send('/connect/userinfo', undefined, `Bearer ${token}`)).status
    expect(new Set(await times(4, readUser))).toEqual(new Set([200]))
    await send('/connect/revocation', { token })
    expect(new Set(await times(4, readUser))).toEqual(new Set([401]))
  })

  test('30 wrong secrets are answered, whichever process counts them, and the correct one always', async () => {
    const guess = () => send('/connect/token', { grant_type: 'client_credentials' }, basic('wrong'))
    const guesses = [...(await times(16, guess)), ...(await times(16, guess))]
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(30)
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(2)
    const correct = await times(4, () => sendToken({ grant_type: 'client_credentials', scope: 'permissions.read' }))
    expect(correct.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})

test('a revoked token of an application is refused by both processes, which remember it', async () => {
  const { body } = await sendToken({ grant_type: 'client_credentials', scope: 'permissions.read' })
  const token = String(body['access_token'])
  const read = async () => (await send('/passport/admin/tools/permissions/status', undefined, `Bearer ${token}`)).status
  expect(new Set(await times(4, read))).toEqual(new Set([200]))
  await send('/connect/revocation', { token })
  // The other process is notified.
  await expect.poll(async () => new Set(await times(4, read)), { interval: 5 }).toEqual(new Set([401]))
})

test('the tokens of a disabled application stop in both processes at once, even without a notification', async () => {
  const code = await signIn('openid api_vertex_core')
  const { body } = await sendToken({ grant_type: 'authorization_code', code })
  const token = String(body['access_token'])
  const paths = ['/passport/apphelper/user', '/connect/userinfo']
  const read = async () => {
    const answers = paths.map(async (path) => (await send(path, undefined, `Bearer ${token}`)).status)
    const introspected = await send('/connect/introspect', { token })
    return [
      ...(await Promise.all(answers)),
      introspected.status === 200 ? introspected.body['active'] : 'refused',
    ].join(' ')
  }
  expect(new Set(await times(4, read))).toEqual(new Set(['200 200 true']))
  await sql`alter table clients disable trigger clients_changed`
  await sql`update clients set enabled = false where client_id = 'shop'`
  expect(new Set(await times(4, read))).toEqual(new Set(['401 401 refused']))
})
