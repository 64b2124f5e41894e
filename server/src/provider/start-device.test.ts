import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startTestService } from '../test-service.ts'
import { hashToken } from '../vault.ts'

const secret = 'the secret of a television with a server of its own'
const clients = [
  { clientId: 'headset', clientName: 'Headset', deviceFlow: true },
  { clientId: 'pinned', clientName: 'Pinned', deviceFlow: 'pin' },
  { clientId: 'television', clientName: 'Television', clientSecret: secret, deviceFlow: true },
  { clientId: 'shop', clientName: 'Shop', redirectUris: ['https://shop.example/callback'] },
]
const service = await startTestService({ CLIENTS: JSON.stringify(clients) })
const { sql, url } = service

async function start(form: Record<string, string> | string, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers, body: new URLSearchParams(form) }
  const response = await fetch(`${url}/connect/deviceauthorization`, init)
  const body = (await response.json()) as Record<string, string>
  return { status: response.status, ...body } as Record<string, unknown>
}

const readStored = async (deviceCode: unknown) => {
  const [row] = await sql`
    select client_id, scopes, match_number, is_pin_required, session_id, user_agent,
      round(extract(epoch from expires_at - now()) / 60) as minutes
    from device_authorizations where device_code_hash = ${hashToken(String(deviceCode))}`
  return row
}

describe('a device authorization request', () => {
  it('has both codes, and is stored with its origin', async () => {
    const started = await start({ client_id: 'headset', scope: 'openid email' }, { 'user-agent': 'Headset/1.0' })
    expect(started).toEqual({
      status: 200,
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${url}/app/device`,
      verification_uri_complete: `${url}/app/device?user_code=${started['user_code']}`,
      expires_in: 600,
      interval: 5,
    })
    expect(await readStored(started['device_code'])).toMatchObject({
      clientId: 'headset',
      scopes: ['openid', 'email'],
      matchNumber: null,
      isPinRequired: false,
      sessionId: null,
      userAgent: 'Headset/1.0',
      minutes: '10',
    })
    const stored = await sql`select * from provider_artifacts where kind = 'DeviceCode'`
    expect(JSON.stringify(stored)).not.toContain(String(started['device_code']))
    expect(JSON.stringify(stored)).not.toContain(String(started['user_code']).replace('-', ''))
  })

  it.for([
    ['scope=openid+openid', ['openid']],
    ['scope=openid+unknown', ['openid']],
    ['scope=', []],
    ['', []],
    ['scope=openid+api_vertex_core+offline_access', ['openid', 'api_vertex_core', 'offline_access']],
  ] as const)('with %s is for the scopes %j', async ([query, scopes]) => {
    const { device_code: deviceCode } = await start(`client_id=headset&${query}`)
    expect((await readStored(deviceCode))?.['scopes']).toEqual(scopes)
  })

  it('requires a PIN by its client or its parameter, and matches a number only for the built-in test client', async () => {
    expect(await start({ client_id: 'pinned', scope: 'openid' })).toMatchObject({ passport_pin: 'required' })
    const started = await start({ client_id: 'headset', passport_pin: 'required', passport_match: 'number' })
    expect(started).toMatchObject({ status: 200, passport_pin: 'required' })
    expect(started).not.toHaveProperty('passport_match')
  })

  const audience = encodeURIComponent(`${url}/passport`)
  it.for([
    ['no client', 'scope=openid', 400, 'invalid_request'],
    ['an unknown client', 'client_id=nobody', 401, 'invalid_client'],
    ['a wrong secret', 'client_id=television&client_secret=wrong', 401, 'invalid_client'],
    ['no secret', 'client_id=television', 401, 'invalid_client'],
    ['a client without the device flow', 'client_id=shop', 400, 'unauthorized_client'],
    ['a malformed scope', 'client_id=headset&scope=%22', 400, 'invalid_scope'],
    ['a repeated scope', 'client_id=headset&scope=openid&scope=email', 400, 'invalid_request'],
    ['an unknown resource', 'client_id=headset&scope=openid&resource=https%3A%2F%2Fa.example', 400, 'invalid_target'],
    ['a resource without a scope of it', `client_id=headset&scope=openid&resource=${audience}`, 400, 'invalid_scope'],
    ['a resource with its scope', `client_id=headset&scope=api_vertex_core&resource=${audience}`, 200, undefined],
    ['a request object', 'client_id=headset&scope=openid&request=x', 400, 'request_not_supported'],
    ['the address of a request object', 'client_id=headset&request_uri=x', 400, 'request_uri_not_supported'],
    ['a registration', 'client_id=headset&registration=x', 400, 'registration_not_supported'],
    ['an unknown parameter', 'client_id=headset&further=1', 200, undefined],
  ] as const)('with %s', async ([, form, status, error]) => {
    const started = await start(form)
    expect([started['status'], started['error']]).toEqual([status, error])
  })

  it('is traced with the page of its user code, and a failed one with its reason', async () => {
    const { user_code: userCode } = await start({ client_id: 'headset', scope: 'openid' })
    await start({ client_id: 'headset', scope: '"' })
    await service.services.traces.flush()
    const key = `device:${createHash('sha256').update(String(userCode).replace('-', '')).digest('base64url').slice(0, 22)}`
    const traces = await sql<{ keys: string[]; reason: string | null; steps: { name: string }[] }[]>`
      select keys, reason, client_id, steps from sign_in_traces where kind = 'device-request' order by at desc, id desc limit 2`
    expect(traces.map(({ reason, steps }) => [reason, steps.map(({ name }) => name)])).toEqual([
      ['invalid_scope', ['request-received', 'client-authenticated', 'parameters-checked']],
      [null, ['request-received', 'client-authenticated', 'device-shown']],
    ])
    expect(traces[1]?.keys).toContain(key)
  })
})
