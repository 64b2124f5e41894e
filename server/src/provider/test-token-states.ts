import * as client from 'openid-client'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { moveToFormerTable, type startShop } from './test-shop.ts'

/** Tokens of the shop by their state, each of which the service itself has set, except those that take time. */
export async function issueTokens({
  service,
  shop,
  signIn,
  signInToShop,
  buildAuthorizationRequest,
  followAuthorization,
}: Awaited<ReturnType<typeof startShop>>): Promise<Record<string, string>> {
  const { sql } = service
  const tokens: Record<string, string> = {
    unknown: 'u'.repeat(43),
    'an unknown personal one': personalTokenForm.generate(),
    'a mistyped personal one': personalTokenForm.generate().slice(0, -1),
    'a personal one': (await issuePersonalToken(service, await service.as('eve'))).value,
    'a short text': 'x',
    'a long text': 'y'.repeat(9000),
    'a foreign JWT': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl',
    'an encrypted JWT': 'eyJhbGciOiJFUzI1NiJ9.a.b.c.d',
    'two words': 'two words',
    'of the client': (await client.clientCredentialsGrant(shop, { scope: 'permissions.read' })).access_token,
  }
  for (const [suffix, scope] of [
    ['', 'openid profile email'],
    [' (JWT)', 'openid email api_vertex_core'],
  ] as const) {
    const get = (name: 'eve' | 'dev' = 'eve') => signIn(name).then((browser) => signInToShop(browser, { scope }))
    const valid = await get()
    const revoked = await get()
    await client.tokenRevocation(shop, revoked.access_token)
    const browser = await signIn('eve')
    const ended = await signInToShop(browser, { scope })
    await browser.submit(await browser.open('/connect/endsession'), {})
    const spent = await get()
    await client.refreshTokenGrant(shop, spent.refresh_token ?? '')
    const DPoP = client.getDPoPHandle(shop, await client.randomDPoPKeyPair())
    const { url, checks } = await buildAuthorizationRequest({ scope })
    const redirected = await followAuthorization(await signIn('eve'), url)
    const bound = await client.authorizationCodeGrant(shop, redirected, checks, undefined, { DPoP })
    const disabled = await get('dev')
    const named = {
      valid: valid.access_token,
      'a refresh token': valid.refresh_token ?? '',
      revoked: revoked.access_token,
      'of an ended session': ended.access_token,
      'a refresh token of an ended session': ended.refresh_token ?? '',
      'of a spent refresh token': spent.access_token,
      'a spent refresh token': spent.refresh_token ?? '',
      'bound to a key': bound.access_token,
      'of a disabled user': disabled.access_token,
    }
    for (const [name, token] of Object.entries(named)) tokens[name + suffix] = token
    const change = async (name: string, statement: (grantId: string) => Promise<unknown>) => {
      tokens[name + suffix] = (await get()).access_token
      const [row] = await sql<{ grantId: string }[]>`
        select grant_id from provider_artifacts where kind = 'AccessToken'
        order by (payload->>'iat')::int desc, created_at desc limit 1`
      await statement(row?.grantId ?? '')
    }
    await change('expired', (grant) => sql`update provider_artifacts set expires_at = now() where grant_id = ${grant}`)
    await change('saved by the former release', (grant) => moveToFormerTable(sql, grant))
    await change(
      'of an unknown client',
      (grant) => sql`
        update provider_artifacts set payload = payload || '{"clientId": "nobody"}' where grant_id = ${grant}`,
    )
  }
  for (const scope of ['openid connections', 'openid entitlements', 'openid offline_access'])
    tokens[`for ${scope}`] = (await signInToShop(await signIn('eve'), { scope })).access_token
  await sql`update users set disabled_at = now() where username = 'dev'`
  return tokens
}
