import type { IdentityApi } from '@passport/contract/identity-apis'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clientScopesOf,
  findApisForClient,
  lifetimeOf,
  requireApi,
  requireScopes,
  selectAudience,
  toUserTarget,
  userScopesOf,
} from './resources.ts'

const createApi = (name: string, fields: Partial<IdentityApi> = {}) =>
  ({
    name,
    audience: `https://${name}.example`,
    scopes: [{ name: `${name}.read` }, { name: `${name}.write` }],
    enabled: true,
    builtIn: false,
    allowedClients: null,
    tokenLifetimeSec: 3600,
    ...fields,
  }) as IdentityApi
const passport = createApi('api_vertex_core', { builtIn: true, scopes: [] })
const orders = createApi('orders', { allowedClients: ['shop'] })
const stock = createApi('stock', { enabled: false })
const all = [passport, orders, stock]

describe('requireApi', () => {
  it('returns the API of an audience that admits the client', () => {
    expect(requireApi(all, orders.audience, 'shop')).toBe(orders)
  })

  it.for([
    ['an unknown audience', 'https://a.example', /unknown/],
    ['no audience', undefined, /unknown/],
    ['a disabled API', stock.audience, /disabled/],
    ['an API that does not allow the client', orders.audience, /does not allow/],
  ] as const)('throws invalid_target for %s', ([, audience, message]) => {
    const refused = () => requireApi(all, audience, 'market')
    expect(refused).toThrow(message)
    expect(refused).toThrow(expect.objectContaining({ code: 'invalid_target', status: 400 }))
  })
})

describe('requireScopes', () => {
  it('throws invalid_scope for a scope that is not allowed, or none', () => {
    expect(() => requireScopes(['a', 'b'], ['a'])).toThrow(expect.objectContaining({ members: { scope: 'b' } }))
    expect(() => requireScopes([], ['a'])).toThrow('scope is required')
    requireScopes(['a'], ['a', 'b'])
  })
})

describe('selectAudience', () => {
  it.for([
    [[], [], undefined],
    [['a', 'b'], [], 'a'],
    [['a', 'b'], ['b'], 'b'],
    [['a'], ['b'], 'error'],
    [[], ['a'], 'error'],
    [['a', 'b'], ['a', 'b'], 'error'],
  ] as const)('of the granted %j and the requested %j is %s', ([granted, requested, expected]) => {
    const select = () => selectAudience([...granted], [...requested])
    if (expected === 'error') expect(select).toThrow(expect.objectContaining({ code: 'invalid_target' }))
    else expect(select()).toBe(expected)
  })
})

describe('toUserTarget', () => {
  const scope = fc.constantFrom(
    'openid',
    'email',
    'offline_access',
    'api_vertex_core',
    'orders',
    'orders.read',
    'other',
  )

  it('has only granted scopes, and only those of the API or of the issuer', () => {
    fc.assert(
      fc.property(fc.uniqueArray(scope), fc.constantFrom(undefined, ...all), (scopes, api) => {
        const available = api ? userScopesOf(api) : undefined
        try {
          const target = toUserTarget(api, scopes, 60)
          expect(scopes).toEqual(expect.arrayContaining(target.scopes))
          if (available) expect(available).toEqual(expect.arrayContaining(target.scopes))
          expect(target.scopes).not.toContain('other')
          expect(target.lifetimeSec).toBe(api ? 3600 : 60)
        } catch {
          expect(scopes.filter((name) => available?.includes(name))).toEqual([])
        }
      }),
    )
  })
})

describe('a request of a client on its own behalf', () => {
  it.for([
    [['permissions.read'], ['api_vertex_core']],
    [['orders.read'], ['orders']],
    [['orders.read', 'orders.write'], ['orders']],
    [
      ['orders.read', 'permissions.read'],
      ['api_vertex_core', 'orders'],
    ],
    [[], ['api_vertex_core']],
  ] as const)('for %j is for the APIs %j', ([scopes, names]) => {
    expect(findApisForClient(all, scopes).map(({ name }) => name)).toEqual(names)
  })

  it('may have the scopes of its settings that the API still has', () => {
    const client = { scopes: ['permissions.read'], apis: [{ name: 'orders', scopes: ['orders.read', 'orders.gone'] }] }
    expect(clientScopesOf(passport, client as never)).toEqual(['permissions.read'])
    expect(clientScopesOf(orders, client as never)).toEqual(['orders.read'])
    expect(clientScopesOf(stock, client as never)).toEqual([])
    expect(clientScopesOf(passport, undefined)).toEqual([])
  })

  it('has a token of ten minutes with a scope for administration', () => {
    expect(lifetimeOf(passport, ['permissions.read'])).toBe(3600)
    expect(lifetimeOf(passport, ['passport.admin.read'])).toBe(600)
    expect(lifetimeOf({ ...passport, tokenLifetimeSec: 60 }, ['passport.admin.read'])).toBe(60)
  })
})
