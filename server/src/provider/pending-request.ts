import type { Interaction } from 'oidc-provider'
import type { Services } from '../feature.ts'
import type { Issuer } from './issuer.ts'

/** The client of a pending authorization request with its registered name, and the origin of its redirect URI. */
export interface PendingClient {
  clientId?: string
  clientName?: string
  clientOrigin?: string
  /** The request has no session of a user; see `Attempt`. */
  continuesRequest?: true
}

/** Returns the client of a pending authorization request; an empty object if the request has expired. */
export async function findPendingClient(
  services: Pick<Services, 'issuer' | 'clients'>,
  uid: string,
): Promise<PendingClient> {
  const interaction = await (await services.issuer.provider()).Interaction.find(uid)
  return interaction ? readPendingClient(services, interaction) : {}
}

/** Returns the client of a pending authorization request. */
export async function readPendingClient(
  { clients }: Pick<Services, 'clients'>,
  { params, session, deviceCode }: Interaction,
): Promise<PendingClient> {
  const { client_id: clientId, redirect_uri: redirectUri } = params
  const client = typeof clientId === 'string' ? await clients.find(clientId) : undefined
  const clientOrigin = typeof redirectUri === 'string' ? URL.parse(redirectUri)?.origin : undefined
  return {
    ...(client && { clientId: client.clientId, clientName: client.name }),
    ...(clientOrigin && { clientOrigin }),
    ...(!session && !deviceCode && { continuesRequest: true }),
  }
}

/**
 * Removes the session of a pending request, so that it can continue with another user: the library rejects it if that
 * session has ended.
 */
export async function removeInteractionSession(issuer: Issuer, uid: string): Promise<void> {
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  if (!interaction?.session) return
  delete interaction.session
  await interaction.persist()
}

/**
 * Ends the library's session of a pending request. The library would otherwise interrupt the request with a page of its
 * own to confirm the new user.
 */
export async function endFormerSession(issuer: Issuer, sessionUid: string, interactionUid: string): Promise<void> {
  await removeInteractionSession(issuer, interactionUid)
  const session = await (await issuer.provider()).Session.findByUid(sessionUid)
  await session?.destroy()
}
