import type { Issuer } from './issuer.ts'

/** Returns the client's origin of a pending authorization request. */
export async function findClientOrigin(issuer: Issuer, uid: string): Promise<string | undefined> {
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  const redirectUri = interaction?.params['redirect_uri']
  return typeof redirectUri === 'string' ? URL.parse(redirectUri)?.origin : undefined
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
