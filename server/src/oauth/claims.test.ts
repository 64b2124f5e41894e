import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claimsByScope, pickClaims, toUserClaims } from './claims.ts'

const user = { id: 'eve', username: 'eve', displayName: 'Eve', email: 'eve@passport.example', emailVerified: false }

describe('toUserClaims', () => {
  it('has a claim for every field that is set', () => {
    expect(toUserClaims(user)).toEqual({
      sub: 'eve',
      name: 'Eve',
      preferred_username: 'eve',
      email: 'eve@passport.example',
      email_verified: false,
    })
    expect(toUserClaims({ ...user, username: null, displayName: null, email: null })).toEqual({ sub: 'eve' })
  })
})

describe('pickClaims', () => {
  it.for([
    [['openid'], undefined, { sub: 'eve' }],
    [['email'], undefined, { email: 'eve@passport.example', email_verified: false }],
    [['openid', 'profile'], undefined, { sub: 'eve', name: 'Eve', preferred_username: 'eve' }],
    [['profile', 'email'], ['email', 'unknown'], { email: 'eve@passport.example' }],
    [['profile'], ['email'], {}],
    [['unknown', 'constructor', '__proto__'], undefined, {}],
    [[], undefined, {}],
  ] as const)('%j limited to %j is %j', ([scopes, names, expected]) => {
    expect(pickClaims(toUserClaims(user), [...scopes], names && [...names])).toEqual(expected)
  })

  it('returns no claim that its scopes do not cover', () => {
    const scope = fc.oneof(fc.constantFrom(...Object.keys(claimsByScope)), fc.string())
    fc.assert(
      fc.property(fc.array(scope), fc.dictionary(fc.string(), fc.anything()), (scopes, others) => {
        const names = Object.keys(pickClaims({ ...others, ...toUserClaims(user) }, scopes))
        const covered = Object.entries(claimsByScope).flatMap(([name, claims]) => (scopes.includes(name) ? claims : []))
        expect(covered).toEqual(expect.arrayContaining(names))
      }),
    )
  })
})
