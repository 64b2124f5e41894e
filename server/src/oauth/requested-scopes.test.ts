import type { IdentityApi } from '@passport/contract/identity-apis'
import { describe, expect, test } from 'vitest'
import { OAuthError } from './oauth-error.ts'
import {
  coversScopes,
  listScopes,
  pickScopes,
  type RequestedScopes,
  resolveScopes,
  uniteScopes,
} from './requested-scopes.ts'

const createApi = (name: string, changes: Partial<IdentityApi> = {}) =>
  ({
    name,
    audience: `https://${name}.example`,
    scopes: [{ name: `${name}.read` }, { name: `${name}.write` }],
    enabled: true,
    allowedClients: null,
    builtIn: false,
    ...changes,
  }) as unknown as IdentityApi
const apis = [
  createApi('shop'),
  createApi('stock'),
  createApi('off', { enabled: false }),
  createApi('closed', { allowedClients: ['other'] }),
  createApi('own', { builtIn: true }),
]

const resolve = (scope: string, ...resources: string[]) =>
  resolveScopes(apis, { clientId: 'app', scopes: scope.split(' ').filter(Boolean), resources })
const format = ({ issuer, byAudience }: RequestedScopes) =>
  [issuer.join(' '), ...[...byAudience].map(([audience, scopes]) => `${audience}: ${scopes.join(' ')}`)].join(', ')

describe('the scopes of a request', () => {
  test.for([
    ['openid email', [], 'openid email'],
    ['', [], ''],
    ['openid unknown', [], 'openid'],
    ['openid shop.read', [], 'openid, https://shop.example: shop.read'],
    ['stock shop.read', [], ', https://stock.example: stock, https://shop.example: shop.read'],
    ['openid own.read', [], 'openid, https://own.example: openid own.read'],
    ['openid shop.read stock', ['https://stock.example'], 'openid, https://stock.example: stock'],
  ] as const)('of "%s" for %o are "%s"', ([scope, resources, expected]) => {
    expect(format(resolve(scope, ...resources))).toBe(expected)
  })

  test.for([
    ['openid', ['unknown'], 'invalid_target'],
    ['openid', ['https://unknown.example'], 'invalid_target'],
    ['shop', ['https://shop.example#a'], 'invalid_target'],
    ['openid', ['https://shop.example'], 'invalid_scope'],
    ['shop', ['https://shop.example', 'https://stock.example'], 'invalid_scope'],
    ['off.read', [], 'invalid_target'],
    ['closed', ['https://closed.example'], 'invalid_target'],
  ] as const)('of "%s" for %o fail as %s', ([scope, resources, code]) => {
    expect(() => resolve(scope, ...resources)).toThrow(expect.objectContaining({ code }))
    expect(() => resolve(scope, ...resources)).toThrow(OAuthError)
  })

  test('are granted together with earlier ones, and covered then', () => {
    const [earlier, later] = [resolve('openid shop.read'), resolve('email shop.write stock')]
    expect(coversScopes(earlier, later)).toBe(false)
    const all = uniteScopes(earlier, later)
    expect([coversScopes(all, earlier), coversScopes(all, later)]).toEqual([true, true])
    expect(listScopes(all)).toEqual(['openid', 'email', 'shop.read', 'shop.write', 'stock'])
    expect(listScopes(pickScopes(all, ['email', 'stock', 'other']))).toEqual(['email', 'stock'])
    expect(coversScopes(pickScopes(all, ['openid', 'shop.read']), earlier)).toBe(true)
  })
})
