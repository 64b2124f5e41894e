import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test, vi } from 'vitest'
import { onFileEnd } from '../../test-cleanups.ts'
import { deliverLogoutNotices } from '../back-channel.ts'
import { obtainCode, type Side, startBoth, type Tokens } from './test-both.ts'
import { basic, exchangeForm, otherUri, post, secret } from './test-requests.ts'

// OpenID Connect Back-Channel Logout 1.0.

const logoutTokens: string[] = []
const listener = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  logoutTokens.push(new URLSearchParams(body).get('logout_token') ?? '')
  response.end()
})
await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
onFileEnd(() => listener.close())
const backchannelLogoutUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/logout`
const both = await startBoth({ notified: { redirectUris: [otherUri], clientSecret: secret, backchannelLogoutUri } })

/** Signs in to the client that is notified, and out; returns the logout token. */
async function readLogoutToken(side: Side) {
  const browser = await side.signIn('eve')
  const code = await obtainCode(side, { client_id: 'notified', redirect_uri: otherUri }, browser)
  const form = exchangeForm(code, { redirect_uri: otherUri })
  const response = await side.send('/connect/token', post(form, basic('notified')))
  const session = decodeJwt(((await response.json()) as Tokens).id_token)['sid']
  await side.signOut(browser)
  if (side.name === 'service') await deliverLogoutNotices(both.started.services)
  await vi.waitFor(() => expect(logoutTokens).toHaveLength(1))
  const token = logoutTokens.pop() ?? ''
  const { alg, typ } = decodeProtectedHeader(token)
  const { iat = 0, exp = 0, jti, sid, ...claims } = decodeJwt(token)
  return { alg, typ, ...claims, lifetime: exp - iat, jti: typeof jti, isOfSession: sid === session }
}

test('the logout token is as that of the library', async () => {
  const ours = await readLogoutToken(both.service)
  expect(ours).toEqual(await readLogoutToken(both.library))
  expect(ours).toMatchObject({ aud: 'notified', typ: 'logout+jwt', isOfSession: true })
})
