import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import type { Services } from '../feature.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { pickClaims } from '../oauth/claims.ts'
import * as users from '../users/store.ts'
import { readClaims } from './account.ts'
import { readUserInfo } from './structured-tokens.ts'

/** Returns the headers of a response of user info to a JWT, which pages of the clients may read. */
export async function userInfoHeadersOf(
  { http, clients }: Pick<Services, 'http' | 'clients'>,
  origin: string | undefined,
): Promise<Record<string, string>> {
  const isOfClient = origin !== undefined && (await clients.origins()).includes(origin)
  return {
    ...http.corsHeaders(origin),
    ...(isOfClient && { 'Access-Control-Allow-Origin': origin }),
    'Cache-Control': 'no-store',
  }
}

/** Responds with the claims about the user of a JWT of this issuer (OpenID Connect Core, section 5.3). */
export async function sendUserInfo(
  services: Services,
  presented: PresentedToken,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) {
  const { sql, config, issuer } = services
  for (const [name, value] of Object.entries(await userInfoHeadersOf(services, incoming.headers.origin)))
    outgoing.setHeader(name, value)
  try {
    const { accountId, scopes } = await readUserInfo(sql, issuer, presented, config.publicUrl)
    const user = await users.find(sql, accountId)
    if (!user || user.disabledAt !== null) throw new errors.InvalidToken('the user is disabled')
    const claims = pickClaims(await readClaims(sql, user, scopes), scopes)
    outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(claims))
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const { error: code, error_description: description, statusCode } = error
    const challenge = `${presented.scheme === 'dpop' ? 'DPoP' : 'Bearer'} realm="${config.publicUrl}", error="${code}"`
    outgoing.writeHead(statusCode, { 'Content-Type': 'application/json', 'WWW-Authenticate': challenge })
    outgoing.end(JSON.stringify({ error: code, error_description: description }))
  }
}
