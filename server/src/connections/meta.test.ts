import * as api from '@passport/contract/connections'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { issueBearerToken } from '../test-bearer.ts'
import type { Visitor } from '../test-service.ts'
import { createMeta } from './meta.ts'
import { parseMetaPayload, readLabel } from './meta-payload.ts'
import { type ConnectingService, metaApp, startConnectingService } from './test-connections.ts'

const root = '/passport/connect/metahorizon'
let at: ConnectingService
let eve: Visitor

beforeAll(async () => {
  at = await startConnectingService()
  eve = await at.service.as('eve')
})

/** Returns to the callback with a response of Meta, by default a good one. */
async function receive(payload = at.meta.issueFragment('Sample')) {
  const cookie = await at.start(eve)
  return at.send(eve, `${root}/callback`, { payload }, cookie)
}
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

describe('a response of Meta', () => {
  test('is redeemed once: its code is refused the second time', async () => {
    const payload = at.meta.issueFragment('Sample')
    expect((await receive(payload)).status).toBe(200)
    expect(await receive(payload)).toMatchObject({ status: 502, body: { code: 'meta-refused' } })
  })

  test('is refused with the id of another account', async () => {
    const { code } = JSON.parse(Buffer.from(at.meta.issueFragment('Sample'), 'base64').toString())
    const payload = encode({ code, org_scoped_id: at.meta.account('Victim').orgScopedId })
    expect(await receive(payload)).toMatchObject({ status: 502, body: { code: 'meta-refused' } })
  })

  test.for([
    [400, '{"error":{"message":"Invalid code.","type":"OAuthException","code":100}}', 502, 'meta-refused'],
    [200, '{"error":{"message":"Odd","type":"OAuthException","code":1}}', 502, 'meta-refused'],
    [200, '{"refresh_code":"x"}', 502, 'meta-unreachable'],
    [200, 'null', 502, 'meta-unreachable'],
    [200, '<html>', 502, 'meta-unreachable'],
    [500, 'Sorry', 502, 'meta-unreachable'],
    [503, '{}', 502, 'meta-unreachable'],
    [302, '', 502, 'meta-unreachable'],
  ] as const)('fails if the Graph API responds %i %s', async ([sentStatus, sentBody, status, code]) => {
    at.meta.failNext(sentStatus, sentBody)
    const failed = await receive()
    expect(failed).toMatchObject({ status, body: { code } })
    expect(JSON.stringify(failed.body)).not.toContain(metaApp.appSecret)
  })

  test('is redeemed when Meta authorizes its token some seconds later', async () => {
    at.meta.refuseTokens(1)
    expect(await receive()).toMatchObject({ status: 200, body: { label: 'Sample' } })
  })

  test.for([
    ['', 200, undefined],
    ['slow', 200, undefined],
    ['refused', 502, 'meta-refused'],
    ['unavailable', 502, 'meta-unreachable'],
    ['unreadable', 400, 'link-payload-invalid'],
  ] as const)('with the fault “%s” of the simulated Meta is %i %s', async ([fault, status, code]) => {
    const cookie = await at.start(eve)
    const body = new URLSearchParams({ alias: 'Sample', fault })
    const target = `${at.meta.ssoUrl}?${new URLSearchParams({
      redirect_uri: `${at.service.url}/app/connect/metahorizon/callback`,
      organization_id: metaApp.organizationId,
    })}`
    const redirected = await fetch(target, { method: 'POST', body, redirect: 'manual' })
    const payload = new URL(redirected.headers.get('location') ?? '').hash.slice(1)
    const received = await at.send(eve, `${root}/callback`, { payload }, cookie)
    expect([received.status, received.body['code']]).toEqual([status, code])
  })

  test('waits 8 seconds in all for Meta to authorize its token', async () => {
    const redeem = async (refusals: number) => {
      at.meta.refuseTokens(refusals)
      const delays: number[] = []
      const settings = { ...metaApp, ssoUrl: at.meta.ssoUrl, graphUrl: at.meta.graphUrl }
      const meta = createMeta(settings, at.service.services.httpClient, async (ms) => void delays.push(ms))
      const response = parseMetaPayload(at.meta.issueFragment('Slow')) ?? { code: '', externalId: '' }
      const outcome = await meta.redeem(response).catch((error: { code: string }) => error.code)
      return { outcome, delays }
    }
    const delays = [1500, 2000, 2000, 2500]
    expect(await redeem(4)).toEqual({ outcome: expect.objectContaining({ label: 'Slow' }), delays })
    expect(await redeem(5)).toEqual({ outcome: 'meta-not-ready', delays })
  })
})

test('a Graph API that does not respond is 502', async () => {
  const settings = { ...metaApp, ssoUrl: at.meta.ssoUrl, graphUrl: 'http://127.0.0.1:1' }
  const meta = createMeta(settings, at.service.services.httpClient)
  await expect(meta.redeem({ code: 'x', externalId: '1' })).rejects.toMatchObject({ code: 'meta-unreachable' })
})

describe('the proof of a headset', () => {
  const prove = async (name: 'dev' | 'max', alias: string, nonce = at.meta.issueNonce(alias)) => {
    const authorization = `Bearer ${await issueBearerToken(at.service, name)}`
    const response = await fetch(`${at.service.url}${root}/proof`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: at.meta.account(alias).id, nonce }),
    })
    const { code } = (await response.json()) as { code?: string }
    return code ?? response.status
  }

  test('connects the account to the user of the token', async () => {
    const body = new URLSearchParams({ alias: 'Headset' })
    const response = await fetch(at.meta.headsetUrl, { method: 'POST', body })
    const { userId, nonce } = (await response.json()) as { userId: string; nonce: string }
    expect(userId).toBe(at.meta.account('Headset').id)
    expect(await prove('dev', 'Headset', nonce)).toBe(200)
    const dev = await at.service.as('dev')
    const { orgScopedId } = at.meta.account('Headset')
    expect(await dev.call(api.listConnections, {})).toMatchObject([{ externalId: orgScopedId, label: orgScopedId }])
  })

  test('needs a nonce of that user, which is valid once', async () => {
    const nonce = at.meta.issueNonce('Headset')
    expect(await prove('dev', 'Headset', nonce)).toBe(200)
    expect(await prove('dev', 'Headset', nonce)).toBe('nonce-invalid')
    expect(await prove('dev', 'Headset', at.meta.issueNonce('Other headset'))).toBe('nonce-invalid')
  })

  test('never moves an account', async () => {
    expect(await prove('max', 'Headset')).toBe('external-account-in-use')
    expect(await prove('dev', 'Second headset')).toBe('already-linked')
  })

  test('is rejected from a personal token', async () => {
    const { value } = await issuePersonalToken(at.service, eve)
    const body = JSON.stringify({ userId: at.meta.account('Script').id, nonce: at.meta.issueNonce('Script') })
    const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' }
    const response = await fetch(`${at.service.url}${root}/proof`, { method: 'POST', headers, body })
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'bearer-not-accepted' }])
  })

  test('fails if Meta refuses it', async () => {
    at.meta.failNext(400, '{"error":{"message":"Data Use Checkup is missing.","code":10}}')
    expect(await prove('max', 'Headset of max')).toBe('meta-refused')
  })
})

describe('the parser of a fragment', () => {
  const valid = { code: 'AbC-123', org_scoped_id: '5978973908802860' }
  const parsed = { code: 'AbC-123', externalId: '5978973908802860' }

  test('accepts base64 and base64url, with and without padding and percent-encoding', () => {
    const payload = encode(valid)
    for (const form of [payload, payload.replace(/=+$/, ''), encodeURIComponent(payload)])
      expect(parseMetaPayload(form)).toEqual(parsed)
    const text = JSON.stringify({ ...valid, extra: '???>>>~~~' })
    expect(parseMetaPayload(Buffer.from(text).toString('base64url'))).toEqual(parsed)
  })

  test.for([
    ['nothing', ''],
    ['no JSON', Buffer.from('hello').toString('base64')],
    ['null', encode(null)],
    ['a list', encode([valid])],
    ['no code', encode({ org_scoped_id: '1' })],
    ['an empty code', encode({ ...valid, code: '' })],
    ['an id that is no number', encode({ ...valid, org_scoped_id: '../me' })],
    ['an id of 33 digits', encode({ ...valid, org_scoped_id: '1'.repeat(33) })],
    ['an invalid percent-encoding', '%E0%A4%A'],
  ])('rejects %s', ([, payload = '']) => {
    expect(parseMetaPayload(payload)).toBeUndefined()
  })

  test('never throws, and reads every valid response', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseMetaPayload(text)))
    const digits = fc.bigInt({ min: 0n, max: 10n ** 32n - 1n }).map(String)
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), digits, (code, externalId) => {
        expect(parseMetaPayload(encode({ code, org_scoped_id: externalId }))).toEqual({ code, externalId })
      }),
    )
  })

  test('the label is one visible line, or the id', () => {
    expect(readLabel(' Night\nOwl\u202e ', '1')).toBe('Night Owl')
    expect(readLabel('\u200b', '1')).toBe('1')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const label = readLabel(text, '1')
        expect(label).toMatch(/^[^\p{Cc}\u2028\u2029\u202a-\u202e]{1,100}$/u)
      }),
    )
  })
})
