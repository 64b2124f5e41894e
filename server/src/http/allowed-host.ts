import type { IncomingHttpHeaders } from 'node:http'
import type { HttpContext } from './http-context.ts'

/** The endpoints by which programs get tokens, and learn about them. */
const protocolPaths =
  /^\/(?:connect\/(?:token|introspect|revocation|userinfo|jwks|par|deviceauthorization)|\.well-known\/.+)$/

/** Reports whether a request is a call with a token, or one of the protocol. Browsers would send no session with it. */
const isFromProgram = (path: string, { cookie, authorization = '' }: IncomingHttpHeaders) =>
  cookie === undefined && (protocolPaths.test(path) || /^(?:bearer|dpop) /i.test(authorization))

/** Reports whether a request is for the host of the public URL, or by a program for one of the further names. */
export function createHostCheck({ publicUrl, allowedHosts }: Pick<HttpContext, 'publicUrl' | 'allowedHosts'>) {
  const publicHost = new URL(publicUrl).host
  return (host: string, path: string, headers: IncomingHttpHeaders): boolean =>
    host === publicHost || (allowedHosts.has(host) && isFromProgram(path, headers))
}
