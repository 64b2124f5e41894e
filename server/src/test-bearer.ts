import { devTokensClientId } from './clients/registered.ts'
import { audienceOf, signAccessToken } from './provider/access-token.ts'
import { saveArtifact } from './provider/store.ts'
import type { TestService, UserName } from './test-service.ts'

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
