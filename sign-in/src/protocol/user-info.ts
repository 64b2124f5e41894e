import type { CompactVerifyGetKey } from 'jose'
import { userInfoRequest as requestUserInfo } from 'oauth4webapi'
import { SigninError, signinError } from '../errors.ts'
import { type Connection, failureOf } from './connection.ts'
import { type ExpectedIdToken, signedClaims } from './id-token.ts'

/** Asks for the claims of the person, with the access token (OpenID Connect Core, section 5.3.1). */
export const userInfoRequest = ({ server, client, options }: Connection, accessToken: string): Promise<Response> =>
  requestUserInfo(server, client, accessToken, options)

/**
 * The claims; of a signed answer only if signature, issuer and audience are right. Rejects with `sub_mismatch` for those
 * of another person (section 5.3.2).
 */
export async function readUserInfoResponse(
  response: Response,
  sub: string,
  keys: CompactVerifyGetKey,
  { algorithms, issuer, clientId }: Pick<ExpectedIdToken, 'algorithms' | 'issuer' | 'clientId'>,
): Promise<Record<string, unknown>> {
  if (response.status !== 200) throw await failureOf(response)
  const isSigned = response.headers.get('content-type')?.startsWith('application/jwt')
  const claims = isSigned ? await signedClaims(await response.text(), keys, algorithms) : await response.json()
  const { iss = issuer, aud = clientId } = isSigned ? claims : {}
  if (iss !== issuer || ![aud].flat().includes(clientId)) {
    throw new SigninError('The user info is not for this client', { code: 'invalid_response' })
  }
  if (claims?.sub !== sub) throw signinError('sub_mismatch')
  return claims
}
