import { devTokensClientId } from './clients/registered.ts'
import { audienceOf, signAccessToken } from './oauth/access-token.ts'
import { saveArtifact } from './provider/store.ts'
import type { TestService, UserName } from './test-service.ts'

/** Gets a token of an application for a scope of its own, by the client credentials grant. */
export async function issueClientToken(
  url: string,
  { clientId, clientSecret, scope }: { clientId: string; clientSecret: string; scope: string },
): Promise<string> {
  const response = await fetch(`${url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Issues an access token for this API on behalf of a demo user, valid for a minute. */
export async function issueBearerToken(service: TestService, name: Exclude<UserName, undefined>): Promise<string> {
  const { id } = await service.as(name)
  const { sql, issuer, config } = service.services
  const [jti, grantId] = [crypto.randomUUID(), crypto.randomUUID()]
  const shared = {
    issuer: 'passport' as const,
    payload: { clientId: devTokensClientId },
    sealedId: null,
    accountId: id,
    uid: null,
    expiresInSeconds: 60,
  }
  await saveArtifact(sql, { ...shared, kind: 'Grant', id: grantId, grantId: null })
  await saveArtifact(sql, { ...shared, kind: 'AccessToken', id: jti, grantId })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    jti,
    aud: audienceOf(config.publicUrl),
    sub: id,
    client_id: devTokensClientId,
    scope: 'api_vertex_core',
    iat: now,
    exp: now + 60,
    roles: [],
    orgs: [],
  }
  return signAccessToken(claims, config.publicUrl, await issuer.keys())
}
