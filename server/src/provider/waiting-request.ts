import type { Issuer } from './issuer.ts'

/** The origin to which an authorization request that waits for the person will lead in the end. */
export async function clientOriginOf(issuer: Issuer, uid: string): Promise<string | undefined> {
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  const redirectUri = interaction?.params['redirect_uri']
  return typeof redirectUri === 'string' ? URL.parse(redirectUri)?.origin : undefined
}

/**
 * Lets a request that waits go on with another person than it began with. The library would stop it, because the
 * session in which it began is over.
 */
export async function forgetSessionOf(issuer: Issuer, uid: string): Promise<void> {
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  if (!interaction?.session) return
  delete interaction.session
  await interaction.persist()
}

/** Ends the session of the library that a request waits with; it would stop to ask about another person with a script. */
export async function endFormerSession(issuer: Issuer, sessionUid: string, interactionUid: string): Promise<void> {
  await forgetSessionOf(issuer, interactionUid)
  const session = await (await issuer.provider()).Session.findByUid(sessionUid)
  await session?.destroy()
}
