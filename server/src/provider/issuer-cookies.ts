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
  /** Reports whether there is a cookie of the library's session, valid or not. */
  hasSession: (cookies: Cookies) => boolean
  /** Formats the `Set-Cookie` lines of the library's session, which expires at `exp`, in seconds since 1970. */
  formatSession: (id: string, exp: number) => string[]
  /** Formats the `Set-Cookie` lines of a pending request, for its page and for its continuation. */
  formatPending: (uid: string, paths: { pagePath: string; resumePath: string; exp: number }) => string[]
  /** Returns the id of the pending request that may continue at this path. */
  readResume: (cookies: Cookies) => string | undefined
  /** Formats the `Set-Cookie` lines that remove the cookie of a pending request, which has continued. */
  clearResume: (resumePath: string) => string[]
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
  const [interaction, resume] = [`passport-${name}-interaction`, `passport-${name}-resume`]
  const attributes = `; samesite=lax${isSecure ? '; secure' : ''}; httponly`

  /** Returns the value of a cookie; undefined without one that is signed by the current key. */
  function readSigned(cookies: Cookies, cookie: string): string | undefined {
    const [value, signature] = [cookies.get(cookie), cookies.get(`${cookie}.sig`)]
    if (value === undefined || signature === undefined || !/^[\w-]{43}$/.test(value)) return undefined
    return keys.index(`${cookie}=${value}`, signature) === 0 ? value : undefined
  }

  const formatSigned = (cookie: string, value: string, rest: string): string[] => {
    const pair = `${cookie}=${value}`
    return [pair + rest, `${cookie}.sig=${keys.sign(pair)}${rest}`]
  }
  const formatWithPath = (cookie: string, value: string, cookiePath: string, exp: number) =>
    formatSigned(cookie, value, `; path=${cookiePath}; expires=${formatTime(exp)}${attributes}`)

  return {
    configuration: {
      names: { session, interaction, resume },
      keys,
      long: { signed: true, httpOnly: true, sameSite: 'lax', path, secure: isSecure },
      short: { signed: true, httpOnly: true, sameSite: 'lax', secure: isSecure },
    },
    readSession: (cookies) => readSigned(cookies, session),
    hasSession: (cookies) => cookies.get(session) !== undefined || cookies.get(`${session}.sig`) !== undefined,
    formatSession: (id, exp) => formatSigned(session, id, `; path=${path}${attributes}; expires=${formatTime(exp)}`),
    formatPending: (uid, { pagePath, resumePath, exp }) => [
      ...formatWithPath(interaction, uid, pagePath, exp),
      ...formatWithPath(resume, uid, resumePath, exp),
    ],
    readResume: (cookies) => readSigned(cookies, resume),
    clearResume: (resumePath) => formatWithPath(resume, '', resumePath, 0),
  }
}

const formatTime = (seconds: number) => new Date(seconds * 1000).toUTCString()
