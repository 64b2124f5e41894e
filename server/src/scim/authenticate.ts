import type { Sql } from '../database/sql.ts'
import { scimTokenForm } from '../prefixed-token.ts'
import { ScimError } from './scim-error.ts'
import * as store from './store.ts'

/** The client of a token: it acts for one organisation. */
export interface ScimClient {
  orgId: string
  tokenId: string
  state: 'live' | 'expired' | 'revoked'
  /** The tenant of the organisation at Microsoft Entra. */
  tenantId: string
}

/**
 * Returns the client of a request for an organisation. Throws 401, the same for a missing or unknown token, a token of
 * another organisation and a deleted organisation. A mistyped token costs no statement.
 */
export async function authenticate(sql: Sql, orgId: string, authorization: string | undefined): Promise<ScimClient> {
  const [, value = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  const token = scimTokenForm.isWellFormed(value) ? await store.findTokenByValue(sql, value) : undefined
  if (token?.orgId !== orgId) throw invalidToken()
  return { orgId, tokenId: token.id, state: token.state, tenantId: token.tenantId }
}

/** Throws 401 for a token that has expired or was revoked. */
export function requireLive(state: ScimClient['state']): void {
  if (state === 'live') return
  throw new ScimError(401, 'The token is not valid.', {
    help: `It ${state === 'expired' ? 'has expired' : 'was revoked'}. Create another one, and enter it at the identity provider.`,
    headers: challenge,
  })
}

/**
 * Checks the token again once a change has its locks, since it may end while the request waits for them, and the organisation
 * be deleted. Throws 401.
 */
export async function recheckToken(sql: Sql, { tokenId }: ScimClient): Promise<void> {
  const state = await store.findTokenState(sql, tokenId)
  if (state === undefined) throw invalidToken()
  requireLive(state)
}

const challenge = { 'WWW-Authenticate': 'Bearer' }

const invalidToken = () =>
  new ScimError(401, 'The token is not valid for this address.', {
    help: 'Copy the address and a token from the provisioning page of the organisation.',
    headers: challenge,
  })
