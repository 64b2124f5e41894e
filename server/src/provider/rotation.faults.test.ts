import { createTestBrowser } from '@passport/world/browser'
import { type RunningServer, runServer } from '@passport/world/process'
import * as client from 'openid-client'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabaseEnvironment } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'
import { hashToken } from '../vault.ts'
import { ageTokensByAnHour } from './test-shop.ts'

const killCount = 100
const limitMs = 150_000
const clientCount = 16

// A single connection, so that all others are the server's.
const sql = await createTestDatabase({ maxConnections: 1 })
const redirectUri = 'https://game.example/callback'
const settings = {
  ...(await createDatabaseEnvironment(sql)),
  CLIENTS: JSON.stringify([{ clientId: 'game', clientName: 'Game', redirectUris: [redirectUri] }]),
}

/**
 * Kills the server while clients refresh continuously, and restarts it. A client whose response was lost repeats the
 * request with its current token. Before every tenth restart, the tokens are aged by an hour. No client may be locked
 * out.
 */
test(`${clientCount} clients survive up to ${killCount} kills of the server`, async () => {
  const startedAt = Date.now()
  let server = await runServer(settings)
  onTestFinished(() => server.kill('SIGKILL'))
  const { port } = new URL(server.url)
  const tokens: string[] = []
  for (let index = 0; index < clientCount; index++) tokens.push(await signIn(server))

  let ready = Promise.withResolvers<void>()
  ready.resolve()
  const counts = { refreshed: 0, lostResponses: 0, killed: 0 }
  const lockedOut: string[] = []
  let isDone = false
  /** The clients that have had a response since the last start. */
  const served = new Set<number>()
  const clientLoops = tokens.map(async (initialToken, index) => {
    for (let token = initialToken; !isDone; ) {
      const response = await refresh(server.url, token)
      if (response === undefined) {
        await ready.promise
        if (await isSpent(token)) counts.lostResponses++
      } else if (response.status === 200) {
        token = response.refreshToken
        served.add(index)
        counts.refreshed++
      } else if (response.status !== 503) return lockedOut.push(response.text)
    }
  })

  while (counts.killed < killCount && Date.now() - startedAt < limitMs) {
    const targetRefreshes = counts.refreshed + clientCount + Math.random() * clientCount
    served.clear()
    // A client whose response was lost takes longer than the others. It is served before the next kill, since the grace
    // period of its token ends after 10 seconds without a response. A locked-out client ends the wait.
    await expect
      .poll(() => lockedOut.length > 0 || (served.size === clientCount && counts.refreshed > targetRefreshes), {
        interval: 5,
      })
      .toBe(true)
    ready = Promise.withResolvers()
    server.kill('SIGKILL')
    await server.exited
    counts.killed++
    if (counts.killed % 10 === 0) {
      await waitForClosedConnections()
      await ageTokensByAnHour(sql)
    }
    server = await runServer({ ...settings, PORT: port })
    ready.resolve()
  }
  isDone = true
  await Promise.all(clientLoops)
  console.log(JSON.stringify(counts))
  expect(lockedOut).toEqual([])
  expect(counts.lostResponses).toBeGreaterThan(0)
  // An idle machine reaches all kills; a slow one stops at the time limit.
  expect(counts.killed).toBeGreaterThan(killCount / 4)
}, 300_000)

/** Returns the response of the token endpoint; undefined if the connection was lost. */
async function refresh(url: string, token: string) {
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'game', refresh_token: token })
  try {
    const response = await fetch(`${url}/connect/token`, { method: 'POST', body })
    const text = await response.text()
    return { status: response.status, text, refreshToken: response.ok ? String(JSON.parse(text).refresh_token) : '' }
  } catch {
    return undefined
  }
}

async function isSpent(token: string): Promise<boolean> {
  const [row] = await sql<{ isSpent: boolean }[]>`
    select consumed_at is not null as is_spent from provider_artifacts where id_hash = ${hashToken(token)}`
  return row?.isSpent === true
}

/**
 * Waits until the killed server's connections are closed. In reality its statements end long before the simulated hour.
 */
async function waitForClosedConnections() {
  const otherConnections = () => sql`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await expect.poll(() => otherConnections().then(({ length }) => length), { interval: 5, timeout: 30_000 }).toBe(0)
}

/** Signs in with a new browser and returns the refresh token. */
async function signIn({ url, password }: RunningServer): Promise<string> {
  const browser = createTestBrowser(url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password })
  const game = await client.discovery(new URL(url), 'game', {}, client.None(), {
    execute: [client.allowInsecureRequests],
  })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const authorizationUrl = client.buildAuthorizationUrl(game, {
    redirect_uri: redirectUri,
    scope: 'openid api_vertex_core',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  let location = authorizationUrl.href
  while (location.startsWith(url))
    location = new URL((await browser.send(location)).headers.get('location') ?? '', location).href
  const tokens = await client.authorizationCodeGrant(game, new URL(location), { pkceCodeVerifier })
  return tokens.refresh_token ?? ''
}
