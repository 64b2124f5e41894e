import type { ApiError } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { decideDeviceAuthorization, getDeviceAuthorization } from '@passport/contract/device-authorization'
import fc from 'fast-check'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFailureCounter } from '../http/counters.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { formatUserCode, normaliseUserCode } from './user-code.ts'

let service: TestService
let headset: client.Configuration
let tester: client.Configuration

beforeAll(async () => {
  const clients = [{ clientId: 'headset', clientName: 'Stage for Quest', deviceFlow: true }]
  service = await startTestService({ CLIENTS: JSON.stringify(clients), TRUSTED_PROXIES: '127.0.0.1' })
  const discover = (id: string) =>
    client.discovery(new URL(service.url), id, {}, client.None(), { execute: [client.allowInsecureRequests] })
  headset = await discover('headset')
  tester = await discover('passport-device-test')
})

const scope = 'openid profile api_vertex_core'
const start = (parameters: Record<string, string> = { scope }) =>
  client.initiateDeviceAuthorization(headset, parameters)
const startWithNumber = async () => {
  const started = await client.initiateDeviceAuthorization(tester, { scope, passport_match: 'number' })
  return { ...started, number: String(started['passport_match']) }
}

/** Polls for the tokens once; returns the standard error or the tokens. */
async function poll(device_code: string, as = 'headset'): Promise<Record<string, unknown>> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const body = new URLSearchParams({ grant_type, device_code, client_id: as })
  return (await (await fetch(`${service.url}/connect/token`, { method: 'POST', body })).json()) as Record<
    string,
    unknown
  >
}

const view = (user: Visitor, code: string) => user.call(getDeviceAuthorization, { params: { code } })
const decide = (
  user: Visitor,
  code: string,
  action: 'approve' | 'deny',
  options: { match?: string; scopes?: string[] } = {},
) => user.call(decideDeviceAuthorization, { body: { code, action, ...options } })
const failure = (status: number, code: string) => ({ status, body: { code } })
const resetPolling = () => service.sql`update device_authorizations set last_polled_at = null`
const deleteFailureCounts = () => service.sql`delete from rate_limits`

describe('a device', () => {
  test('of a standard client is signed in once the user has approved', async () => {
    const started = await start()
    expect(started).toMatchObject({
      verification_uri: `${service.url}/app/device`,
      verification_uri_complete: `${service.url}/app/device?user_code=${started.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(started.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(await poll(started.device_code)).toMatchObject({ error: 'authorization_pending' })

    const eve = await service.as('eve')
    const viewed = await view(eve, ` ${started.user_code.toLowerCase().replace('-', ' ')}`)
    expect(viewed).toMatchObject({
      userCode: started.user_code,
      status: 'pending',
      client: { id: 'headset', name: 'Stage for Quest', logoUrl: null },
      scopes: [{ name: 'openid', description: 'Know who you are' }, { name: 'profile' }, { name: 'api_vertex_core' }],
      device: { ipAddress: '127.0.0.0/24', sameNetwork: true, distance: 'same-network', callerNetwork: '127.0.0.0/24' },
      match: { required: false },
    })
    expect(await decide(eve, started.user_code, 'approve')).toEqual({
      userCode: started.user_code,
      status: 'approved',
      pin: null,
    })
    expect(await decide(eve, started.user_code, 'approve')).toMatchObject({ status: 'approved' })
    await resetPolling()
    const tokens = await client.pollDeviceAuthorizationGrant(headset, { ...started, interval: 1 })
    expect(tokens.claims()?.sub).toBe(eve.id)
    expect(tokens.refresh_token).toBeUndefined()
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const me = await fetch(`${service.url}${getCurrentUser.path}`, { headers })
    expect(await me.json()).toMatchObject({ claims: { preferred_username: 'eve' } })
    expect(await poll(started.device_code)).toMatchObject({ error: 'invalid_grant' })
    const [recorded] = await service.sql`select after, ip from audit_events where action = 'device.approved'`
    expect(recorded).toMatchObject({
      ip: '127.0.0.1',
      after: { client: 'headset', device: { ip: '127.0.0.1', userAgent: expect.stringContaining('openid-client') } },
    })
  })

  test('gets `access_denied` if the user denies it', async () => {
    const { user_code: code, device_code } = await start()
    const eve = await service.as('eve')
    expect(await decide(eve, code, 'deny')).toMatchObject({ status: 'denied' })
    expect(await poll(device_code)).toMatchObject({ error: 'access_denied' })
    await expect(decide(eve, code, 'approve')).rejects.toMatchObject(failure(409, 'device-code-used'))
  })

  test('that polls too often must poll more slowly from then on', async () => {
    const { device_code } = await start()
    expect(await poll(device_code)).toMatchObject({ error: 'authorization_pending' })
    expect(await poll(device_code)).toMatchObject({ error: 'slow_down' })
    const backdatePoll = (seconds: number) =>
      service.sql`update device_authorizations set last_polled_at = now() - make_interval(secs => ${seconds}) where last_polled_at is not null`
    await backdatePoll(6)
    expect(await poll(device_code)).toMatchObject({ error: 'slow_down' })
    await backdatePoll(16)
    expect(await poll(device_code)).toMatchObject({ error: 'authorization_pending' })
  })

  test('with an expired code gets `expired_token`, and the user 410', async () => {
    const { user_code: code, device_code } = await start()
    await service.sql`update device_authorizations set expires_at = now() - interval '1 second' where decision is null`
    await service.sql`update provider_artifacts set expires_at = now() - interval '1 second' where kind = 'DeviceCode'`
    expect(await poll(device_code)).toMatchObject({ error: 'expired_token' })
    const eve = await service.as('eve')
    await expect(view(eve, code)).rejects.toMatchObject(failure(410, 'device-code-expired'))
    await expect(decide(eve, code, 'approve')).rejects.toMatchObject(failure(410, 'device-code-expired'))
  })

  test('gets a refresh token only if it requested one and the user was informed', async () => {
    const started = await start({ scope: 'openid offline_access' })
    const eve = await service.as('eve')
    expect((await view(eve, started.user_code)).scopes).toContainEqual({
      name: 'offline_access',
      description: 'Stay signed in while you are away',
    })
    await decide(eve, started.user_code, 'approve')
    const { refresh_token } = await poll(started.device_code)
    const again = await client.refreshTokenGrant(headset, String(refresh_token))
    expect(again.claims()?.sub).toBe(eve.id)
  })

  test('gets no more scopes than the user granted', async () => {
    const started = await start()
    const eve = await service.as('eve')
    const added = decide(eve, started.user_code, 'approve', { scopes: ['openid', 'email'] })
    await expect(added).rejects.toMatchObject({ status: 400, body: { errors: [{ field: 'scopes' }] } })
    await decide(eve, started.user_code, 'approve', { scopes: ['openid'] })
    expect(await poll(started.device_code)).toMatchObject({ scope: 'openid' })
  })

  test('is approved once, even by concurrent decisions', async () => {
    const started = await start()
    const users = await Promise.all(['ada', 'dev', 'eve', 'max'].map((name) => service.as(name as 'ada')))
    const results = await Promise.allSettled(users.map((user) => decide(user, started.user_code, 'approve')))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject(failure(404, 'device-code-not-found'))
    await deleteFailureCounts()
    const polls = await Promise.all(Array.from({ length: 8 }, () => poll(started.device_code)))
    expect(polls.filter((response) => 'access_token' in response)).toHaveLength(1)
  })
})

describe('a device with number matching', () => {
  test('is approved with the number', async () => {
    const { user_code: code, device_code, number } = await startWithNumber()
    const eve = await service.as('eve')
    expect((await view(eve, code)).match).toEqual({ required: true, kind: 'number', digits: 2, attemptsLeft: 3 })
    const wrong = await decide(eve, code, 'approve', { match: '00' }).catch((error: ApiError) => error)
    expect(wrong).toMatchObject({ status: 400, body: { code: 'match-wrong', attemptsLeft: 2 } })
    await decide(eve, code, 'approve', { match: number })
    expect(await poll(device_code, 'passport-device-test')).toHaveProperty('access_token')
  })

  test('is denied after the third wrong number', async () => {
    const { user_code: code, device_code, number } = await startWithNumber()
    const eve = await service.as('eve')
    await expect(decide(eve, code, 'approve')).rejects.toMatchObject(failure(400, 'match-wrong'))
    await expect(decide(eve, code, 'approve', { match: '00' })).rejects.toMatchObject(failure(400, 'match-wrong'))
    await expect(decide(eve, code, 'approve', { match: '00' })).rejects.toMatchObject(
      failure(409, 'device-code-denied'),
    )
    await expect(decide(eve, code, 'approve', { match: number })).rejects.toMatchObject(
      failure(409, 'device-code-used'),
    )
    expect(await poll(device_code, 'passport-device-test')).toMatchObject({ error: 'access_denied' })
  })

  test('needs no number unless it is the built-in test device', async () => {
    const started = await start({ scope, passport_match: 'number' })
    expect(started).not.toHaveProperty('passport_match')
    expect((await view(await service.as('eve'), started.user_code)).match.required).toBe(false)
  })
})

describe('the approving user', () => {
  test('sees the distance between the device’s network and their own', async () => {
    const body = new URLSearchParams({ client_id: 'headset', scope })
    const headers = { 'x-forwarded-for': '127.0.99.7' }
    const response = await fetch(`${service.url}/connect/deviceauthorization`, { method: 'POST', body, headers })
    const { user_code: code } = (await response.json()) as { user_code: string }
    expect((await view(await service.as('eve'), code)).device).toMatchObject({
      ipAddress: '127.0.99.0/24',
      callerNetwork: '127.0.0.0/24',
      sameNetwork: false,
      distance: 'same-range',
    })
  })

  test('must have authenticated in the last 12 hours, in a session', async () => {
    const { user_code: code } = await start()
    const dev = await service.as('dev')
    await service.sql`update sessions set auth_time = now() - interval '12 hours 1 minute' where user_id = ${dev.id}`
    await expect(decide(dev, code, 'approve')).rejects.toMatchObject(failure(401, 'reauthentication-required'))
    expect((await view(dev, code)).status).toBe('pending')
  })

  test('is locked after five wrong codes, until the counts expire', async () => {
    await deleteFailureCounts()
    const [max, eve] = [await service.as('max'), await service.as('eve')]
    const { user_code: code } = await start()
    for (let time = 0; time < 5; time++)
      await expect(view(max, 'BBBB-BBBB')).rejects.toMatchObject(failure(404, 'device-code-not-found'))
    await expect(view(max, 'BBBB-BBBB')).rejects.toMatchObject(failure(429, 'too-many-requests'))
    await expect(view(max, code)).rejects.toMatchObject(failure(429, 'too-many-requests'))
    expect((await view(eve, code)).status).toBe('pending')
    await deleteFailureCounts()
    expect((await view(max, code)).status).toBe('pending')
  })

  test('who is locked does not use up the attempts of their network', async () => {
    await deleteFailureCounts()
    const [max, eve] = [await service.as('max'), await service.as('eve')]
    const { user_code: code } = await start()
    for (let time = 0; time < 5; time++)
      await expect(view(max, 'BBBB-BBBB')).rejects.toMatchObject(failure(404, 'device-code-not-found'))
    await Promise.all(
      Array.from({ length: 100 }, () =>
        expect(view(max, 'BBBB-BBBB')).rejects.toMatchObject(failure(429, 'too-many-requests')),
      ),
    )
    expect((await view(eve, code)).status).toBe('pending')
    await deleteFailureCounts()
  })

  test('keeps their own attempts while their network has none left', async () => {
    await deleteFailureCounts()
    const eve = await service.as('eve')
    const { user_code: code } = await start()
    const network = createFailureCounter(service.sql, 'device-code-network', 100, 600)
    for (let time = 0; time < 100; time++) expect(await network.begin('127.0.0.0/24')).toBe(0)
    for (let time = 0; time < 6; time++)
      await expect(view(eve, code)).rejects.toMatchObject(failure(429, 'too-many-requests'))
    await network.reset('127.0.0.0/24')
    expect((await view(eve, code)).status).toBe('pending')
  })

  test('does not see decisions of other users', async () => {
    const { user_code: code } = await start()
    await decide(await service.as('eve'), code, 'approve')
    await expect(view(await service.as('dev'), code)).rejects.toMatchObject(failure(404, 'device-code-not-found'))
    await expect(view(await service.as('eve'), code)).rejects.toMatchObject(failure(409, 'device-code-used'))
    await deleteFailureCounts()
  })

  test('may send no other fields', async () => {
    const eve = await service.as('eve')
    const body = JSON.stringify({ code: 'BBBB-BBBB', action: 'approve', userId: 'another' })
    const headers = { 'content-type': 'application/json' }
    expect((await eve.fetch('/passport/deviceauthorization', { method: 'POST', body, headers })).status).toBe(400)
  })
})

describe('the browser that started a request', () => {
  test('receives its status as it changes, and no other request’s', async () => {
    const dev = await service.as('dev')
    const disconnect = new AbortController()
    const stream = await dev.fetch('/passport/deviceauthorization/events', { signal: disconnect.signal })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    const readStatus = async () =>
      JSON.parse(/^data: (.+)\n\n/.exec((await reader?.read())?.value ?? '')?.[1] ?? '{}').status
    expect(await readStatus()).toBe('none')
    const body = new URLSearchParams({ client_id: 'passport-device-test', scope })
    const response = await dev.fetch('/connect/deviceauthorization', { method: 'POST', body })
    const { user_code: code } = (await response.json()) as { user_code: string }
    expect(await readStatus()).toBe('pending')
    await start()
    const eve = await service.as('eve')
    await view(eve, code)
    expect(await readStatus()).toBe('viewed')
    await decide(eve, code, 'deny')
    expect(await readStatus()).toBe('denied')
    disconnect.abort()
  })

  test('must be signed in', async () => {
    const anonymous = await service.as(undefined)
    const rejected = await anonymous.fetch('/passport/deviceauthorization/events')
    expect(await rejected.json()).toMatchObject({ status: 401, code: 'not-signed-in' })
  })
})

test('neither code can be read from the stored data', async () => {
  const { user_code, device_code } = await start()
  const stored = JSON.stringify([
    await service.sql`select * from device_authorizations`,
    await service.sql`select * from provider_artifacts`,
  ])
  for (const secret of [user_code, user_code.replace('-', ''), device_code]) expect(stored).not.toContain(secret)
})

test('a code is parsed in any case and with any punctuation, and nothing else is accepted', () => {
  const letters = fc.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
  const noise = fc.stringMatching(/^[-_. /]{0,3}$/)
  fc.assert(
    fc.property(letters, noise, fc.nat({ max: 8 }), fc.boolean(), (code, between, index, isLower) => {
      const typed = code.slice(0, index) + between + code.slice(index)
      expect(normaliseUserCode(isLower ? typed.toLowerCase() : typed)).toBe(code)
      expect(normaliseUserCode(formatUserCode(code))).toBe(code)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(normaliseUserCode(text) ?? 'BBBBBBBB').toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
    }),
  )
})
