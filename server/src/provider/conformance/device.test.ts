import { expect, test } from 'vitest'
import { deviceCodeGrant } from '../../clients/grant-types.ts'
import { compareRows, type Side, startBoth } from './test-both.ts'
import { clientRows } from './test-client-rows.ts'
import { createProofKey } from './test-proof.ts'
import { basic, type Parameters, post } from './test-requests.ts'

// The device authorization grant (RFC 8628).

const both = await startBoth()
const path = '/connect/deviceauthorization'
const key = await createProofKey()

interface Started {
  device_code: string
  user_code: string
}
const start =
  (changes: Parameters = {}, headers: Record<string, string> = {}) =>
  (side: Side) =>
    side.send(path, post({ client_id: 'tv', scope: 'openid email', ...changes }, headers))
const poll = (
  { send }: Side,
  { device_code }: Started,
  changes: Parameters = {},
  headers: Record<string, string> = {},
) => send('/connect/token', post({ grant_type: deviceCodeGrant, device_code, client_id: 'tv', ...changes }, headers))

interface Poll {
  answer?: 'approve' | 'deny'
  scope?: string
  changes?: Parameters
  headers?: (side: Side) => Promise<Record<string, string>>
  /** The number of polls; the last one counts. */
  times?: number
}
/** Starts a request, decides about it, and polls. */
const pollAfter =
  ({ answer, scope, changes, headers, times = 1 }: Poll) =>
  async (side: Side) => {
    const started = (await (await start(scope ? { scope } : {})(side)).json()) as Started
    if (answer) await side.decideDevice(started.user_code, answer)
    for (let count = 1; count < times; count++) await poll(side, started, changes)
    return poll(side, started, changes, await headers?.(side))
  }
const prove = async ({ issuer }: Side) => key.prove('POST', `${issuer}/connect/token`)
const [ok, badRequest, badGrant] = ['200', '400 invalid_request', '400 invalid_grant']

compareRows(both, 'clients', clientRows({ path, form: async () => ({ scope: 'openid' }), success: ok }))

compareRows(both, 'devices', [
  ['starts a request', ok, start()],
  ['starts a request without a scope', ok, start({ scope: undefined })],
  ['starts a request for an API', ok, start({ scope: 'openid api_vertex_core' })],
  ['starts a request of a confidential client', ok, start({ client_id: 'shop' }, basic())],
  ['refuses a client without the grant', '400 unauthorized_client', start({ client_id: 'game' })],
  ['refuses a malformed scope', '400 invalid_scope', start({ scope: 'a"b' })],
  ['refuses an unknown resource', '400 invalid_target', start({ resource: 'https://none.example' })],
  ['refuses a repeated scope', badRequest, ({ send }) => send(path, post('client_id=tv&scope=openid&scope=email', {}))],

  ['waits for the user', '400 authorization_pending', pollAfter({})],
  ['slows a device down', '400 slow_down', pollAfter({ times: 2 })],
  ['issues tokens after the approval', ok, pollAfter({ answer: 'approve' })],
  ['issues a refresh token for offline access', ok, pollAfter({ answer: 'approve', scope: 'openid offline_access' })],
  ['refuses after a denial', '400 access_denied', pollAfter({ answer: 'deny' })],
  ['refuses a device code twice', badGrant, pollAfter({ answer: 'approve', times: 2 })],
  ['binds the tokens to a key', ok, pollAfter({ answer: 'approve', headers: prove })],
  ['refuses another client', badGrant, pollAfter({ changes: { client_id: 'shop' }, headers: async () => basic() })],
  [
    'refuses a client without the grant at the poll',
    '400 unauthorized_client',
    pollAfter({ changes: { client_id: 'game' } }),
  ],
  ['refuses an unknown device code', badGrant, pollAfter({ changes: { device_code: 'x'.repeat(43) } })],
  ['refuses a user code as a device code', badGrant, pollAfter({ changes: { device_code: 'BCDF-GHJK' } })],
  ['requires a device code', badRequest, pollAfter({ changes: { device_code: undefined } })],
  ['refuses a text as a proof', '400 invalid_dpop_proof', pollAfter({ headers: async () => ({ dpop: 'x' }) })],
])

test('a user code has eight consonants in two groups', async () => {
  const { user_code: code } = (await (await start()(both.service)).json()) as Started
  expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
})
