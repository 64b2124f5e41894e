import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import { startTestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { requestTokens } from './test-tokens.ts'

const secret = 'the secret of a television with a server of its own'
const clients = [
  { clientId: 'headset', clientName: 'Headset', deviceFlow: true },
  { clientId: 'pinned', clientName: 'Pinned', deviceFlow: 'pin' },
  { clientId: 'television', clientName: 'Television', clientSecret: secret, deviceFlow: true },
  { clientId: 'shop', clientName: 'Shop', clientSecret: secret, redirectUris: ['https://shop.example/callback'] },
]
const settings = { CLIENTS: JSON.stringify(clients) }
const service = await startTestService(settings)
const { sql } = service
let eve: Visitor

beforeAll(async () => {
  eve = await service.as('eve')
})

const secretOf = (clientId: string) => ({ ...(['television', 'shop'].includes(clientId) && { client_secret: secret }) })
const post = (form: Record<string, string> | string): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(form),
})

interface Device {
  clientId: string
  device_code: string
  user_code: string
}

async function start(clientId: string, scope = 'openid'): Promise<Device> {
  const form = post({ client_id: clientId, scope, ...secretOf(clientId) })
  const response = await fetch(`${service.url}/connect/deviceauthorization`, form)
  return { clientId, ...((await response.json()) as Omit<Device, 'clientId'>) }
}

const toForm = ({ device_code, clientId }: Device) => ({
  grant_type: deviceCodeGrant,
  device_code,
  client_id: clientId,
  ...secretOf(clientId),
})
const poll = (device: Device, changes: Record<string, string> = {}) =>
  requestTokens(service, post({ ...toForm(device), ...changes }))
const decide = ({ user_code: code }: Device, action: 'approve' | 'deny') =>
  eve.call(decideDeviceAuthorization, { body: { code, action } })
const wait = (seconds: number) => sql`
  update device_authorizations set last_polled_at = last_polled_at - make_interval(secs => ${seconds})`
const expire = async () => {
  await sql`update device_authorizations set expires_at = now() - interval '1 second'`
  await sql`update provider_artifacts set expires_at = now() - interval '1 second' where kind = 'DeviceCode'`
}

describe('a poll of a device', () => {
  const requests: [string, (device: Device) => Record<string, string> | string, number, string][] = [
    ['as itself', toForm, 400, 'authorization_pending'],
    ['as another device', (device) => toForm({ ...device, clientId: 'headset' }), 400, 'invalid_grant'],
    [
      'as a client without the device flow',
      (device) => toForm({ ...device, clientId: 'shop' }),
      400,
      'unauthorized_client',
    ],
    ['with a wrong secret', (device) => ({ ...toForm(device), client_secret: 'wrong' }), 401, 'invalid_client'],
    ['with a scope', (device) => ({ ...toForm(device), scope: 'openid "' }), 400, 'authorization_pending'],
    ['with the code twice', (device) => `${new URLSearchParams(toForm(device))}&device_code=x`, 400, 'invalid_request'],
    ['with an unknown code', (device) => ({ ...toForm(device), device_code: 'unknown' }), 400, 'invalid_grant'],
    ['with an empty code', (device) => ({ ...toForm(device), device_code: '' }), 400, 'invalid_request'],
  ]
  it.for(requests)('%s before the decision', async ([, form, status, error]) => {
    const device = await start('television')
    expect(await requestTokens(service, post(form(device)))).toMatchObject({ status, error })
    const isPoll = error === 'authorization_pending'
    // Only a poll of the device itself counts.
    expect((await poll(device)).error).toBe(isPoll ? 'slow_down' : 'authorization_pending')
  })

  it('that is too soon has to wait 5 seconds longer each time', async () => {
    const device = await start('headset')
    const errors = []
    for (const seconds of [0, 3, 6, 16, 11, 21]) {
      await wait(seconds)
      errors.push((await poll(device)).error)
    }
    const pending = 'authorization_pending'
    expect(errors).toEqual([pending, 'slow_down', 'slow_down', pending, 'slow_down', pending])
  })

  it('after the decision has the tokens once, or the denial', async () => {
    const approved = await start('headset')
    await decide(approved, 'approve')
    expect(await poll(approved, { client_id: 'pinned' })).toMatchObject({ status: 400, error: 'invalid_grant' })
    const tokens = await poll(approved)
    expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', scope: 'openid', id_token: expect.any(String) })
    expect(tokens.refresh_token).toBeUndefined()
    expect(await poll(approved)).toMatchObject({ status: 400, error: 'invalid_grant' })

    const denied = await start('headset')
    await decide(denied, 'deny')
    for (let round = 0; round < 2; round++) expect(await poll(denied)).toMatchObject({ error: 'access_denied' })
  })

  it('has a refresh token with offline_access, and tokens of an API with its scope', async () => {
    const device = await start('television', 'openid offline_access api_vertex_core')
    await decide(device, 'approve')
    const { refresh_token: token = '', access_token: accessToken = '' } = await poll(device)
    const user = await fetch(`${service.url}/passport/apphelper/user`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect(user.status).toBe(200)
    const form = { grant_type: 'refresh_token', refresh_token: token, client_id: 'television', client_secret: secret }
    expect(await requestTokens(service, post(form))).toMatchObject({ status: 200, scope: 'openid api_vertex_core' })
  })

  it('that comes again later than 3 s after the tokens ends the grant', async () => {
    const device = await start('headset', 'openid email')
    await decide(device, 'approve')
    const { access_token: token = '' } = await poll(device)
    const readUserInfo = async () =>
      (await fetch(`${service.url}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status
    await poll(device)
    expect(await readUserInfo()).toBe(200)
    await sql`update provider_artifacts set consumed_at = consumed_at - interval '4 seconds' where kind = 'DeviceCode'`
    expect(await poll(device)).toMatchObject({ error: 'invalid_grant' })
    expect(await readUserInfo()).toBe(401)
  })

  it('of an expired code says so, whatever was decided', async () => {
    for (const action of [undefined, 'approve', 'deny'] as const) {
      const device = await start('headset')
      if (action) await decide(device, action)
      await expire()
      expect(await poll(device)).toMatchObject({ status: 400, error: 'expired_token' })
    }
  })

  it('with a PIN is pending until the PIN is entered', async () => {
    const device = await start('pinned')
    await decide(device, 'approve')
    expect(await poll(device)).toMatchObject({ error: 'authorization_pending' })
  })

  it('executes one statement while the user has not decided', async () => {
    const device = await start('headset')
    const statements = await recordStatements(sql, () => poll(device))
    expect(statements).toEqual([expect.stringContaining('pending_device_codes')])
  })

  it('of 8 at once is in time for one of them', async () => {
    const device = await start('headset')
    const errors = (await Promise.all(Array.from({ length: 8 }, () => poll(device)))).map(({ error }) => error)
    expect(errors.filter((error) => error === 'authorization_pending')).toHaveLength(1)
    expect(errors.filter((error) => error === 'slow_down')).toHaveLength(7)
  })

  it('of 16 at once after the approval has tokens for one of them, also by two processes', async () => {
    const other = await startTestService(settings, { sharedWith: service })
    const device = await start('headset')
    await decide(device, 'approve')
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, index) => requestTokens(index % 2 ? other : service, post(toForm(device)))),
    )
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(({ error }) => error === 'invalid_grant')).toHaveLength(15)
  })

  it('has no tokens without an approval, in any sequence', async () => {
    const steps = fc.array(fc.constantFrom('poll', 'poll', 'approve', 'deny', 'wait', 'expire'), {
      minLength: 1,
      maxLength: 6,
    })
    const property = fc.asyncProperty(fc.constantFrom('headset', 'pinned', 'television'), steps, async (id, names) => {
      const device = await start(id)
      let state = 'pending'
      let hasExpired = false
      for (const name of names) {
        if (name === 'wait') await wait(60)
        else if (name === 'expire') {
          await expire()
          hasExpired = true
        } else if (name !== 'poll') {
          const isDecided = await decide(device, name).then(
            () => true,
            () => false,
          )
          // A repeated decision changes nothing.
          if (isDecided && state === 'pending')
            state = name === 'deny' ? 'denied' : id === 'pinned' ? 'pending' : 'approved'
        } else {
          const { status, error = '' } = await poll(device)
          const expected = hasExpired
            ? ['expired_token']
            : {
                pending: ['authorization_pending', 'slow_down'],
                denied: ['access_denied'],
                approved: [''],
                spent: ['invalid_grant'],
              }[state]
          expect(expected).toContain(error)
          expect([names, status]).toEqual([names, error === '' ? 200 : 400])
          if (error === '') state = 'spent'
        }
      }
    })
    await fc.assert(property, { numRuns: 20 })
  })
})
