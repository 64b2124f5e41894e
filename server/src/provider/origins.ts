import type { HttpContext } from '../http/http-context.ts'

/**
 * Reports whether pages of an origin may read responses to a client: the configured origins, those of the client's own
 * redirect URIs, and the pages of this server.
 */
export const isAllowedOrigin = (
  { publicUrl, corsHeaders }: Pick<HttpContext, 'publicUrl' | 'corsHeaders'>,
  origin: string,
  redirectUris: readonly string[],
): boolean =>
  origin === publicUrl ||
  'Access-Control-Allow-Origin' in corsHeaders(origin) ||
  redirectUris.some((uri) => URL.parse(uri)?.origin === origin)
