import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Visit } from '../http/visit.ts'
import { toAccountChange } from '../mail/account-mails.ts'
import { notify, type Recipient } from '../mail/notify.ts'
import type { MailContext } from '../mail/send.ts'
import { wantsNewDeviceEmails } from '../notices/store.ts'
import { generateToken, hashToken } from '../vault.ts'
import * as browsers from './browser-store.ts'

const cookieNameOf = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}passport-browser`

/** The cookie of a browser in which users have signed in. */
export interface Browser {
  token: string
  /** Sets the cookie, or prolongs it. */
  remember: () => void
}

/** Returns the browser of a request; a new one without the cookie. */
export function readBrowser(cookies: Cookies, isSecure: boolean): Browser {
  const name = cookieNameOf(isSecure)
  const sent = cookies.get(name)
  const token = sent && /^[\w-]{43}$/.test(sent) ? sent : generateToken()
  const maxAgeSeconds = browsers.rememberedDays * 24 * 60 * 60
  return { token, remember: () => cookies.set(name, token, { maxAgeSeconds }) }
}

interface SignIn {
  user: Recipient
  /** The user has signed in before, in any browser. */
  isFirst: boolean
  providerName: string
  visit: Visit
}

/**
 * Records a sign-in in a browser, and emails the user if they have not signed in there before. The first sign-in of an
 * account is not reported. Returns the id of the browser.
 */
export async function recordBrowser(
  sql: Sql,
  context: MailContext,
  { token }: Browser,
  { user, isFirst, providerName, visit }: SignIn,
): Promise<string> {
  const { id: browserId, isNew } = await browsers.recordSignIn(sql, user.id, hashToken(token))
  if (!isNew || isFirst || !(await wantsNewDeviceEmails(sql, user.id))) return browserId
  await notify(sql, context, user, 'new-device', { ...toAccountChange(visit), providerName, browserId })
  return browserId
}
