import { revocationRequest as requestRevocation } from 'oauth4webapi'
import { type Connection, publicClient, readErrorResponse } from './connection.ts'

/** Requests the revocation of a token (RFC 7009, section 2.1). */
export function sendRevocationRequest(
  { server, client, options }: Connection,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<Response> {
  return requestRevocation(server, client, publicClient, token, {
    ...options,
    additionalParameters: { token_type_hint: hint },
  })
}

/** 200 means that the token is revoked or unknown (section 2.2); every other status is an error. */
export async function readRevocationResponse(response: Response): Promise<void> {
  if (response.status !== 200) throw await readErrorResponse(response)
}
