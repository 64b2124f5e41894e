import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import { startTestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { hashToken } from '../vault.ts'
import { createSender, readOutcome } from './test-both-ways.ts'

// Polls of devices, answered by the direct handler and by the library: the same requests have the same responses, and the
// same effect on what is stored.

const secret = 'the secret of a television with a server of its own'
const clients = [
  { clientId: 'headset', clientName: 'Headset', deviceFlow: true },
  { clientId: 'pinned', clientName: 'Pinned', deviceFlow: 'pin' },
  { clientId: 'television', clientName: 'Television', clientSecret: secret, deviceFlow: true },
  { clientId: 'shop', clientName: 'Shop', clientSecret: secret, redirectUris: ['https://shop.example/callback'] },
]
const service = await startTestService({ CLIENTS: JSON.stringify(clients) })
const { sql } = service
const send = createSender(service)
let eve: Visitor

beforeAll(async () => {
  eve = await service.as('eve')
})

const secretOf = (clientId: string) => ({ ...(['television', 'shop'].includes(clientId) && { client_secret: secret }) })
const post = (form: Record<string, string> | string): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(form),
})

async function start(clientId: string) {
  const response = await send(
    '/connect/deviceauthorization',
    post({ client_id: clientId, scope: 'openid', ...secretOf(clientId) }),
  )
  return (await response.json()) as { device_code: string; user_code: string }
}

const pollForm = (code: string, clientId: string) => ({
  grant_type: deviceCodeGrant,
  device_code: code,
  client_id: clientId,
  ...secretOf(clientId),
})

/** Two equal requests of a device: one is polled directly, the other by the library. */
interface Pair {
  clientId: string
  codes: { device_code: string; user_code: string }[]
}

const polls: Record<string, (code: string, clientId: string) => Record<string, string> | string> = {
  'as itself': pollForm,
  'as another device': (code) => pollForm(code, 'headset'),
  'as a client without the device flow': (code) => pollForm(code, 'shop'),
  'with a wrong secret': (code) => ({ ...pollForm(code, 'television'), client_secret: 'wrong' }),
  'with a scope': (code, clientId) => ({ ...pollForm(code, clientId), scope: 'openid "' }),
  'with a resource': (code, clientId) => ({ ...pollForm(code, clientId), resource: 'https://api.example' }),
  'with the code twice': (code, clientId) => `${new URLSearchParams(pollForm(code, clientId))}&device_code=${code}`,
  'with an unknown code': (_code, clientId) => pollForm('unknown', clientId),
  'with an empty code': (_code, clientId) => pollForm('', clientId),
  'without a code': (_code, clientId) => ({ grant_type: deviceCodeGrant, client_id: clientId, ...secretOf(clientId) }),
}

const events: Record<string, (pair: Pair) => Promise<unknown>> = {
  'six seconds pass': () =>
    sql`update device_authorizations set last_polled_at = last_polled_at - interval '6 seconds'`,
  'a minute passes': () => sql`update device_authorizations set last_polled_at = last_polled_at - interval '1 minute'`,
  'the user approves': (pair) => decide(pair, 'approve'),
  'the user denies': (pair) => decide(pair, 'deny'),
  'the codes expire': async () => {
    await sql`update device_authorizations set expires_at = now() - interval '1 second'`
    await sql`update provider_artifacts set expires_at = now() - interval '1 second' where kind = 'DeviceCode'`
  },
}

/** Decides about both; a code that is decided or expired already stays as it is. */
const decide = ({ codes }: Pair, action: 'approve' | 'deny') =>
  Promise.all(
    codes.map(({ user_code: code }) => eve.call(decideDeviceAuthorization, { body: { code, action } }).catch(() => {})),
  )

const readStored = async ({ codes }: Pair) => {
  const stored = []
  for (const { device_code } of codes) {
    const [row] = await sql`
      select d.interval_seconds, d.last_polled_at is not null as is_polled, d.decision,
        a.consumed_at is not null as is_spent, a.id_hash is null as is_removed
      from device_authorizations d left join provider_artifacts a on a.kind = 'DeviceCode' and a.id_hash = d.device_code_hash
      where d.device_code_hash = ${hashToken(device_code)}`
    stored.push(row)
  }
  return stored
}

test('is answered as by the library, whatever happened before, and has the same effect', async () => {
  const steps = fc.array(fc.constantFrom('as itself', ...Object.keys(polls), ...Object.keys(events)), {
    minLength: 1,
    maxLength: 7,
  })
  const seen = new Set<unknown>()
  const compare = async (clientId: string, names: string[]) => {
    const pair = { clientId, codes: [await start(clientId), await start(clientId)] }
    for (const name of names) {
      await events[name]?.(pair)
      const form = polls[name]
      if (!form) continue
      const [direct, byLibrary] = pair.codes.map(({ device_code }) => form(device_code, clientId))
      const outcome = await readOutcome(await send('/connect/token', post(direct ?? ''), false))
      expect(outcome, name).toEqual(await readOutcome(await send('/connect/token', post(byLibrary ?? ''), true)))
      seen.add((outcome.body as { error?: string }).error)
    }
    const [direct, byLibrary] = await readStored(pair)
    expect(direct).toEqual(byLibrary)
    await sql`delete from device_authorizations`
    await sql`delete from rate_limits`
  }
  for (const name of Object.keys(polls)) await compare('television', [name, name, 'as itself'])
  for (const name of Object.keys(events)) await compare('headset', ['as itself', name, 'as itself', 'as itself'])
  await fc.assert(fc.asyncProperty(fc.constantFrom('headset', 'pinned', 'television'), steps, compare), { numRuns: 12 })
  const errors = [
    'authorization_pending',
    'slow_down',
    'access_denied',
    'expired_token',
    'invalid_grant',
    'invalid_client',
  ]
  expect(errors.filter((error) => !seen.has(error))).toEqual([])
}, 60_000)

test('executes one statement while the user has not decided', async () => {
  const { device_code } = await start('headset')
  const statements = await recordStatements(sql, () => send('/connect/token', post(pollForm(device_code, 'headset'))))
  expect(statements).toEqual([expect.stringContaining('pending_device_codes')])
})

test('of two devices with the same code at once is too soon for one of them', async () => {
  const { device_code } = await start('headset')
  const poll = async () =>
    (await readOutcome(await send('/connect/token', post(pollForm(device_code, 'headset'))))).body
  const bodies = await Promise.all(Array.from({ length: 8 }, poll))
  expect(bodies.filter((body) => (body as { error: string }).error === 'authorization_pending')).toHaveLength(1)
  expect(bodies.filter((body) => (body as { error: string }).error === 'slow_down')).toHaveLength(7)
})
