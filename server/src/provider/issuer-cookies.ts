import type { Configuration } from 'oidc-provider'
import type { Cookies } from '../http/cookies.ts'
import type { Vault } from '../vault.ts'
import { createCookieKeys } from './cookie-keys.ts'
import type { IssuerName } from './store.ts'

/** The cookies of an issuer, as the protocol library reads and sets them. */
export interface IssuerCookies {
  /** Their settings for the library. */
  configuration: NonNullable<Configuration['cookies']>
  /** Returns the id of the library's session; undefined without one that is signed by the current key. */
  readSession: (cookies: Cookies) => string | undefined
  /** Formats the `Set-Cookie` lines of the library's session, which expires at `exp`, in seconds since 1970. */
  formatSession: (id: string, exp: number) => string[]
}

interface IssuerCookieOptions {
  name: IssuerName
  /** The issuer identifier; the session is sent to its path. */
  url: string
  vault: Vault
  isSecure: boolean
}

export function createIssuerCookies({ name, url, vault, isSecure }: IssuerCookieOptions): IssuerCookies {
  const session = `passport-${name}-session`
  const path = new URL(url).pathname
  const keys = createCookieKeys(vault.deriveAll(`cookies:${name}`).map((key) => key.toString('base64url')))
  const attributes = `; path=${path}; samesite=lax${isSecure ? '; secure' : ''}; httponly`
  return {
    configuration: {
      names: { session, interaction: `passport-${name}-interaction`, resume: `passport-${name}-resume` },
      keys,
      long: { signed: true, httpOnly: true, sameSite: 'lax', path, secure: isSecure },
      short: { signed: true, httpOnly: true, sameSite: 'lax', secure: isSecure },
    },
    readSession: (cookies) => {
      const [id, signature] = [cookies.get(session), cookies.get(`${session}.sig`)]
      if (id === undefined || signature === undefined || !/^[\w-]{43}$/.test(id)) return undefined
      return keys.index(`${session}=${id}`, signature) === 0 ? id : undefined
    },
    formatSession: (id, exp) => {
      const rest = `${attributes}; expires=${new Date(exp * 1000).toUTCString()}`
      return [`${session}=${id}${rest}`, `${session}.sig=${keys.sign(`${session}=${id}`)}${rest}`]
    },
  }
}
