import type { Configuration } from 'oidc-provider'
import type { Vault } from '../vault.ts'
import { createCookieKeys } from './cookie-keys.ts'
import type { IssuerName } from './store.ts'

interface IssuerCookieOptions {
  name: IssuerName
  /** The issuer identifier; the session is sent to its path. */
  url: string
  vault: Vault
  isSecure: boolean
}

/** Creates the settings of an issuer's cookies, as the protocol library reads and sets them. */
export function createIssuerCookies({
  name,
  url,
  vault,
  isSecure,
}: IssuerCookieOptions): NonNullable<Configuration['cookies']> {
  const prefix = `passport-${name}`
  return {
    names: { session: `${prefix}-session`, interaction: `${prefix}-interaction`, resume: `${prefix}-resume` },
    keys: createCookieKeys(vault.deriveAll(`cookies:${name}`).map((key) => key.toString('base64url'))),
    long: { signed: true, httpOnly: true, sameSite: 'lax', path: new URL(url).pathname, secure: isSecure },
    short: { signed: true, httpOnly: true, sameSite: 'lax', secure: isSecure },
  }
}
