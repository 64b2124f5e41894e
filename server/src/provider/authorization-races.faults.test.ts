import { createTestBrowser } from '@passport/world/browser'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { basic, post, redirectUri, shopSettings, startShop } from './test-shop.ts'

const rounds = Number(process.env['RACE_ROUNDS'] ?? 50)
const limitMs = 60_000 + rounds * 5_000
const racers = 16
const { service, signIn } = await startShop()
const other = await startTestService(shopSettings, { sharedWith: service })

const usual = {
  client_id: 'shop',
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'S256',
}
const browser = await signIn('eve')
const session = browser.cookies().find(({ name }) => name === service.services.http.sessionCookie)

/** Sends the same request to two servers at once; returns how many responses have a code. */
async function race(path: string, cookie: string): Promise<number> {
  const responses = await Promise.all(
    Array.from({ length: racers }, (_, index) => {
      const { url } = index % 2 === 0 ? service : other
      return fetch(url + path, { redirect: 'manual', headers: { cookie, accept: 'text/html' } })
    }),
  )
  return responses.filter(({ headers }) => headers.get('location')?.includes('code=')).length
}

test(
  `a pending request has one winner of ${racers} in each of ${rounds} rounds, over two servers`,
  async () => {
    for (let round = 0; round < rounds; round++) {
      const stranger = createTestBrowser(service.url)
      const response = await stranger.send(`/connect/authorize?${new URLSearchParams(usual)}`)
      const uid = response.headers.get('location')?.split('/').at(-1) ?? ''
      const cookie = `passport-request=${uid}; ${session?.name}=${session?.value}`
      expect([round, await race(`/connect/authorize/${uid}`, cookie)]).toEqual([round, 1])
    }
  },
  limitMs,
)

test(
  `a pushed request has one winner of ${racers} in each of ${rounds} rounds, over two servers`,
  async () => {
    for (let round = 0; round < rounds; round++) {
      const response = await fetch(`${service.url}/connect/par`, post(usual, basic()))
      const { request_uri } = (await response.json()) as { request_uri: string }
      const path = `/connect/authorize?${new URLSearchParams({ client_id: 'shop', request_uri })}`
      expect([round, await race(path, `${session?.name}=${session?.value}`)]).toEqual([round, 1])
    }
  },
  limitMs,
)
