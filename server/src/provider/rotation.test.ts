import type { KoaContextWithOIDC } from 'oidc-provider'
import * as client from 'openid-client'
import { expect, onTestFinished, test } from 'vitest'
import { recordStatements } from '../test-statements.ts'
import { commitTokens, findTokenRequest } from './rotation.ts'
import { shopSecret, startShop } from './test-shop.ts'

const { service, shop, signIn, signInToShop, fetchWithToken, followAuthorization, buildAuthorizationRequest } =
  await startShop()
const { sql } = service

const scope = 'openid api_vertex_core'
const obtainRefreshToken = async () => (await signInToShop(await signIn('ada'), { scope })).refresh_token ?? ''
const refresh = (token: string, options?: client.DPoPOptions) =>
  client.refreshTokenGrant(shop, token, undefined, options)
const invalidGrant = { error: 'invalid_grant' }

test('a spent refresh token returns its successor again, with a new access token', async () => {
  const first = await obtainRefreshToken()
  const second = await refresh(first)
  const again = await refresh(first)
  expect(again.refresh_token).toBe(second.refresh_token)
  expect(again.access_token).not.toBe(second.access_token)
  for (const { access_token } of [second, again]) expect((await fetchWithToken(access_token)).status).toBe(200)
  await refresh(second.refresh_token ?? '')
})

test('after its successor was used, a spent refresh token ends the whole family', async () => {
  const first = await obtainRefreshToken()
  const second = (await refresh(first)).refresh_token ?? ''
  const third = (await refresh(second)).refresh_token ?? ''
  await expect(refresh(first)).rejects.toMatchObject(invalidGrant)
  await expect(refresh(third)).rejects.toMatchObject(invalidGrant)
})

test('after 10 seconds a spent refresh token ends the whole family', async () => {
  const first = await obtainRefreshToken()
  const second = (await refresh(first)).refresh_token ?? ''
  await sql`update provider_artifacts set consumed_at = consumed_at - interval '11 seconds' where consumed_at is not null`
  await expect(refresh(first)).rejects.toMatchObject(invalidGrant)
  await expect(refresh(second)).rejects.toMatchObject(invalidGrant)
})

test('a spent refresh token is rejected with another DPoP key than that of the rotation', async () => {
  const keys = await Promise.all([client.randomDPoPKeyPair(), client.randomDPoPKeyPair()])
  const [key, otherKey] = keys.map((pair) => ({ DPoP: client.getDPoPHandle(shop, pair) }))
  const first = await obtainRefreshToken()
  const second = await refresh(first, key)
  await expect(refresh(first, otherKey)).rejects.toMatchObject(invalidGrant)
  await expect(refresh(first)).rejects.toMatchObject(invalidGrant)
  expect((await refresh(first, key)).refresh_token).toBe(second.refresh_token)
})

test('a spent refresh token is rejected from another client, and stays valid for its own', async () => {
  const first = await obtainRefreshToken()
  const second = await refresh(first)
  const asClient = (id: string, body: Record<string, string> = {}) =>
    fetch(`${service.url}/connect/token`, {
      method: 'POST',
      headers: id === 'game' ? {} : { authorization: `Basic ${btoa(`${id}:${shopSecret.replaceAll(' ', '+')}`)}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: first, ...body }),
    })
  for (const response of [await asClient('market'), await asClient('game', { client_id: 'game' })])
    expect([response.status, await response.json()]).toMatchObject([400, invalidGrant])
  expect((await refresh(first)).refresh_token).toBe(second.refresh_token)
})

test('a spent refresh token is inactive in introspection at once', async () => {
  const first = await obtainRefreshToken()
  expect(await client.tokenIntrospection(shop, first)).toMatchObject({ active: true })
  await refresh(first)
  expect(await client.tokenIntrospection(shop, first)).toEqual({ active: false })
})

test('the stored value of a refresh token is deleted when the token is used', async () => {
  const first = await obtainRefreshToken()
  const second = (await refresh(first)).refresh_token ?? ''
  await refresh(second)
  const artifacts = await sql`
    select sealed_value is null as is_deleted from provider_artifacts where kind = 'RefreshToken' and consumed_at is not null`
  expect(artifacts.map(({ isDeleted }) => isDeleted)).not.toContain(false)
})

/** Makes inserts of a kind fail until the test ends, or until the returned function is called. */
async function rejectInserts(kind: string) {
  await sql.unsafe(`
    create function reject() returns trigger language plpgsql as $$ begin raise 'rejected by the test'; end $$;
    create trigger reject before insert on provider_tokens for each row when (new.kind = '${kind}') execute function reject()`)
  const restoreTable = async () => void (await sql.unsafe('drop function if exists reject cascade'))
  onTestFinished(restoreTable)
  return restoreTable
}

test.for(['AccessToken', 'RefreshToken'])('a refresh token is not spent if the %s cannot be saved', async (kind) => {
  const first = await obtainRefreshToken()
  const restoreTable = await rejectInserts(kind)
  await expect(refresh(first)).rejects.toThrow('unexpected HTTP response')
  await restoreTable()
  const [row] = await sql`
    select count(*)::int as spent from provider_artifacts where kind = 'RefreshToken' and consumed_at is not null
      and grant_id = (select grant_id from provider_artifacts where kind = 'RefreshToken' order by expires_at desc limit 1)`
  expect(row).toEqual({ spent: 0 })
  await refresh(first)
})

test('a code is not spent if its tokens cannot be saved', async () => {
  const { url: authorizationUrl, checks } = await buildAuthorizationRequest({ scope })
  const redirected = await followAuthorization(await signIn('ada'), authorizationUrl)
  const restoreTable = await rejectInserts('RefreshToken')
  await expect(client.authorizationCodeGrant(shop, redirected, checks)).rejects.toThrow('unexpected HTTP response')
  await restoreTable()
  await client.authorizationCodeGrant(shop, redirected, checks)
})

test('a refresh writes its tokens with one statement', async () => {
  let token = await obtainRefreshToken()
  const statements = await recordStatements(sql, async () => {
    token = (await refresh(token)).refresh_token ?? ''
  })
  const writes = statements.filter((text) => /(insert into|update) provider_/.test(text))
  expect(writes).toHaveLength(1)
  expect(statements.length).toBeLessThanOrEqual(2)
})

test('a code that is sent twice at once is refused and ends nothing; a later second use ends its tokens', async () => {
  const { url: authorizationUrl, checks } = await buildAuthorizationRequest({ scope })
  const redirected = await followAuthorization(await signIn('ada'), authorizationUrl)
  const exchange = () => client.authorizationCodeGrant(shop, redirected, checks)
  const { access_token, refresh_token = '' } = await exchange()
  const use = (shift: string) => sql`
    update provider_artifacts set consumed_at = now() + ${shift}::interval
    where kind = 'AuthorizationCode' and consumed_at is not null`
  // As if no time had passed, on a machine of any speed.
  await use('1 minute')
  await expect(exchange()).rejects.toMatchObject(invalidGrant)
  expect((await fetchWithToken(access_token)).status).toBe(200)
  await use('-4 seconds')
  await expect(exchange()).rejects.toMatchObject(invalidGrant)
  expect((await fetchWithToken(access_token)).status).toBe(401)
  await expect(refresh(refresh_token)).rejects.toMatchObject(invalidGrant)
})

test('a grant type that issues tokens without spending anything fails, instead of sending tokens that are not stored', async () => {
  const ctx = {} as KoaContextWithOIDC
  const shared = { issuer: 'passport' as const, payload: {}, sealedId: null, accountId: null, grantId: null, uid: null }
  const issue = async () =>
    void findTokenRequest(ctx)?.issued.push({ ...shared, kind: 'AccessToken', id: 'unstored', expiresInSeconds: 60 })
  await expect(commitTokens({ sql, issuer: 'passport' }, ctx, issue)).rejects.toThrow('spends nothing')
  await commitTokens({ sql, issuer: 'passport' }, ctx, async () => {})
})
