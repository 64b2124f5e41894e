import { expect, test } from 'vitest'
import { clientId, useProvider } from '../test-provider.ts'
import { createSend, exchange } from './connection.ts'
import { readRevocationResponse, sendRevocationRequest } from './revocation.ts'
import { readTokenResponse, sendRefreshRequest } from './token.ts'
import { readUserInfoResponse, sendUserInfoRequest } from './user-info.ts'

const { op, providerWith, settingsWith } = await useProvider()

const calls = {
  token_endpoint: (connection) => exchange(() => sendRefreshRequest(connection, 'any'), readTokenResponse),
  revocation_endpoint: (connection) =>
    exchange(() => sendRevocationRequest(connection, 'any', 'access_token'), readRevocationResponse),
  userinfo_endpoint: (connection) =>
    exchange(
      () => sendUserInfoRequest(connection, 'any'),
      (response) =>
        readUserInfoResponse(response, 'ada', () => Promise.reject(), { algorithms: [], issuer: '', clientId }),
    ),
} satisfies Record<string, (connection: Awaited<ReturnType<ReturnType<typeof providerWith>['connect']>>) => unknown>

test.each(Object.entries(calls))(
  'rejects a %s on plain http, although the issuer is the local machine',
  async (endpoint, call) => {
    op.script.metadata = { [endpoint]: 'http://op.example/endpoint' }
    const sent: string[] = []
    const provider = providerWith({
      fetch: (url, init) => {
        sent.push(url)
        return fetch(url, init)
      },
    })
    const connection = await provider.connect()
    await expect(call(connection)).rejects.toMatchObject({ name: 'SigninError', code: 'insecure_address' })
    expect(sent).toEqual([`${op.issuer}/.well-known/openid-configuration`])
  },
)

test('rejects a jwks_uri on plain http, although the issuer is the local machine', async () => {
  op.script.metadata = { jwks_uri: 'http://op.example/jwks' }
  const keys = await providerWith().keys()
  await expect(keys({ alg: 'RS256' }, {} as never)).rejects.toMatchObject({ code: 'insecure_address' })
})

test('sends every request with the application’s fetch and headers', async () => {
  const sent: string[] = []
  const provider = providerWith({
    headers: { 'X-Tenant': 't1', Accept: 'text/plain', Authorization: 'Basic none' },
    fetch: async (url, init) => {
      sent.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`)
      return fetch(url, init)
    },
  })
  const connection = await provider.connect()
  const keys = await provider.keys()
  await Promise.resolve(keys({ alg: 'RS256', kid: 'current' }, {} as never))
  for (const call of Object.values(calls)) await Promise.resolve(call(connection)).catch(() => {})
  expect(sent.sort()).toEqual([
    'GET /.well-known/openid-configuration',
    'GET /jwks',
    'GET /userinfo',
    'POST /revoke',
    'POST /token',
  ])
  expect(new Set(op.requests().map(({ headers }) => headers['x-tenant']))).toEqual(new Set(['t1']))
  // The protocol's own headers take precedence.
  expect(op.requests('/userinfo')[0]?.headers).toMatchObject({ authorization: 'Bearer any' })
  expect(op.requests('/token')[0]?.headers).toMatchObject({ accept: 'application/json' })
})

test('logs requests with their status, at the level debug only', async () => {
  const logged: unknown[] = []
  const logger = { debug: (...data: unknown[]) => logged.push(...data) }
  await createSend(settingsWith({ logger }))(`${op.issuer}/jwks?key=1`, {})
  expect(logged).toEqual([])
  await createSend(settingsWith({ logger, logLevel: 'debug' }))(`${op.issuer}/jwks`, {})
  expect(logged).toEqual([`GET ${op.issuer}/jwks: 200`])
})
