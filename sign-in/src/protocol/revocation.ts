import { revocationRequest as requestRevocation } from 'oauth4webapi'
import { type Connection, failureOf, publicClient } from './connection.ts'

/** Asks the provider to forget a token (RFC 7009, section 2.1). */
export function revocationRequest(
  { server, client, options }: Connection,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<Response> {
  return requestRevocation(server, client, publicClient, token, {
    ...options,
    additionalParameters: { token_type_hint: hint },
  })
}

/** 200 says that it is forgotten, or was not known (section 2.2); everything else is an error. */
export async function readRevocationResponse(response: Response): Promise<void> {
  if (response.status !== 200) throw await failureOf(response)
}
