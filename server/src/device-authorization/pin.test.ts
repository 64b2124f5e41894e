import {
  confirmDeviceAuthorization,
  decideDeviceAuthorization,
  getDeviceAuthorization,
} from '@passport/contract/device-authorization'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let eve: Visitor
let device: Visitor

beforeAll(async () => {
  const clients = [
    { clientId: 'headset', clientName: 'Stage for Quest', deviceFlow: true },
    { clientId: 'kiosk', clientName: 'Kiosk', deviceFlow: 'pin' },
  ]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  eve = await service.as('eve')
  device = await service.as(undefined)
})

async function post(path: string, form: Record<string, string>): Promise<Record<string, string>> {
  const body = new URLSearchParams({ client_id: 'headset', ...form })
  return (await (await fetch(service.url + path, { method: 'POST', body })).json()) as Record<string, string>
}

async function start(parameters: Record<string, string> = { passport_pin: 'required' }) {
  const response = await post('/connect/deviceauthorization', { scope: 'openid profile', ...parameters })
  return { deviceCode: response['device_code'] ?? '', code: response['user_code'] ?? '', response }
}

async function poll(device_code: string) {
  await service.sql`update device_authorizations set last_polled_at = null`
  return post('/connect/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })
}

const decide = (code: string, action: 'approve' | 'deny' = 'approve') =>
  eve.call(decideDeviceAuthorization, { body: { code, action } })
const enterPin = (deviceCode: string, pin: string) =>
  device.call(confirmDeviceAuthorization, { body: { deviceCode, pin } })
const failure = (status: number, code: string) => ({ status, body: { code } })
const createWrongPin = (pin: string | null) => (pin === '0000' ? '0001' : '0000')
const listConsentsOfEve = () => service.sql`select 1 from consents where user_id = ${eve.id}`

async function approveDevice() {
  const { deviceCode, code } = await start()
  const { pin } = await decide(code)
  return { deviceCode, code, pin: pin ?? '' }
}

test('the device is signed in only once the PIN has been entered on it', async () => {
  const { deviceCode, code, response } = await start()
  expect(response['passport_pin']).toBe('required')
  const viewed = await eve.call(getDeviceAuthorization, { params: { code } })
  expect(viewed.pin).toEqual({ required: true, digits: 4 })
  const { pin, status } = await decide(code)
  expect([status, pin]).toEqual(['approved', expect.stringMatching(/^\d{4}$/)])
  expect(await decide(code)).toMatchObject({ status: 'approved', pin })
  expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' })
  expect(await listConsentsOfEve()).toHaveLength(0)

  await enterPin(deviceCode, pin ?? '')
  expect(await listConsentsOfEve()).toHaveLength(1)
  const { id_token: idToken = '' } = await poll(deviceCode)
  expect(JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({ sub: eve.id })
  await expect(enterPin(deviceCode, pin ?? '')).rejects.toMatchObject(failure(409, 'device-code-used'))
  expect(await decide(code)).toMatchObject({ status: 'approved', pin: null })
  const recorded = await service.sql`select action, actor_id as actor from audit_events where action like 'device.%'`
  expect([...recorded]).toEqual([
    { action: 'device.approved', actor: eve.id },
    { action: 'device.confirmed', actor: null },
  ])
  await service.sql`delete from consents`
})

test('the third wrong PIN denies the device', async () => {
  const { deviceCode, pin } = await approveDevice()
  const wrong = createWrongPin(pin)
  await expect(enterPin(deviceCode, wrong)).rejects.toMatchObject({
    status: 400,
    body: { code: 'pin-wrong', attemptsLeft: 2 },
  })
  await expect(enterPin(deviceCode, wrong)).rejects.toMatchObject({
    body: { attemptsLeft: 1, errors: [{ field: 'pin', message: '1 attempt left' }] },
  })
  await expect(enterPin(deviceCode, wrong)).rejects.toMatchObject(failure(409, 'device-code-denied'))
  await expect(enterPin(deviceCode, pin)).rejects.toMatchObject(failure(409, 'device-code-denied'))
  expect(await poll(deviceCode)).toMatchObject({ error: 'access_denied' })
  expect(await listConsentsOfEve()).toHaveLength(0)
  const [recorded] = await service.sql`
    select actor_id as actor, target_id as target, reason from audit_events where action = 'device.denied'`
  expect(recorded).toEqual({ actor: null, target: eve.id, reason: 'wrong-pin' })
})

test('of concurrent PINs only three are checked', async () => {
  const { deviceCode, pin } = await approveDevice()
  const wrong = Array.from({ length: 12 }, () => enterPin(deviceCode, createWrongPin(pin)))
  const results = await Promise.allSettled(wrong)
  const bodies = results.map((result) => result.status === 'rejected' && result.reason.body)
  expect(
    bodies
      .map((body) => body.attemptsLeft)
      .filter((left) => left !== undefined)
      .sort(),
  ).toEqual([1, 2])
  await expect(enterPin(deviceCode, pin)).rejects.toMatchObject(failure(409, 'device-code-denied'))
})

test('a client registered with a PIN requires one on all its devices, requested or not', async () => {
  const { deviceCode, code, response } = await start({ client_id: 'kiosk' })
  expect(response['passport_pin']).toBe('required')
  const { pin } = await decide(code)
  const grant = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: 'kiosk',
  }
  expect(await post('/connect/token', grant)).toMatchObject({ error: 'authorization_pending' })
  await enterPin(deviceCode, pin ?? '')
  await service.sql`update device_authorizations set last_polled_at = null`
  expect(await post('/connect/token', grant)).toHaveProperty('access_token')
})

describe('no attempt is spent by', () => {
  test('a PIN before the approval', async () => {
    const { deviceCode, code } = await start()
    for (let time = 0; time < 4; time++)
      await expect(enterPin(deviceCode, '0000')).rejects.toMatchObject(failure(409, 'device-code-pending'))
    const { pin } = await decide(code)
    await enterPin(deviceCode, pin ?? '')
    expect(await poll(deviceCode)).toHaveProperty('access_token')
  })

  test('a malformed PIN', async () => {
    const { deviceCode, pin } = await approveDevice()
    for (const text of ['', '123', '12345', '12a4', '١٢٣٤', `${pin}\n`])
      await expect(enterPin(deviceCode, text)).rejects.toMatchObject(failure(400, 'invalid-request'))
    await enterPin(deviceCode, pin)
  })
})

describe('no PIN is accepted', () => {
  test('if the device did not request one', async () => {
    const { deviceCode, code, response } = await start({ passport_pin: 'maybe' })
    expect(response).not.toHaveProperty('passport_pin')
    expect(await decide(code)).toMatchObject({ pin: null })
    await expect(enterPin(deviceCode, '0000')).rejects.toMatchObject(failure(404, 'device-code-not-found'))
    await expect(enterPin('an unknown device code', '0000')).rejects.toMatchObject(
      failure(404, 'device-code-not-found'),
    )
    expect(await poll(deviceCode)).toHaveProperty('access_token')
  })

  test('if the user denied the device', async () => {
    const { deviceCode, code } = await start()
    await decide(code, 'deny')
    await expect(enterPin(deviceCode, '0000')).rejects.toMatchObject(failure(409, 'device-code-denied'))
  })

  test('after the code has expired', async () => {
    const { deviceCode, pin } = await approveDevice()
    await service.sql`update device_authorizations set expires_at = now() - interval '1 second'`
    await expect(enterPin(deviceCode, pin)).rejects.toMatchObject(failure(410, 'device-code-expired'))
  })
})

test('the PIN cannot be read from the stored data, and is deleted after use', async () => {
  const { deviceCode, pin } = await approveDevice()
  const stored = () => service.sql`
    select sealed_approval from device_authorizations where sealed_approval is not null and expires_at > now()`
  const [{ sealedApproval } = { sealedApproval: '' }] = await stored()
  expect(Buffer.from(sealedApproval, 'base64url').toString('latin1')).not.toContain('"pin"')
  await enterPin(deviceCode, pin)
  expect(await stored()).toHaveLength(0)
})
