import { customFetch } from 'oauth4webapi'
import { type Connection, readErrorResponse } from './connection.ts'

/** Requests the revocation of a token (RFC 7009, section 2.1). */
export const sendRevocationRequest = (
  { server, client, options }: Connection,
  token: string,
  token_type_hint: 'access_token' | 'refresh_token',
): Promise<Response> =>
  options[customFetch](server.revocation_endpoint ?? '', {
    method: 'POST',
    body: new URLSearchParams({ ...client, token, token_type_hint }),
    signal: options.signal,
    redirect: 'manual',
  })

/** 200 means that the token is revoked or unknown (section 2.2); every other status is an error. */
export async function readRevocationResponse(response: Response): Promise<void> {
  if (response.status !== 200) throw await readErrorResponse(response)
}
