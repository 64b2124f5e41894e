import type { CompactVerifyGetKey } from 'jose'
import { userInfoRequest as requestUserInfo } from 'oauth4webapi'
import { SigninError, signinError } from '../errors.ts'
import { type Connection, readErrorResponse } from './connection.ts'
import { type ExpectedIdToken, verifySignature } from './id-token.ts'

/** Requests the user's claims with the access token (OpenID Connect Core, section 5.3.1). */
export const sendUserInfoRequest = ({ server, client, options }: Connection, accessToken: string): Promise<Response> =>
  requestUserInfo(server, client, accessToken, options)

/**
 * Reads the claims; a signed response requires a valid signature, issuer and audience. Rejects with `sub_mismatch` for
 * claims of another user (section 5.3.2).
 */
export async function readUserInfoResponse(
  response: Response,
  sub: string,
  keys: CompactVerifyGetKey,
  { algorithms, issuer, clientId }: Pick<ExpectedIdToken, 'algorithms' | 'issuer' | 'clientId'>,
): Promise<Record<string, unknown>> {
  if (response.status !== 200) throw await readErrorResponse(response)
  const isSigned = response.headers.get('content-type')?.startsWith('application/jwt')
  const claims = isSigned
    ? (await verifySignature(await response.text(), keys, algorithms)).claims
    : await response.json()
  const { iss = issuer, aud = clientId } = isSigned ? claims : {}
  if (iss !== issuer || ![aud].flat().includes(clientId)) {
    throw new SigninError('iss or aud of the user info does not match', { code: 'invalid_response' })
  }
  if (claims?.sub !== sub) throw signinError('sub_mismatch')
  return claims
}
