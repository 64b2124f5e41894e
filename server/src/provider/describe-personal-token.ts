import type { KoaContextWithOIDC } from 'oidc-provider'
import type { HttpContext } from '../http/http-context.ts'
import type { Visit } from '../http/visit.ts'
import { personalTokenForm } from '../prefixed-token.ts'

/** Returns the response to the introspection of a personal token by a client; undefined if it is not active for it. */
export type IntrospectPersonalToken = (request: {
  token: string
  clientId: string
  visit: Visit
}) => Promise<Record<string, unknown> | undefined>

/**
 * Replaces the response of the introspection endpoint about a personal token, which the library does not know. Call it
 * once the library has authenticated the client.
 */
export async function describePersonalToken(
  http: HttpContext,
  introspect: IntrospectPersonalToken,
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const { client, params } = ctx.oidc
  const token = String(params?.['token'] ?? '')
  if (!client || !personalTokenForm.hasForm(token)) return
  const description = await introspect({ token, clientId: client.clientId, visit: http.readVisit(ctx.req) })
  if (description) ctx.body = description
}
