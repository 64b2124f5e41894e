import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Visit } from '../http/visit.ts'
import { toAccountChange } from '../mail/account-mails.ts'
import { type NoticeInsertions, notify, prepareNotice, toInsertions } from '../mail/notify.ts'
import type { MailContext } from '../mail/send.ts'
import { generateToken } from '../vault.ts'
import * as browsers from './browser-store.ts'
import type { SignInAccount } from './store.ts'

const cookieNameOf = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}passport-browser`

/** The cookie of a browser in which users have signed in. */
export interface Browser {
  token: string
  /** Sets the cookie, or prolongs it. */
  remember: () => void
}

/** Returns the token of the browser of a request; undefined if no user has signed in there. */
export function findBrowserToken(cookies: Cookies, isSecure: boolean): string | undefined {
  const sent = cookies.get(cookieNameOf(isSecure))
  return sent && /^[\w-]{43}$/.test(sent) ? sent : undefined
}

/** Returns the browser of a request; a new one without the cookie. */
export function readBrowser(cookies: Cookies, isSecure: boolean): Browser {
  const name = cookieNameOf(isSecure)
  const token = findBrowserToken(cookies, isSecure) ?? generateToken()
  const maxAgeSeconds = browsers.rememberedDays * 24 * 60 * 60
  return { token, remember: () => cookies.set(name, token, { maxAgeSeconds }) }
}

interface SignIn {
  account: SignInAccount
  /** The id that the browser has, or gets if it is new. */
  browserId: string
  providerName: string
  visit: Visit
}

/**
 * Writes the email about a sign-in in a new browser, and returns the statements that save it if their source has a row.
 * Undefined if the user wants none, or has no valid address. The first sign-in of an account is not reported.
 */
export async function prepareDeviceNotice(
  sql: Sql,
  context: MailContext,
  signIn: SignIn,
): Promise<((source: Fragment) => NoticeInsertions) | undefined> {
  if (!isReported(signIn.account)) return undefined
  const prepared = await prepareNotice(sql, context, recipientOf(signIn.account), 'new-device', toData(signIn))
  return prepared && ((source) => toInsertions(sql, prepared, source))
}

/** Emails the user about a sign-in in a new browser; see `prepareDeviceNotice`. */
export async function reportDevice(sql: Sql, context: MailContext, signIn: SignIn): Promise<void> {
  if (isReported(signIn.account)) await notify(sql, context, recipientOf(signIn.account), 'new-device', toData(signIn))
}

const isReported = ({ isFirst, isNotified }: SignInAccount) => !isFirst && isNotified
const recipientOf = ({ userId, displayName, email }: SignInAccount) => ({ id: userId, displayName, email })
const toData = ({ browserId, providerName, visit }: SignIn) => ({ ...toAccountChange(visit), providerName, browserId })
