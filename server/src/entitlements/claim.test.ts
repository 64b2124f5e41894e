import { createEntitlement } from '@passport/contract/entitlements'
import { createIdentityApi } from '@passport/contract/identity-apis'
import { addOrgMembers, createOrg } from '@passport/contract/orgs'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { startShop } from '../provider/test-shop.ts'

const statements: string[] = []
const { service, shop, signIn, signInToShop } = await startShop({ onStatement: (text) => statements.push(text) })
const ada = await service.as('ada')
const eve = await service.as('eve')
const orgIds = await Promise.all(
  ['One', 'Two'].map(async (name) => {
    const { id: orgId } = await ada.call(createOrg, { body: { name } })
    await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [eve.id] } })
    return orgId
  }),
)
const add = (key: string, kind: 'flag' | 'quantity', enabled = true) => {
  const grants = orgIds.map((orgId, index) => ({ orgId, quantity: kind === 'flag' ? null : index + 10 }))
  return ada.call(createEntitlement, { body: { key, name: key, kind, enabled, grants } })
}
await add('stage.vr', 'flag')
await add('stage.seats', 'quantity')
await add('stage.off', 'flag', false)
await ada.call(createIdentityApi, {
  body: { name: 'stage', displayName: 'Stage', audience: 'https://stage.example', scopes: [] },
})

const ent = { 'stage.seats': 21, 'stage.vr': true }

async function requestToken(scope: string) {
  const browser = await signIn('eve')
  statements.length = 0
  const tokens = await signInToShop(browser, { scope })
  return { tokens, count: statements.filter((text) => text.includes('entitled_users')).length }
}

test('an access token and user info have the claim `ent` with the scope, by one statement', async () => {
  for (const scope of ['openid entitlements api_vertex_core', 'openid entitlements stage']) {
    const { tokens, count } = await requestToken(scope)
    const claims = decodeJwt(tokens.access_token)
    expect(claims['ent']).toEqual(ent)
    expect(Object.keys(claims['ent'] as object)).toEqual(Object.keys(ent))
    expect(claims).not.toHaveProperty('ent_truncated')
    expect(tokens.claims()).not.toHaveProperty('ent')
    expect(count).toBe(1)
  }
  const { tokens } = await requestToken('openid entitlements')
  statements.length = 0
  expect(await client.fetchUserInfo(shop, tokens.access_token, eve.id)).toMatchObject({ ent })
  expect(statements.filter((text) => text.includes('entitled_users'))).toHaveLength(1)
})

test('a request without the scope takes no statement for them, even after the user has granted the scope', async () => {
  const { tokens, count } = await requestToken('openid api_vertex_core')
  expect(decodeJwt(tokens.access_token)).not.toHaveProperty('ent')
  expect(count).toBe(0)
})

test('50 keys are listed, and more are left out', async () => {
  for (let index = 0; index < 48; index++) await add(`many.k${index}`, 'flag')
  const full = decodeJwt((await requestToken('openid entitlements api_vertex_core')).tokens.access_token)
  expect(Object.keys(full['ent'] as object)).toHaveLength(50)
  await add('many.more', 'flag')
  const { tokens } = await requestToken('openid entitlements api_vertex_core')
  const truncated = decodeJwt(tokens.access_token)
  expect([truncated['ent'], truncated['ent_truncated']]).toEqual([undefined, true])
  const metadata = (await (await fetch(`${service.url}/.well-known/openid-configuration`)).json()) as {
    claims_supported: string[]
    scopes_supported: string[]
  }
  expect(metadata.claims_supported).toEqual(expect.arrayContaining(['ent', 'ent_truncated']))
  expect(metadata.scopes_supported).toContain('entitlements')
})
