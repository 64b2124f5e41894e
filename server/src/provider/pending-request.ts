import type { Services } from '../feature.ts'
import type { Issuer } from './issuer.ts'

/** The client of a pending authorization request, as registered, and the origin that the response goes to. */
interface PendingClient {
  clientName?: string
  clientOrigin?: string
}

/** Returns the client of a pending authorization request; nothing if the request has expired. */
export async function findPendingClient(
  { issuer, clients }: Pick<Services, 'issuer' | 'clients'>,
  uid: string,
): Promise<PendingClient> {
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  const { client_id: clientId, redirect_uri: redirectUri } = interaction?.params ?? {}
  const client = typeof clientId === 'string' ? await clients.find(clientId) : undefined
  const clientOrigin = typeof redirectUri === 'string' ? URL.parse(redirectUri)?.origin : undefined
  return { ...(client && { clientName: client.name }), ...(clientOrigin && { clientOrigin }) }
}

/**
 * Lets a pending request continue with another user than at its start. The library would stop it, because its first
 * session is over.
 */
export async function clearSession(issuer: Issuer, uid: string): Promise<void> {
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  if (!interaction?.session) return
  delete interaction.session
  await interaction.persist()
}

/**
 * Ends the library's session of a pending request; otherwise the library would stop to confirm the new user with a
 * script.
 */
export async function endFormerSession(issuer: Issuer, sessionUid: string, interactionUid: string): Promise<void> {
  await clearSession(issuer, interactionUid)
  const session = await (await issuer.provider()).Session.findByUid(sessionUid)
  await session?.destroy()
}
